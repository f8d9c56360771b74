import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { dueLoop } from '../../../src/db/work/due.ts';
import { createFiring, mostOfLook } from '../../../src/domain/component/timing/fire-operations.ts';
import { runWork } from '../../../src/domain/run/rows.ts';
import { runSchedules } from '../../../src/domain/run/schedules/fire-operations.ts';
import { rarely } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';

// Without workers, so that nothing fires beside the looks of the tests.
const trellis = useTrellis();

const ago = (ms: number) => new Date(Date.now() - ms);

/** Writes schedules of a component that are due since then. */
async function dueSchedules(componentId: string, count: number, nextRunAt: Date): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID().replaceAll('-', ''));
  const schedule = { componentId, cron: rarely, timeZone: 'UTC', command: '["true"]', concurrency: 'forbid' };
  const data = ids.map((id) => ({
    ...{ id, name: id, ...schedule, timeoutSeconds: 60 },
    ...{ createdAt: nextRunAt, nextRunAt },
  }));
  await trellis.services.db.transaction((tx) => tx.schedule.createMany({ data }));
  return ids;
}

async function stillDue(ids: readonly string[]): Promise<number> {
  const rows = await trellis.services.db.schedule.findManyByKeys({ by: 'id', keys: ids });
  return rows.filter(({ nextRunAt }) => nextRunAt !== null && nextRunAt <= new Date()).length;
}

describe('a schedule that is due', () => {
  it('has its turn beside the many schedules of another application or team', async () => {
    const place = await trellis.createPlace();
    const [busy, own] = [await trellis.createApplication(place), await trellis.createApplication(place)];
    const other = await trellis.createApplication(await trellis.createPlace());
    const [many, one, another] = await Promise.all(
      [busy, own, other].map(async ({ appId }) => (await trellis.createComponent(appId)).componentId),
    );
    const backlog = await dueSchedules(many!, 3 * mostOfLook.times + 1, ago(10_000));
    const ofTeam = await dueSchedules(one!, 1, ago(5_000));
    const ofOther = await dueSchedules(another!, 1, ago(5_000));
    const fire = createFiring(trellis.services, runSchedules);
    // How many a look fires depends on the machine: it ends after some time.
    do expect(await fire(new Date())).toBe(true);
    while ((await stillDue([...ofTeam, ...ofOther])) > 0);
    expect(await stillDue(backlog)).toBeGreaterThan(mostOfLook.times);
    while (await fire(new Date()));
    expect(await stillDue(backlog)).toBe(0);
  });

  it('does not keep runs from being looked at', async () => {
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    const { componentId } = await trellis.createComponent(appId);
    const { db } = trellis.services;
    await dueSchedules(componentId, 1, ago(5_000));
    const [component] = await db.component.findManyByKeys({ by: 'id', keys: [componentId] });
    const { regionId } = component!;
    const run = { componentId, regionId, command: '["true"]', timeoutSeconds: 60, requestId: 'test' };
    const createdAt = ago(5_000);
    const id = componentId;
    await db.transaction((tx) =>
      tx.componentRun.create({ data: { id, ...run, status: 'pending', createdAt, dueAt: createdAt } }),
    );
    const looked = await new Promise<string>((resolve, reject) => {
      const loop = dueLoop({
        db,
        table: runWork,
        settings: { pollMs: 1_000, leaseMs: 60_000, maxPauseMs: 1_000, atOnce: 4 },
        // There is always another one that is due.
        schedules: { model: 'Schedule', due: 'nextRunAt', fire: async () => true },
        async carryOut(row) {
          await loop.stop(0);
          resolve(row.id);
        },
        onError: reject,
      });
      loop.start();
    });
    expect(looked).toBe(id);
  });
});
