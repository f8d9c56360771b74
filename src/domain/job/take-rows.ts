import { Params } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import { type Besides, busiestIn, takeFairly } from '../../db/work/fair.ts';
import type { Lease } from '../../db/work/leases.ts';
import { isDue, mayRenew, mayStart, mayTakeOver, type WorkLease } from '../../db/work/protocol.ts';
import { WorkTable } from '../../db/work/table.ts';
import { changed } from '../../db/write/revision.ts';
import { maxOfTeam, maxPerRegion, unfinished } from './model.ts';
import type { JobWrite } from './settle-rows.ts';

export const jobWork = new WorkTable('JobComponent', {
  due: 'dueAt',
  owner: 'leaseOwner',
  until: 'leaseUntil',
  path: ['job'],
});

/**
 * Takes due work of a region, up to the limit of the region: components whose earlier steps have ended and for which no
 * call is in progress. `isBusy` excludes components for which this process still has a call in progress. `endedIds` is the work
 * whose calls have just ended, which counts as in progress for whose turn it is: fast calls end together. The jobs of the region
 * must be locked.
 */
export async function takeWork(
  write: JobWrite,
  regionId: string,
  lease: Lease,
  isBusy: (componentId: string) => boolean,
  endedIds: readonly number[] = [],
): Promise<Row<'JobComponent'>[]> {
  const { tx } = write;
  const leased = await tx.jobComponent.findMany({
    where: { regionId, leaseUntil: { not: null } },
    select: { id: true, componentId: true, leaseOwner: true, leaseUntil: true },
  });
  const nowMs = lease.now.getTime();
  const others = (row: { id: number; componentId: string }) =>
    leased.filter(({ id, componentId }) => componentId === row.componentId && id !== row.id).map(leaseOf);
  const held = leased.filter((row) => !mayTakeOver(leaseOf(row), nowMs));
  const limit = Math.max(0, maxPerRegion - held.length);
  // Nothing can start of these components at present, so that they do not take the places of others.
  const components = [...new Set(held.map(({ componentId }) => componentId))];
  const dueBesides = (besides?: Besides) => dueWork(write, regionId, lease, { components, besides, limit });
  const inProgress = new Set([...held.map(({ id }) => id), ...endedIds]);
  const busiest = await busiestIn(tx, jobWork, [...inProgress], maxOfTeam);
  const ids = await takeFairly(busiest, limit, dueBesides);
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
  const claimed = await jobWork.claim(
    write,
    due.map(({ id }) => id),
    lease,
    { data: { status: 'running', attempts: { increment: 1 } } },
  );
  const work = due.filter(({ id }) => claimed.has(id));
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

export const leaseOf = (row: Pick<Row<'JobComponent'>, 'leaseOwner' | 'leaseUntil'>): WorkLease => ({
  owner: row.leaseOwner,
  untilMs: row.leaseUntil?.getTime() ?? null,
});

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

function ofOthers(params: Params, besides: Besides): string {
  const list = (ids: readonly (string | number)[]) => ids.map((id) => params.add(id)).join(', ');
  return 'teamIds' in besides
    ? `j.team_id NOT IN (${list(besides.teamIds)})`
    : `(j.application_id IS NULL OR j.application_id NOT IN (${list(besides.applicationIds)}))`;
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
  const renewed = renewable.map(({ id }) => id);
  return jobWork.renew(tx, renewed, lease, { status: 'running' });
}
