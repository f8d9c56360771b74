import type { Services } from '../../../context.ts';
import type { Database } from '../../../db/open.ts';
import { inBatches } from '../../upkeep/batch-operations.ts';
import type { UpkeepTask } from '../../upkeep/operations.ts';
import { jobsEndedBefore, jobsWithLastWork, partsOf } from './reads.ts';
import { deleteJobs, deleteParts } from './rows.ts';

const dayMs = 86_400_000;
const deleteEveryMs = 3_600_000;

/** The most rows that are read or deleted at once. */
const mostRows = 50;

/** Deletes jobs that ended more than a number of days ago, from time to time. */
export const jobRetention = ({ db }: Pick<Services, 'db'>, days: number): UpkeepTask => ({
  name: 'job retention',
  everyMs: deleteEveryMs,
  run: (signal, now) => deleteEndedJobs(db, new Date(now.getTime() - days * dayMs), signal),
});

/**
 * Deletes the jobs that ended before a time, in small batches: first their parts, of which a job can have thousands. A job
 * with the last work on a component stays, because the state of the component follows from it. Returns the number of jobs.
 */
export async function deleteEndedJobs(
  db: Database,
  before: Date,
  signal = new AbortController().signal,
): Promise<number> {
  let count = 0;
  let lastId = 0;
  let hasMore = true;
  let jobs: number[] = [];
  let parts: number[] = [];
  await inBatches({ db, most: mostRows, signal }, async (size) => {
    if (parts.length > 0) await deleteParts(db, parts.splice(0, size));
    else if (jobs.length > 0) {
      const deleted = jobs.splice(0, size);
      await deleteJobs(db, deleted);
      count += deleted.length;
    } else if (hasMore) {
      const page = await jobsEndedBefore(db, before, { after: lastId, limit: size });
      ({ lastId, hasMore } = page);
      if (page.ended.length === 0) return true;
      const needed = await jobsWithLastWork(db, page.ended);
      jobs = page.ended.filter((id) => !needed.has(id));
      if (jobs.length > 0) parts = await partsOf(db, jobs);
    } else return false;
    return true;
  });
  return count;
}
