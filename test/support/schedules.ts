import { randomUUID } from 'node:crypto';
import { declaredRegion } from '../../src/drivers/region/declared.ts';
import type { RegionDriver } from '../../src/drivers/region/driver.ts';
import { createSimulatedRegion } from '../../src/drivers/region/simulated/simulated.ts';
import type { Place } from './fixtures.ts';
import { simulatedInstance } from './instances.ts';
import type { Trellis } from './trellis.ts';

/** The first of January, so that no test starts a run by accident. */
export const rarely = '0 0 1 1 *';

const { runs, snapshots } = createSimulatedRegion({ delayMs: 0 });

/** The embedded driver with runs and snapshots, so that components of its regions and their volumes can have schedules. */
export const declaredWithRuns: RegionDriver = { ...declaredRegion, runs: runs!, snapshots: snapshots! };

/** A team with a region that runs commands. */
export async function placeWithRuns(trellis: Trellis): Promise<Place> {
  const { team } = await trellis.createPlace();
  const region = await trellis.createRegion({ driver: 'SIMULATED' });
  const refs = { team: { teamId: team.teamId }, region: { regionId: region.regionId } };
  await trellis.succeed('openTeamRegion', refs, '__typename');
  return { team, region };
}

/** The input of `createSchedule` for a new component of the team in a simulated region. */
export async function newSchedule(trellis: Trellis, teamId: string) {
  const { component: other } = await simulatedInstance(trellis, teamId);
  const { db } = trellis.services;
  const [row] = await db.component.findManyByKeys({ by: 'id', keys: [other.componentId] });
  const { componentId } = await trellis.createComponent(row!.applicationId);
  return { component: { componentId }, cron: rarely, command: ['sleep', '600'] };
}

/** A schedule of a new component of the team in a simulated region. */
export async function createdSchedule(trellis: Trellis, teamId: string): Promise<{ scheduleId: string }> {
  const input = await newSchedule(trellis, teamId);
  const { schedule } = await trellis.succeed('createSchedule', input, 'schedule { scheduleId: uid }');
  return schedule;
}

/** Writes a schedule, as if its component had been in a region with a cluster. */
export async function insertSchedule(
  { services: { db } }: Trellis,
  componentId: string,
  given: { cron?: string } = {},
): Promise<string> {
  const id = randomUUID().replaceAll('-', '');
  const data = { name: id, cron: rarely, timeZone: 'UTC', command: '["true"]', ...given };
  await db.transaction((tx) =>
    tx.schedule.create({
      data: { id, componentId, ...data, concurrency: 'forbid', timeoutSeconds: 60, createdAt: new Date() },
    }),
  );
  return id;
}

/** Makes a schedule due, as if this time had come some milliseconds ago. */
export async function makeDue({ services: { db } }: Trellis, id: string, agoMs = 1_000): Promise<Date> {
  const nextRunAt = new Date(Date.now() - agoMs);
  await db.transaction((tx) => tx.schedule.updateMany({ where: { id }, data: { nextRunAt } }));
  return nextRunAt;
}

/** Writes a snapshot schedule of a volume of an application, as if its region made snapshots. */
export async function insertSnapshotSchedule(
  { services: { db } }: Trellis,
  applicationId: number,
): Promise<void> {
  const id = randomUUID().replaceAll('-', '');
  const skipped = { lastSkippedAt: new Date(), lastSkipReason: 'refused', lastSkipMessage: 'No room.' };
  await db.transaction(async (tx) => {
    const { id: volumeId } = await tx.volume.findFirstOrThrow({ where: { component: { applicationId } } });
    const data = { id, volumeId, cron: rarely, timeZone: 'UTC', keep: 7, ...skipped };
    await tx.snapshotSchedule.create({ data: { ...data, lastRunAt: new Date(), createdAt: new Date() } });
  });
}
