import type { Database, Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { updateMany } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { recordOwn } from '../../db/write/own-events.ts';
import { changed } from '../../db/write/revision.ts';
import { endOf, type JobStatus, unfinished } from './model.ts';
import { applicationOfEvents } from './reads.ts';

/** An open transaction that changes jobs: that of a mutation or of the worker. */
export interface JobWrite {
  context: { db: Pick<Database, 'dialect' | 'channel'>; signal?: AbortSignal };
  tx: Transaction;
  announce: Write['announce'];
}

/**
 * Ensures that only one transaction at a time changes the jobs of a region, in all processes. Components must be locked
 * before this. SQLite has one writer at a time and needs no lock.
 */
export async function lockJobs({ context: { db }, tx }: JobWrite, regionId: string): Promise<void> {
  if (db.dialect.kind !== 'postgres') return;
  await tx.$read("SELECT pg_advisory_xact_lock(hashtextextended('trellis.jobs ' || $1, 0))::text", [
    regionId,
  ]);
}

/**
 * Ends work on components. A call to the driver that is in progress keeps its lease until it ends, so that no other call
 * for the component starts before that.
 */
export async function endComponents(
  write: JobWrite,
  work: readonly Pick<Row<'JobComponent'>, 'id'>[],
  { status, error = null, now }: { status: JobStatus; error?: string | null; now: Date },
): Promise<void> {
  await updateMany(
    write,
    'JobComponent',
    work.map(({ id }) => ({ id, data: { status, error, endedAt: now } })),
  );
}

/** Ends the jobs that have no unfinished component left. */
export async function settleJobs(write: JobWrite, jobIds: readonly number[], now: Date): Promise<void> {
  if (jobIds.length === 0) return;
  const { tx, announce } = write;
  for (const id of jobIds) announce(`job/${id}`);
  const counts = await tx.jobComponent.groupBy({
    by: ['jobId', 'status'],
    where: { jobId: { in: [...jobIds] } },
  });
  for (const id of jobIds) {
    const statuses = new Set(counts.filter(({ jobId }) => jobId === id).map(({ status }) => status));
    if (unfinished.some((status) => statuses.has(status))) continue;
    const status = endOf((each) => statuses.has(each));
    const { count } = await tx.job.updateMany({
      where: { id, status: { in: [...unfinished] } },
      data: { status, endedAt: now, ...changed },
    });
    if (count > 0 && status === 'failed') await recordFailure(write, id);
  }
}

/** Records that a job has failed, for the request that created it. */
async function recordFailure(write: JobWrite, id: number): Promise<void> {
  const job = await write.tx.job.findUniqueOrThrow({
    where: { id },
    include: { team: { select: { enterpriseId: true } } },
  });
  const { teamId, requestId, kind, status, error } = job;
  await recordOwn(write, {
    action: 'job.failed',
    enterpriseId: job.team.enterpriseId,
    requestId,
    subject: { type: 'Job', id },
    teamId,
    applicationId: applicationOfEvents(job),
    after: { kind, status, error },
  });
}
