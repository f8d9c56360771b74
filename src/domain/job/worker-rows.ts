import type { Row } from '../../db/tables.ts';
import type { Lease } from '../../db/work/leases.ts';
import { maySettle } from '../../db/work/protocol.ts';
import { changed } from '../../db/write/revision.ts';
import { recordCrash } from './crash-rows.ts';
import { takeBackDeploys } from './gate-rows.ts';
import { isUnfinished, unfinished } from './model.ts';
import { endComponents, type JobWrite, settleJobs } from './settle-rows.ts';
import { jobWork, leaseOf } from './take-rows.ts';

/** The outcome of a call to a driver. */
export type Outcome =
  | { kind: 'done' }
  /** The work goes on in the cluster, and the driver is called again. `reason` is what it waits for, if something is wrong. */
  | { kind: 'progress'; waitMs: number; reason: string | null }
  /** The call is repeated and counts toward the maximum number of attempts. */
  | { kind: 'retry'; waitMs: number; error: string }
  /** The call is repeated and does not count, because nothing was wrong with the work. */
  | { kind: 'handBack'; waitMs: number }
  | { kind: 'failed'; error: string; hasCrashed?: boolean }
  /** The component was deleted in the meantime. */
  | { kind: 'obsolete' };

/**
 * Writes the outcomes of calls and releases their leases. Work that another process has taken over is not changed, and
 * cancelled work stays cancelled. If a component fails, the components of later steps are cancelled, except in removals. The
 * jobs of the region must be locked.
 */
export async function writeOutcomes(
  write: JobWrite,
  outcomes: readonly { work: Row<'JobComponent'>; outcome: Outcome }[],
  lease: Pick<Lease, 'owner' | 'now'>,
): Promise<void> {
  const { tx } = write;
  const rows = await tx.jobComponent.findMany({
    where: { id: { in: outcomes.map(({ work }) => work.id) } },
    select: { id: true, status: true, leaseOwner: true, leaseUntil: true },
  });
  const held = rows.filter((row) => maySettle(leaseOf(row), lease.owner));
  const statusOf = new Map(held.map(({ id, status }) => [id, status]));
  const ended: number[] = [];
  for (const { work, outcome } of outcomes) {
    const status = statusOf.get(work.id);
    if (status === undefined) continue;
    write.announce(`job/${work.jobId}`);
    const data = isUnfinished(status) ? columnsAfter(work, outcome, lease.now) : {};
    await jobWork.settle(tx, work.id, lease.owner, data);
    if (data.endedAt) ended.push(work.jobId);
    if (data.status !== 'failed') continue;
    await takeBackDeploys(write, work.jobId, [work]);
    await endAfterFailure(write, work, data.error!, lease.now);
    if (outcome.kind === 'failed' && outcome.hasCrashed) await recordCrashOf(write, work, outcome.error);
  }
  await settleJobs(write, [...new Set(ended)], lease.now);
}

async function recordCrashOf(
  write: JobWrite,
  { jobId, componentId }: Row<'JobComponent'>,
  reason: string,
): Promise<void> {
  const { requestId } = await write.tx.job.findUniqueOrThrow({ where: { id: jobId } });
  await recordCrash(write, { componentId, reason, requestId });
}

function columnsAfter(
  work: Row<'JobComponent'>,
  outcome: Outcome,
  now: Date,
): Partial<Pick<Row<'JobComponent'>, 'status' | 'attempts' | 'dueAt' | 'error' | 'endedAt'>> {
  const later = (waitMs: number) => new Date(now.getTime() + waitMs);
  switch (outcome.kind) {
    case 'done':
      return { status: 'succeeded', error: null, endedAt: now };
    case 'progress':
      return { attempts: 0, error: outcome.reason, dueAt: later(outcome.waitMs) };
    case 'retry':
      return { error: outcome.error, dueAt: later(outcome.waitMs) };
    case 'handBack':
      return { attempts: work.attempts - 1, dueAt: later(outcome.waitMs) };
    case 'failed':
      return { status: 'failed', error: outcome.error, endedAt: now };
    case 'obsolete':
      return { status: 'cancelled', error: 'The component was deleted.', endedAt: now };
  }
}

async function endAfterFailure(
  write: JobWrite,
  work: Row<'JobComponent'>,
  error: string,
  now: Date,
): Promise<void> {
  const { tx } = write;
  await tx.job.updateMany({
    where: { id: work.jobId, error: null },
    data: { error: `${work.componentName}: ${error}`, ...changed },
  });
  // A removal continues even if some of its components fail.
  if (work.action === 'remove') return;
  const later = await tx.jobComponent.findMany({
    where: { jobId: work.jobId, step: { gt: work.step }, status: { in: [...unfinished] } },
    select: { id: true, componentId: true },
  });
  await takeBackDeploys(write, work.jobId, later);
  await endComponents(write, later, {
    status: 'cancelled',
    error: `Not started, because ${work.componentName} failed.`,
    now,
  });
}

/** Announces the applications of jobs as well, whose components have another status with them. */
export async function announceApplications(
  { tx, announce }: JobWrite,
  jobIds: readonly number[],
): Promise<void> {
  if (jobIds.length === 0) return;
  const jobs = await tx.job.findMany({
    where: { id: { in: [...jobIds] }, applicationId: { not: null } },
    select: { applicationId: true },
    distinct: ['applicationId'],
  });
  for (const { applicationId } of jobs) announce(`application/${applicationId!}`);
}
