import { describe, expect, it } from 'vitest';
import { deleteRecord } from '../../../src/domain/event/retention/retention-operations.ts';
import { eventsPerSeal } from '../../../src/domain/event/seals/model.ts';
import { eventIdsUnder, sealsAfter } from '../../../src/domain/event/seals/reads.ts';
import { deleteSealedEvents, markDeleted } from '../../../src/domain/event/seals/rows.ts';
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
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const inAnHour = new Date(Date.now() + 3_600_000);
const remove = (before: Date) => {
  const { db, seal, log } = trellis.services;
  return deleteRecord({ db, key: seal.recordKey, log }, { before, now: inAnHour });
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

  it('can be verified while they are deleted, and the deletion continues after a process has ended', async () => {
    const { db, seal } = trellis.services;
    await recordEvents(trellis, 2 * eventsPerSeal);
    await sealerOf(trellis).seal();
    const enterpriseId = await enterpriseOf(trellis);
    const [next] = await sealsAfter(db, enterpriseId, 4, 1);
    await db.transaction((tx) => markDeleted(tx, next!, seal.recordKey));
    const ids = await eventIdsUnder(db, next!);
    expect(ids.length).toBe(50);
    const part = { seal: next!, ids: ids.slice(0, 20), isLast: false };
    await db.transaction((tx) => deleteSealedEvents({ context: { db }, tx }, part));

    const found = { events: 30 + 2 * eventsPerSeal + 5, unsealedEvents: 0, problem: undefined };
    expect(await verify(trellis)).toMatchObject({ ...found, deletedEvents: 4 * eventsPerSeal + 20 });
    const exported = await exportOf(trellis);
    expect(verifyExport(trellis, exported)).toMatchObject({ events: found.events - 30, problem: undefined });
    expect(linesIn(exported).filter(({ type, id }) => type === 'event' && ids.includes(id))).toEqual([]);

    const changed = ids[40]!;
    const set = (id: string) =>
      meddle(trellis, `UPDATE event SET request_id = '${id}' WHERE id = ${changed}`);
    await set('other');
    expect((await verify(trellis)).problem).toMatchObject({
      eventId: changed,
      message: expect.stringContaining('changed'),
    });
    await set('sealed record');

    expect(await remove(new Date(0))).toBe(30);
    expect(await verify(trellis)).toMatchObject({
      events: 2 * eventsPerSeal + 5,
      deletedEvents: 4 * eventsPerSeal + 50,
      problem: undefined,
    });
    const [deleted] = await sealsAfter(db, enterpriseId, 4, 1);
    expect(deleted).toMatchObject({ digests: null, deletedAt: expect.any(Date) });
  });

  it('are deleted although there is one before them whose time is in the future', async () => {
    const { db } = trellis.services;
    const enterpriseId = await enterpriseOf(trellis);
    const before = await sealsAfter(db, enterpriseId, 0, 1_000);
    await recordEvents(trellis, 3);
    const [[last]] = (await db.query('SELECT max(id) FROM event', [])) as [[number]];
    // As a gateway records it whose clock is 40 days ahead.
    const inFortyDays = new Date(Date.now() + 40 * 86_400_000).toISOString().replace('Z', '+00:00');
    await meddle(trellis, `UPDATE event SET at = '${inFortyDays}' WHERE id = ${last}`);
    await sealerOf(trellis).seal();
    for (let count = 0; count < 2; count++) {
      await recordEvents(trellis, 5);
      await sealerOf(trellis).seal();
    }
    await remove(inAnHour);
    const seals = await sealsAfter(db, enterpriseId, 0, 1_000);
    const kept = seals.filter(({ digests }) => digests !== null).map(({ number }) => number);
    expect(kept).toEqual([before.length + 1, before.length + 3]);
    expect((await verify(trellis)).problem).toBeUndefined();
    expect(await remove(inAnHour)).toBe(0);
  });
});
