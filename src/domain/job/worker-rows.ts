import { Params } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import { changed } from '../../db/write/revision.ts';
import {
  mayRenew,
  maySettle,
  mayStart,
  mayTakeOver,
  type WorkLease,
} from '../../drivers/region/work-protocol.ts';
import { groupBy } from '../../kernel/group.ts';
import { recordCrash } from './crash-rows.ts';
import { isUnfinished, maxOfTeam, maxPerRegion, unfinished } from './model.ts';
import { endComponents, type JobWrite, settleJobs } from './settle-rows.ts';

/** The process that holds work, and until when, unless it renews the lease. */
export interface Lease {
  owner: string;
  /** From when the lease counts, by the monotonic clock of the process. */
  heldFromMs: number;
  now: Date;
  until: Date;
  /** Later than anything waits for: what is due after this was written before the clock was set back. */
  latest: Date;
}

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
 * Takes due work of a region, up to the limit of the region: components whose earlier steps have ended and for which no
 * call is in progress. `isBusy` excludes components for which this process still has a call in progress. The jobs of the
 * region must be locked.
 */
export async function takeWork(
  write: JobWrite,
  regionId: string,
  lease: Lease,
  isBusy: (componentId: string) => boolean,
): Promise<Row<'JobComponent'>[]> {
  const { tx } = write;
  const leased = await tx.jobComponent.findMany({
    where: { regionId, leaseUntil: { not: null } },
    select: { id: true, jobId: true, componentId: true, leaseOwner: true, leaseUntil: true },
  });
  const nowMs = lease.now.getTime();
  const others = (row: { id: number; componentId: string }) =>
    leased.filter(({ id, componentId }) => componentId === row.componentId && id !== row.id).map(leaseOf);
  const held = leased.filter((row) => !mayTakeOver(leaseOf(row), nowMs));
  const limit = Math.max(0, maxPerRegion - held.length);
  // Nothing can start of these components at present, so that they do not take the places of others.
  const components = [...new Set(held.map(({ componentId }) => componentId))];
  const dueBesides = (teamId?: string) => dueWork(write, regionId, lease, { components, teamId, limit });
  const teamId = await teamWithMost(write, held);
  const ofOthers = teamId === undefined ? [] : await dueBesides(teamId);
  const all = ofOthers.length === limit ? ofOthers : [...new Set([...ofOthers, ...(await dueBesides())])];
  const ids = all.slice(0, limit);
  const due = (await tx.jobComponent.findMany({ where: { id: { in: ids } } })).filter(
    (row) => mayTakeOver(leaseOf(row), nowMs) && mayStart(others(row), nowMs) && !isBusy(row.componentId),
  );
  if (due.length === 0) return [];
  for (const { jobId } of due) write.announce(`job/${jobId}`);
  const byOrder = new Map(ids.map((id, index) => [id, index]));
  due.sort((one, other) => byOrder.get(one.id)! - byOrder.get(other.id)!);
  const first = due.filter(({ startedAt }) => startedAt === null);
  const taken = { leaseOwner: lease.owner, leaseUntil: lease.until, dueAt: lease.until };
  await tx.jobComponent.updateMany({
    where: { id: { in: due.map(({ id }) => id) } },
    data: { status: 'running', attempts: { increment: 1 }, ...taken },
  });
  if (first.length > 0) {
    await tx.jobComponent.updateMany({
      where: { id: { in: first.map(({ id }) => id) } },
      data: { startedAt: lease.now },
    });
    await tx.job.updateMany({
      where: { id: { in: [...new Set(first.map(({ jobId }) => jobId))] }, status: 'pending' },
      data: { status: 'running', startedAt: lease.now, ...changed },
    });
  }
  return due.map((row) => ({
    ...row,
    ...taken,
    status: 'running',
    attempts: row.attempts + 1,
    startedAt: row.startedAt ?? lease.now,
  }));
}

const leaseOf = (row: Pick<Row<'JobComponent'>, 'leaseOwner' | 'leaseUntil'>): WorkLease => ({
  owner: row.leaseOwner,
  untilMs: row.leaseUntil?.getTime() ?? null,
});

/** The team of `maxOfTeam` or more calls in progress. */
async function teamWithMost(
  { tx }: JobWrite,
  held: readonly { jobId: number }[],
): Promise<string | undefined> {
  if (held.length < maxOfTeam) return undefined;
  const ids = held.map(({ jobId }) => jobId);
  const jobs = await tx.job.findMany({ where: { id: { in: ids } }, select: { id: true, teamId: true } });
  const teams = new Map(jobs.map(({ id, teamId }) => [id, teamId]));
  const byTeam = groupBy(ids, (id) => teams.get(id)!);
  return [...byTeam].find(([, ofTeam]) => ofTeam.length >= maxOfTeam)?.[0];
}

/** The ids of due work, in order: at most `limit`, and none of these components or of this team. */
async function dueWork(
  { context, tx }: JobWrite,
  regionId: string,
  { now, latest }: Lease,
  without: { components: readonly string[]; teamId: string | undefined; limit: number },
): Promise<number[]> {
  if (without.limit === 0) return [];
  const params = new Params(context.db.dialect);
  const open = unfinished.map((status) => `'${status}'`).join(', ');
  const region = params.add(regionId);
  const due = `(c.due_at <= ${params.add(now)} OR (c.due_at > ${params.add(latest)} AND c.lease_until IS NULL))`;
  const isFree = without.components.map((id) => ` AND c.component_id <> ${params.add(id)}`).join('');
  const isOfOthers =
    without.teamId === undefined
      ? ''
      : ` AND EXISTS (SELECT 1 FROM job j WHERE j.id = c.job_id AND j.team_id <> ${params.add(without.teamId)})`;
  const rows = (await tx.$read(
    `SELECT c.id FROM job_component c
     WHERE c.status IN (${open}) AND c.region_id = ${region} AND ${due}${isFree}${isOfOthers}
       AND NOT EXISTS (SELECT 1 FROM job_component s
         WHERE s.job_id = c.job_id AND s.step < c.step AND s.status IN (${open}))
     ORDER BY c.due_at, c.id
     LIMIT ${without.limit}`,
    params.values,
  )) as [number][];
  return rows.map(([id]) => id);
}

/** Extends leases. Returns the work that is still held: not taken over by another process, and not cancelled. */
export async function renewWork(
  { tx }: Pick<JobWrite, 'tx'>,
  ids: readonly number[],
  lease: Lease,
): Promise<Set<number>> {
  const rows = await tx.jobComponent.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, status: true, leaseOwner: true, leaseUntil: true },
  });
  const renewable = rows.filter((row) => mayRenew(leaseOf(row), row.status === 'running', lease.owner));
  const own = { id: { in: renewable.map(({ id }) => id) }, leaseOwner: lease.owner, status: 'running' };
  const { count } = await tx.jobComponent.updateMany({
    where: own,
    data: { leaseUntil: lease.until, dueAt: lease.until },
  });
  if (count === renewable.length) return new Set(own.id.in);
  // Another process or a user was faster.
  const held = await tx.jobComponent.findMany({ where: own, select: { id: true } });
  return new Set(held.map(({ id }) => id));
}

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
    await tx.jobComponent.update({
      where: { id: work.id },
      data: { ...data, leaseOwner: null, leaseUntil: null },
      select: { id: true },
    });
    if (data.endedAt) ended.push(work.jobId);
    if (data.status !== 'failed') continue;
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
    select: { id: true },
  });
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
