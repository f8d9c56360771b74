import type { Context } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { WorkTable } from '../../db/work/table.ts';
import type { Write } from '../../db/write/change.ts';
import { databaseNow } from '../../db/write/database-now.ts';
import { type OwnWrite, recordOwn } from '../../db/write/own-events.ts';
import { changed } from '../../db/write/revision.ts';
import { newId } from '../../kernel/new-id.ts';
import { wakeWorkOf } from '../job/gate-rows.ts';
import { type JobWrite, lockJobs } from '../job/settle-rows.ts';
import { canBecome, isOver, maxKept, type RunStatus } from './model.ts';

type Run = Row<'ComponentRun'>;
type Owner = Pick<Row<'Component'>, 'teamId' | 'applicationId'>;

const eventOf = ({ teamId, applicationId }: Owner, { id, componentId }: Pick<Run, 'id' | 'componentId'>) => ({
  subject: { type: 'ComponentRun', id } as const,
  teamId,
  applicationId,
  componentId,
});

type Named = { name: string } | null;

/** With the name of the schedule that started the run, by which the record puts such runs together. */
const eventFieldsOf = (
  { command, timeoutSeconds, status, exitCode, reason }: Run,
  schedule: Named = null,
) => ({
  command: JSON.parse(command) as string[],
  timeoutSeconds,
  status,
  exitCode,
  reason,
  schedule: schedule?.name,
});

/** A run that the worker gives to the cluster. */
const newRun = <T extends object>(
  { componentId, regionId }: Pick<Run, 'componentId' | 'regionId'>,
  order: Pick<Run, 'command' | 'timeoutSeconds' | 'requestId'> & T,
  { createdAt, dueAt }: Pick<Run, 'createdAt'> & { dueAt: Date },
) => ({
  id: newId(),
  componentId,
  regionId,
  ...order,
  status: 'pending' satisfies RunStatus,
  createdAt,
  dueAt,
});

/** Adds a run that a caller starts. */
export async function insertRun(
  write: Write<Context>,
  component: Row<'Component'>,
  { command, timeoutSeconds }: { command: readonly string[]; timeoutSeconds: number },
): Promise<Run> {
  const { tx, recordEvent, announce, context } = write;
  const { userId, serviceAccountId } = context.actor;
  const { id: componentId, regionId } = component;
  const { requestId } = context;
  const order = { command: JSON.stringify(command), timeoutSeconds, requestId, userId, serviceAccountId };
  const times = { createdAt: new Date(), dueAt: await databaseNow(write) };
  const run = await tx.componentRun.create({ data: newRun({ componentId, regionId }, order, times) });
  recordEvent({ ...eventOf(component, run), after: eventFieldsOf(run) });
  announce(`application/${component.applicationId}`);
  return run;
}

/** Adds the run of the command before a deploy, for the one who has started the job. */
export async function insertDeployRun(
  write: OwnWrite,
  component: ScheduledOwner & Pick<Row<'Component'>, 'id'>,
  { id: jobId, userId, serviceAccountId, requestId }: Row<'Job'>,
  { command, timeoutSeconds }: Pick<Run, 'command' | 'timeoutSeconds'>,
): Promise<Run> {
  const { id: componentId, enterpriseId, regionId } = component;
  const order = { command, timeoutSeconds, requestId, userId, serviceAccountId, jobId };
  const now = await databaseNow(write);
  const data = newRun({ componentId, regionId }, order, { createdAt: now, dueAt: now });
  const run = await write.tx.componentRun.create({ data });
  const event = { ...eventOf(component, run), after: eventFieldsOf(run) };
  await recordOwn(write, { action: 'run.start', enterpriseId, requestId, ...event });
  write.announce(`application/${component.applicationId}`);
  return run;
}

/** Has runs looked at whose deploys have ended without them, which ends the runs. */
export const lookAtDeployRuns = async (write: JobWrite, ids: readonly string[]): Promise<void> => {
  const where = { id: { in: [...ids] }, dueAt: { not: null } };
  // The outcome of a call in progress no longer counts.
  const data = { dueAt: await databaseNow(write), owner: null };
  await write.tx.componentRun.updateMany({ where, data });
};

/** A component whose schedule starts and cancels runs, with its enterprise. */
type ScheduledOwner = Pick<Row<'Component'>, 'teamId' | 'applicationId' | 'regionId'> & {
  enterpriseId: string;
};

export async function insertScheduledRun(
  write: OwnWrite,
  component: ScheduledOwner,
  schedule: Row<'Schedule'>,
  { createdAt, requestId }: { createdAt: Date; requestId: string },
): Promise<void> {
  const { enterpriseId, regionId } = component;
  const { id: scheduleId, componentId, command, timeoutSeconds } = schedule;
  const order = { command, timeoutSeconds, requestId, scheduleId };
  const data = newRun({ componentId, regionId }, order, { createdAt, dueAt: createdAt });
  const run = await write.tx.componentRun.create({ data });
  const event = { ...eventOf(component, run), after: eventFieldsOf(run, schedule) };
  await recordOwn(write, { action: 'run.start', enterpriseId, requestId, ...event });
  write.announce(`application/${component.applicationId}`);
}

async function cancel(write: Write | OwnWrite, before: Run) {
  const after = await write.tx.componentRun.update({
    where: { id: before.id },
    // The outcome of a call in progress no longer counts.
    data: {
      status: 'cancelling' satisfies RunStatus,
      reason: null,
      dueAt: await databaseNow(write),
      owner: null,
      ...changed,
    },
  });
  return { after, changes: { before: { status: before.status }, after: { status: after.status } } };
}

/** Notes that a run is to be ended, which the worker does at once. */
export async function setCancelling(write: Write, component: Owner, before: Run): Promise<Run> {
  const { recordEvent, announce } = write;
  const { after, changes } = await cancel(write, before);
  recordEvent({ ...eventOf(component, before), ...changes });
  announce(`application/${component.applicationId}`);
  return after;
}

/** Cancels a run that another one of its schedule replaces. */
export async function setReplaced(
  write: OwnWrite,
  component: ScheduledOwner,
  before: Run,
  { schedule, requestId }: { schedule: Row<'Schedule'>; requestId: string },
): Promise<void> {
  const { changes } = await cancel(write, before);
  const { enterpriseId } = component;
  await recordOwn(write, {
    action: 'run.cancel',
    enterpriseId,
    requestId,
    ...eventOf(component, before),
    before: changes.before,
    after: { ...changes.after, schedule: schedule.name },
  });
  write.announce(`application/${component.applicationId}`);
}

/** The runs that are not over, in the order in which they are looked at. */
export const runWork = new WorkTable('ComponentRun', { due: 'dueAt', owner: 'owner', path: ['component'] });

export type RunOutcome = Partial<Pick<Run, 'exitCode' | 'reason' | 'placedAt' | 'startedAt' | 'endedAt'>> & {
  status: RunStatus;
  dueAt: Date | null;
  /** The lines of its log to save. They replace those that were saved before. */
  sealedLines?: string | undefined;
};

/**
 * Stores the outcome of a look at a run. Returns whether it counts: not if another process has taken the run over, or if it was
 * cancelled or deleted meanwhile.
 */
export async function settleRun(
  write: OwnWrite,
  { id, owner }: { id: string; owner: string },
  { sealedLines, ...outcome }: RunOutcome,
): Promise<boolean> {
  const { tx, announce } = write;
  const before = await tx.componentRun.findUnique({
    where: { id },
    include: {
      component: { select: { teamId: true, applicationId: true, team: { select: { enterpriseId: true } } } },
      schedule: { select: { name: true } },
    },
  });
  if (before?.owner !== owner || !canBecome(before.status, outcome.status)) return false;
  const isDeploy = before.jobId !== null;
  // Jobs are locked before runs.
  if (isDeploy) await lockJobs(write, before.regionId);
  const isChanged = (['status', 'reason', 'startedAt', 'endedAt', 'exitCode'] as const).some(
    (field) => outcome[field] !== undefined && String(outcome[field]) !== String(before[field]),
  );
  if (!(await runWork.settle(tx, id, owner, { ...outcome, ...(isChanged && changed) }))) return false;
  if (sealedLines !== undefined) {
    await tx.runLog.upsert({ where: { id }, create: { id, sealedLines }, update: { sealedLines } });
  }
  const { component, schedule, ...run } = before;
  if (isChanged) announce(`application/${component.applicationId}`);
  if (isDeploy && isOver(outcome.status)) await wakeWorkOf(write, id);
  const isCancelled = outcome.status === 'cancelling' && before.status !== 'cancelling';
  if (!isCancelled && (!isOver(outcome.status) || outcome.status === 'cancelled')) return true;
  await recordOwn(write, {
    action: isCancelled ? 'run.cancel' : outcome.status === 'succeeded' ? 'run.succeeded' : 'run.failed',
    enterpriseId: component.team.enterpriseId,
    requestId: run.requestId,
    ...eventOf(component, run),
    after: eventFieldsOf({ ...run, ...outcome }, schedule),
  });
  return true;
}

/** The runs of a component that are over, beyond those that stay. */
export const surplusRuns = (tx: Pick<Transaction, 'componentRun'>, componentId: string): Promise<Run[]> =>
  tx.componentRun.findMany({
    where: { componentId, dueAt: null },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    skip: maxKept,
    take: 10,
  });

/** Deletes runs that are over and no longer in the cluster. Not recorded, because only time has passed. */
export const deleteRuns = (tx: Transaction, ids: readonly string[]): Promise<unknown> =>
  tx.componentRun.deleteMany({ where: { id: { in: [...ids] }, dueAt: null } });
