import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys, insertMany } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { locked } from '../../db/write/locked.ts';
import { changed, type Expecting } from '../../db/write/revision.ts';
import { statusAfterWork } from '../../drivers/region/last-work.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { deployGate } from './gate-hooks.ts';
import { takeBackDeploys } from './gate-rows.ts';
import {
  isCancellable,
  isUnfinished,
  type JobAction,
  type JobKind,
  type JobStatus,
  unfinished,
} from './model.ts';
import { applicationOfEvents } from './reads.ts';
import { endComponents, type JobWrite, lockJobs, settleJobs } from './settle-rows.ts';

export interface JobTarget {
  component: Pick<Row<'Component'>, 'id' | 'name' | 'generation'>;
  action: JobAction;
  /** Components with a lower step are carried out first. Defaults to 0. */
  step?: number;
  /** For a removal: what the driver has to know of the component. */
  removed?: object;
  /** Whether there is nothing to change, so that the work is done already. */
  isUnchanged?: boolean;
  /** The digest of the image that is deployed, and what is worth knowing of it. */
  digest?: string | null | undefined;
  note?: string | null | undefined;
}

/** The transaction of a mutation, or of a process that found work by itself. */
export type JobInsert = Pick<Write, 'tx' | 'announce' | 'afterCommit'> & {
  context: Pick<Context, 'db' | 'drivers' | 'jobs' | 'requestId' | 'signal'> & {
    actor: { userId: number | null; serviceAccountId: string | null };
  };
};

export interface NewJob {
  kind: JobKind;
  team: Pick<Row<'Team'>, 'id'>;
  region: Pick<Row<'Region'>, 'id' | 'driver'>;
  applicationId: number | null;
  targets: readonly JobTarget[];
}

/** The end of the work on a component, and the status of that work before. */
type Course = Pick<Row<'JobComponent'>, 'state' | 'previousStatus'>;

/**
 * Adds a job to the transaction that has set the desired state of its components. The job supersedes unfinished work on
 * the components. If the driver of the region is immediate, the job succeeds at once. The change is recorded in the events
 * of the components.
 */
export async function insertJob(write: JobInsert, job: NewJob): Promise<Row<'Job'>> {
  const { context, tx } = write;
  const now = new Date();
  const isDone = context.drivers.region.get(job.region.driver)?.isImmediate ?? false;
  const isUnchanged = job.targets.length > 0 && job.targets.every((target) => target.isUnchanged);
  const status: JobStatus = isDone || isUnchanged || job.targets.length === 0 ? 'succeeded' : 'pending';
  const courses = status === 'pending' ? await takeOver(write, job, now) : undefined;
  const timesOf = (each: JobStatus) =>
    each === 'succeeded' ? { startedAt: now, endedAt: now } : { startedAt: null, endedAt: null };
  const row = await tx.job.create({
    data: {
      teamId: job.team.id,
      regionId: job.region.id,
      applicationId: job.applicationId,
      kind: job.kind,
      status,
      userId: context.actor.userId,
      serviceAccountId: context.actor.serviceAccountId,
      requestId: context.requestId,
      createdAt: now,
      outcome: isUnchanged ? 'unchanged' : 'changed',
      ...timesOf(status),
    },
  });
  await insertMany(
    write,
    'JobComponent',
    job.targets.map(({ component, action, step = 0, removed, digest = null, note = null, ...target }) => ({
      jobId: row.id,
      regionId: job.region.id,
      componentId: component.id,
      componentName: component.name,
      action,
      generation: component.generation,
      ...(courses?.get(component.id) ?? { state: 'running', previousStatus: 'unknown' }),
      step,
      status: target.isUnchanged ? 'succeeded' : status,
      outcome: target.isUnchanged ? 'unchanged' : 'changed',
      digest,
      note,
      // Due immediately, even if the clocks of processes differ.
      dueAt: new Date(0),
      removed: removed === undefined ? null : JSON.stringify(removed),
      ...timesOf(target.isUnchanged ? 'succeeded' : status),
    })),
  );
  if (status === 'pending') write.afterCommit(() => context.jobs?.wake(job.region.id));
  write.announce(`job/${row.id}`);
  return row;
}

/** Cancels a job and its unfinished work. CONFLICT if it has ended or cannot be cancelled. */
export async function setCancelled(
  write: Write<Context>,
  { id, regionId }: Row<'Job'>,
  expecting: Expecting,
): Promise<Row<'Job'>> {
  const { context, tx } = write;
  await deployGate().lock(write, [id]);
  await lockJobs(write, regionId);
  const before = await locked(write, 'Job', id, expecting);
  if (!isCancellable(before.status)) throw new ConflictError(`The job has already ${before.status}.`);
  if (!isUnfinished(before.status)) return before;
  if (before.kind === 'delete') {
    throw new ConflictError('The job removes deleted components from the cluster and cannot be cancelled.');
  }
  const now = new Date();
  const work = await tx.jobComponent.findMany({
    where: { jobId: id, status: { in: [...unfinished] } },
    select: { id: true, startedAt: true, componentId: true },
  });
  await takeBackDeploys(write, id, work);
  for (const hasStarted of [false, true]) {
    const part = work.filter(({ startedAt }) => (startedAt !== null) === hasStarted);
    await endComponents(write, part, { status: 'cancelled', error: cancelReason(hasStarted), now });
  }
  const after = await tx.job.update({
    where: { id },
    data: { status: 'cancelled', endedAt: now, ...changed },
  });
  write.recordEvent({
    subject: { type: 'Job', id },
    teamId: before.teamId,
    applicationId: applicationOfEvents(before),
    before: { status: before.status },
    after: { status: after.status },
  });
  write.afterCommit(() => context.jobs?.wake(regionId));
  write.announce(`job/${id}`);
  if (before.applicationId !== null) write.announce(`application/${before.applicationId}`);
  return after;
}

const cancelReason = (hasStarted: boolean) =>
  hasStarted ? 'Cancelled after the start.' : 'Cancelled before the start.';

/** The status of a component before its first job of a kind. */
const firstStatus: { [kind in JobKind]: string } = {
  deploy: 'undeploy',
  start: 'closed',
  stop: 'running',
  restart: 'running',
  scale: 'running',
  configure: 'running',
  upgrade: 'running',
  apply: 'undeploy',
  delete: 'running',
  reconcile: 'running',
};

/** Ends unfinished work on the components of a job. */
async function takeOver(write: JobWrite, job: NewJob, now: Date): Promise<Map<string, Course>> {
  await lockJobs(write, job.region.id);
  const ids = job.targets.map(({ component }) => component.id);
  const latest = await latestWork(write, ids);
  const superseded = [...latest.values()].filter(({ status }) => isUnfinished(status));
  await endComponents(write, superseded, { status: 'cancelled', error: 'Superseded by a newer job.', now });
  await settleJobs(write, [...new Set(superseded.map(({ jobId }) => jobId))], now);
  const components = await findByKeys(write, 'Component', 'id', ids, ['id'], {
    fields: ['id', 'deployState'],
  });
  const stateOf = new Map(components.map(({ id, deployState }) => [id, deployState]));
  return new Map(
    job.targets.map(({ component: { id }, action }) => [
      id,
      {
        state: action === 'remove' ? 'removed' : (stateOf.get(id) ?? 'removed'),
        previousStatus: statusAfter(latest.get(id)) ?? firstStatus[job.kind],
      },
    ]),
  );
}

type LatestWork = Pick<
  Row<'JobComponent'>,
  'id' | 'jobId' | 'componentId' | 'status' | 'state' | 'previousStatus'
>;

/** The status that a component has after its last work, finished or not. */
const statusAfter = (work: LatestWork | undefined): string | undefined =>
  work && statusAfterWork({ ...work, outcome: work.status });

/** The last work on each component. Only that can be unfinished. */
export async function latestWork(
  { context, tx }: JobWrite,
  ids: readonly string[],
): Promise<Map<string, LatestWork>> {
  const { dialect } = context.db;
  const keys = dialect.keyTable(dialect.placeholder(1), 'String');
  const latest = (await tx.$read(
    `SELECT max(id) FROM job_component WHERE component_id IN (SELECT key FROM ${keys}) GROUP BY component_id`,
    [dialect.encodeList(ids)],
  )) as [number][];
  const rows = await findByKeys(
    { context, tx },
    'JobComponent',
    'id',
    latest.map(([id]) => id),
    ['id'],
    { fields: ['id', 'jobId', 'componentId', 'status', 'state', 'previousStatus'] },
  );
  return new Map(rows.map((row) => [row.componentId, row]));
}
