import { Params } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import { changed } from '../../db/write/revision.ts';
import {
  isDue,
  mayRenew,
  mayStart,
  mayTakeOver,
  type WorkLease,
} from '../../drivers/region/work-protocol.ts';
import { type Besides, type Busiest, busiestOf, takeFairly } from '../../kernel/busiest.ts';
import { maxOfTeam, maxPerRegion, unfinished } from './model.ts';
import type { JobWrite } from './settle-rows.ts';

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
  const dueBesides = (besides?: Besides) => dueWork(write, regionId, lease, { components, besides, limit });
  const ids = await takeFairly(await busiestIn(write, held), limit, dueBesides);
  const due = (await tx.jobComponent.findMany({ where: { id: { in: ids } } })).filter(
    (row) =>
      isDue(leaseOf(row), row.dueAt.getTime(), nowMs, lease.latest.getTime()) &&
      mayTakeOver(leaseOf(row), nowMs) &&
      mayStart(others(row), nowMs) &&
      !isBusy(row.componentId),
  );
  const byOrder = new Map(ids.map((id, index) => [id, index]));
  due.sort((one, other) => byOrder.get(one.id)! - byOrder.get(other.id)!);
  const taken = { leaseOwner: lease.owner, leaseUntil: lease.until, dueAt: lease.until };
  const work = await claim(write, due, lease, { ...taken, status: 'running' });
  if (work.length === 0) return [];
  for (const { jobId } of work) write.announce(`job/${jobId}`);
  const first = work.filter(({ startedAt }) => startedAt === null);
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
  return work.map((row) => ({
    ...row,
    ...taken,
    status: 'running',
    attempts: row.attempts + 1,
    startedAt: row.startedAt ?? lease.now,
  }));
}

/** Takes the work that is still free. A process can renew a lease, which needs no lock, after it was read. */
async function claim(
  { tx }: JobWrite,
  due: readonly Row<'JobComponent'>[],
  { owner, now, until }: Lease,
  data: Partial<Row<'JobComponent'>>,
): Promise<readonly Row<'JobComponent'>[]> {
  if (due.length === 0) return due;
  const id = { in: due.map((row) => row.id) };
  const { count } = await tx.jobComponent.updateMany({
    where: { id, OR: [{ leaseUntil: null }, { leaseUntil: { lte: now } }] },
    data: { ...data, attempts: { increment: 1 } },
  });
  if (count === due.length) return due;
  const own = await tx.jobComponent.findMany({
    where: { id, leaseOwner: owner, leaseUntil: until },
    select: { id: true },
  });
  const ids = new Set(own.map((row) => row.id));
  return due.filter((row) => ids.has(row.id));
}

export const leaseOf = (row: Pick<Row<'JobComponent'>, 'leaseOwner' | 'leaseUntil'>): WorkLease => ({
  owner: row.leaseOwner,
  untilMs: row.leaseUntil?.getTime() ?? null,
});

/** The team of `maxOfTeam` or more calls in progress. */
async function busiestIn({ tx }: JobWrite, held: readonly { jobId: number }[]): Promise<Busiest | undefined> {
  if (held.length < maxOfTeam) return undefined;
  const ids = held.map(({ jobId }) => jobId);
  const select = { id: true, teamId: true, applicationId: true };
  const jobs = await tx.job.findMany({ where: { id: { in: ids } }, select });
  const byId = new Map(jobs.map((job) => [job.id, job]));
  return busiestOf(
    ids.flatMap((id) => byId.get(id) ?? []),
    maxOfTeam,
  );
}

/** The ids of due work, in order: at most `limit`, and none of these components. */
async function dueWork(
  { context, tx }: JobWrite,
  regionId: string,
  { now, latest }: Lease,
  {
    components,
    besides,
    limit,
  }: { components: readonly string[]; besides: Besides | undefined; limit: number },
): Promise<number[]> {
  if (limit === 0) return [];
  const params = new Params(context.db.dialect);
  const open = unfinished.map((status) => `'${status}'`).join(', ');
  // In the order of the text.
  const [regionOfSteps, region] = [params.add(regionId), params.add(regionId)];
  const due = `(c.due_at <= ${params.add(now)} OR (c.due_at > ${params.add(latest)} AND c.lease_until IS NULL))`;
  const isFree = components.map((id) => ` AND c.component_id <> ${params.add(id)}`).join('');
  const isOfOthers =
    besides === undefined
      ? ''
      : ` AND EXISTS (SELECT 1 FROM job j WHERE j.id = c.job_id AND ${ofOthers(params, besides)})`;
  const rows = (await tx.$read(
    // The steps of all jobs are looked at once. By component, each would read all others of its job.
    `SELECT c.id FROM job_component c
     JOIN (SELECT s.job_id, min(s.step) AS step FROM job_component s
       WHERE s.status IN (${open}) AND s.region_id = ${regionOfSteps} GROUP BY s.job_id) f
       ON f.job_id = c.job_id AND f.step = c.step
     WHERE c.status IN (${open}) AND c.region_id = ${region} AND ${due}${isFree}${isOfOthers}
     ORDER BY c.due_at, c.id
     LIMIT ${limit}`,
    params.values,
  )) as [number][];
  return rows.map(([id]) => id);
}

const ofOthers = (params: Params, besides: Besides): string =>
  'teamId' in besides
    ? `j.team_id <> ${params.add(besides.teamId)}`
    : `(j.application_id IS NULL OR j.application_id NOT IN (${besides.applicationIds.map((id) => params.add(id)).join(', ')}))`;

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
