import { describe, expect, it } from 'vitest';
import { canonicalEvent, sealOf } from '../../../src/domain/event/seals/model.ts';
import { call, createHook, hookedComponent } from '../../support/deploy-hooks.ts';
import {
  enterpriseOf,
  exportOf,
  linesIn,
  meddle,
  removeTriggers,
  sealerOf,
  verify,
  verifyExport,
} from '../../support/sealed-record.ts';
import { startTrellis, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

/** The event of a deploy by a deploy hook. */
async function deployed() {
  const component = await hookedComponent(trellis);
  const { deployHookId, path } = await createHook(trellis, component);
  expect((await call(trellis, { path })).status).toBe(202);
  const [row] = await trellis.services.db.query(
    `SELECT id FROM event WHERE deploy_hook_id = '${deployHookId}'`,
    [],
  );
  return { deployHookId, eventId: Number(row![0]) };
}

/** Seals until nothing is left. */
async function seal() {
  const sealer = sealerOf(trellis);
  for (let turn = 0; turn < 3; turn++) await sealer.seal();
}

describe('the record of deploy hooks', () => {
  it('is sealed in a format that covers them, and exported', async () => {
    const { deployHookId, eventId } = await deployed();
    await seal();
    expect(await verify(trellis)).toMatchObject({ unsealedEvents: 0, problem: undefined });
    const text = await exportOf(trellis);
    expect(verifyExport(trellis, text).problem).toBeUndefined();
    const lines = linesIn(text);
    expect(lines.find(({ type, id }) => type === 'event' && id === eventId)).toMatchObject({ deployHookId });
    expect(lines.filter(({ type }) => type === 'seal').every(({ format }) => format === 2)).toBe(true);
    const changed = text.replaceAll(deployHookId, '0'.repeat(32));
    expect(verifyExport(trellis, changed).problem).toMatchObject({
      message: expect.stringContaining('was changed'),
    });
  });

  it('of the first format is still verified, from an export without the column too', async () => {
    const own = await startTrellis();
    try {
      const id = await enterpriseOf(own);
      const { db, seal: keys } = own.services;
      const events = await db.event.findManyByKeys({ by: 'enterpriseId', keys: [id] });
      events.sort((one, other) => one.id - other.id);
      expect(JSON.parse(canonicalEvent(events[0]!, 1))).toHaveLength(16);
      expect(JSON.parse(canonicalEvent(events[0]!, 2))).toHaveLength(17);
      // As an earlier version sealed it.
      const first = sealOf(events, undefined, keys.recordKey, 1);
      await db.transaction((tx) => tx.recordSeal.create({ data: first }));
      const component = await hookedComponent(own);
      await call(own, await createHook(own, component));
      const sealer = sealerOf(own);
      for (let turn = 0; turn < 3; turn++) await sealer.seal();
      const report = await verify(own);
      expect(report).toMatchObject({ unsealedEvents: 0, problem: undefined });
      expect(report.seals).toBeGreaterThan(1);
      const lines = linesIn(await exportOf(own));
      const formats = lines.filter(({ type }) => type === 'seal').map(({ format }) => format);
      expect(new Set(formats)).toEqual(new Set([1, 2]));
      const old = lines.map(({ deployHookId, ...line }) =>
        JSON.stringify(deployHookId ? { ...line, deployHookId } : line),
      );
      expect(verifyExport(own, old.join('\n')).problem).toBeUndefined();
    } finally {
      await own.close();
    }
  });

  it('finds an event that was given another deploy hook, or none', async () => {
    const { deployHookId, eventId } = await deployed();
    await seal();
    await removeTriggers(trellis);
    for (const value of ["'other'", 'NULL']) {
      await meddle(trellis, `UPDATE event SET deploy_hook_id = ${value} WHERE id = ${eventId}`);
      expect((await verify(trellis)).problem).toMatchObject({
        eventId,
        message: expect.stringContaining(`Event ${eventId} was changed`),
      });
    }
    await meddle(trellis, `UPDATE event SET deploy_hook_id = '${deployHookId}' WHERE id = ${eventId}`);
    expect((await verify(trellis)).problem).toBeUndefined();
  });
});
