import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteRecord } from '../../../src/domain/event/retention/retention-operations.ts';
import { eventsPerSeal } from '../../../src/domain/event/seals/model.ts';
import {
  enterpriseOf,
  exportOf,
  linesIn,
  meddle,
  recordEvents,
  removeTriggers,
  sealerOf,
  verify,
  verifyExport,
} from '../../support/sealed-record.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
beforeAll(async () => {
  trellis = await startTrellis();
});
afterAll(() => trellis.close());

const remove = (before: Date) => {
  const { db, seal } = trellis.services;
  return deleteRecord({ db, key: seal.recordKey }, before);
};
const countOf = async () =>
  Number((await trellis.services.db.query('SELECT count(*) FROM event', []))[0]![0]);

describe('events whose time is over', () => {
  it('are deleted by whole seals, and the rest can be verified', async () => {
    await recordEvents(trellis, 3 * eventsPerSeal - 1);
    await sealerOf(trellis).seal();
    const between = new Date(Date.now() + 1);
    while (Date.now() <= between.getTime()) await new Promise(setImmediate);
    await recordEvents(trellis, eventsPerSeal + 50);
    await sealerOf(trellis).seal();
    await recordEvents(trellis, 5);

    expect(await remove(new Date(0))).toBe(0);
    expect(await remove(between)).toBe(3 * eventsPerSeal);
    expect(await countOf()).toBe(eventsPerSeal + 55);
    expect(await verify(trellis)).toMatchObject({
      seals: 5,
      events: eventsPerSeal + 50,
      deletedEvents: 3 * eventsPerSeal,
      unsealedEvents: 5,
      problem: undefined,
    });
    const text = await exportOf(trellis);
    expect(verifyExport(trellis, text)).toMatchObject({
      seals: 5,
      deletedEvents: 3 * eventsPerSeal,
      problem: undefined,
    });
    expect(linesIn(text)[1]).toMatchObject({ type: 'seal', digests: null, deletedAt: expect.any(String) });
  });

  it('stay if they are under the last seal, or under none', async () => {
    const later = new Date(Date.now() + 60_000);
    expect(await remove(later)).toBe(eventsPerSeal);
    expect(await remove(later)).toBe(0);
    expect(await verify(trellis)).toMatchObject({ events: 50, unsealedEvents: 5, problem: undefined });
  });

  it('can be deleted by nobody else', async () => {
    await expect(meddle(trellis, 'DELETE FROM event')).rejects.toThrow('events are only ever added');
  });

  it('are missed if they are put back', async () => {
    const id = await enterpriseOf(trellis);
    await meddle(
      trellis,
      `INSERT INTO event (id, enterprise_id, at, request_id, action, subject_type, subject_id, changes)
       SELECT 7, '${id}', at, 'x', 'seed', 'Enterprise', 'x', '{}' FROM event LIMIT 1`,
    );
    expect((await verify(trellis)).problem).toMatchObject({
      eventId: 7,
      message: expect.stringContaining('added'),
    });
    await removeTriggers(trellis);
    await meddle(trellis, 'DELETE FROM event WHERE id = 7');
    expect((await verify(trellis)).problem).toBeUndefined();
  });
});
