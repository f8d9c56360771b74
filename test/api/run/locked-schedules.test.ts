import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { createFiring, mostOfLook } from '../../../src/domain/component/timing/fire-operations.ts';
import { runSchedules } from '../../../src/domain/run/schedules/fire-operations.ts';
import { rarely } from '../../support/schedules.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

// Without workers, so that nothing fires beside the looks of the tests.
const trellis = useTrellis();
let other: Database;
beforeAll(async () => {
  other = await openDatabase({ url: trellis.databaseUrl, poolSize: 1 });
});
afterAll(() => other.close());

const ago = (ms: number) => new Date(Date.now() - ms);

async function newComponent(): Promise<string> {
  const { appId } = await trellis.createApplication(await trellis.createPlace());
  return (await trellis.createComponent(appId)).componentId;
}

/** Writes schedules of a component that have been due for so long. */
async function dueSchedules(componentId: string, count: number, agoMs: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID().replaceAll('-', ''));
  const schedule = { componentId, cron: rarely, timeZone: 'UTC', command: '["true"]', concurrency: 'forbid' };
  const [createdAt, nextRunAt] = [ago(agoMs), ago(agoMs)];
  const data = ids.map((id) => ({ id, name: id, ...schedule, timeoutSeconds: 60, createdAt, nextRunAt }));
  await trellis.services.db.transaction((tx) => tx.schedule.createMany({ data }));
  return ids;
}

async function stillDue(ids: readonly string[]): Promise<number> {
  const rows = await trellis.services.db.schedule.findManyByKeys({ by: 'id', keys: ids });
  return rows.filter(({ nextRunAt }) => nextRunAt !== null && nextRunAt <= new Date()).length;
}

// On SQLite, rows are not locked: one transaction writes at a time.
describe.skipIf(databaseKind === 'sqlite')('schedules whose component is locked', () => {
  it('wait, and those of other teams do not', async () => {
    const [locked, free] = [await newComponent(), await newComponent()];
    // More than one look takes, all before the others.
    const waiting = await dueSchedules(locked, 2 * mostOfLook.times + 1, 30_000);
    const others = await dueSchedules(free, 2, 5_000);
    const fire = createFiring(trellis.services, runSchedules);
    await other.transaction(async (tx) => {
      await tx.$read('SELECT 1 FROM component WHERE id = $1 FOR NO KEY UPDATE', [locked]);
      // Each look ends although the lock is held: one that waited for it would not.
      for (let looks = 0; looks < 20 && (await stillDue(others)) > 0; looks++) await fire(new Date());
      expect(await stillDue(others)).toBe(0);
      expect(await stillDue(waiting)).toBe(waiting.length);
    });
    const unlocked = createFiring(trellis.services, runSchedules);
    while (await unlocked(new Date()));
    expect(await stillDue(waiting)).toBe(0);
  });
});
