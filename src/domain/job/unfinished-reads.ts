import type { Database } from '../../db/open.ts';
import { type JobStatus, unfinished } from './model.ts';

export interface UnfinishedJobs {
  status: JobStatus;
  jobs: number;
  oldestSeconds: number;
}

/** The jobs that are not over, of all teams, by status. One statement on the index of unfinished work. */
export async function unfinishedJobs(db: Database): Promise<UnfinishedJobs[]> {
  const { nowMs, milliseconds } = db.dialect;
  const open = unfinished.map((status) => `'${status}'`).join(', ');
  const rows = await db.query(
    `SELECT j.status, count(*), ${nowMs} - ${milliseconds('min(j.created_at)')} FROM job j
     WHERE j.id IN (SELECT c.job_id FROM job_component c WHERE c.status IN (${open})) GROUP BY j.status`,
    [],
  );
  const counts = new Map(
    rows.map(([status, jobs, ageMs]) => [status, { jobs: Number(jobs), ageMs: Number(ageMs) }]),
  );
  return unfinished.map((status) => ({
    status,
    jobs: counts.get(status)?.jobs ?? 0,
    oldestSeconds: Math.max(0, counts.get(status)?.ageMs ?? 0) / 1000,
  }));
}
