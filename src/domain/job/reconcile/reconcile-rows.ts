import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { isUnfinished } from '../model.ts';
import { insertJob, type JobInsert, latestWork } from '../rows.ts';
import { lockJobs } from '../settle-rows.ts';

/** A component with drift, as it was when that was found. */
export type Drifted = Pick<Row<'Component'>, 'id' | 'generation'>;

/**
 * Inserts the jobs that put components back, one for each application. Components that have changed since their drift was
 * found, or have work that is not over, are left out: that work puts them back, and must not be superseded.
 */
export async function insertReconcileJobs(
  write: JobInsert,
  region: Pick<Row<'Region'>, 'id' | 'driver'>,
  drifted: readonly Drifted[],
): Promise<Row<'Job'>[]> {
  const ids = drifted.map(({ id }) => id);
  await lockRows(write, 'Component', ...ids);
  await lockJobs(write, region.id);
  const latest = await latestWork(write, ids);
  const generations = new Map(drifted.map(({ id, generation }) => [id, generation]));
  const rows = await findByKeys(write, 'Component', 'id', ids, ['id'], {
    fields: ['id', 'teamId', 'applicationId', 'name', 'generation', 'deployState'],
  });
  const targets = rows.filter(
    ({ id, generation, deployState }) =>
      deployState !== 'undeploy' &&
      generation === generations.get(id) &&
      !isUnfinished(latest.get(id)?.status ?? 'succeeded'),
  );
  const jobs: Row<'Job'>[] = [];
  for (const applicationId of new Set(targets.map((row) => row.applicationId))) {
    const components = targets.filter((row) => row.applicationId === applicationId);
    jobs.push(
      await insertJob(write, {
        kind: 'reconcile',
        team: { id: components[0]!.teamId },
        region,
        applicationId,
        targets: components.map((component) => ({ component, action: 'apply' as const })),
      }),
    );
  }
  return jobs;
}
