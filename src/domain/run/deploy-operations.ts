import type { Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { lockRows } from '../../db/write/locks.ts';
import type { OwnWrite } from '../../db/write/own-events.ts';
import { deployPending, pendingAmong, setPendingRun, undoPending } from '../component/deploy/pending-rows.ts';
import type { ComponentHooks } from '../component/hooks.ts';
import { withComponentLocked } from '../component/timing/fire-operations.ts';
import type { DeployGate, Passage } from '../job/gate-hooks.ts';
import { setRunOfWork } from '../job/gate-rows.ts';
import { unfinished } from '../job/model.ts';
import { lockJobs } from '../job/settle-rows.ts';
import { isOver } from './model.ts';
import { insertDeployRun, lookAtDeployRuns } from './rows.ts';

type Run = Row<'ComponentRun'>;
type Work = Row<'JobComponent'>;

const open = (since: Date | null = null): Passage => ({ kind: 'open', since });

/** The command before a deploy is a run, which the job of the deploy starts once and waits for. */
export const runsBeforeDeploys: DeployGate = {
  async pass(services, work) {
    const [pending] = await services.db.pendingDeploy.findManyByKeys({
      by: 'id',
      keys: [work.componentId],
      fields: ['id'],
    });
    if (!pending) return work.runId === null ? open() : open(await endOf(services, work.runId));
    const passage = await withComponentLocked(services, work.componentId, async (write) => {
      await lockJobs(write, work.regionId);
      return passLocked(write, work);
    });
    services.runs?.wake();
    return passage;
  },
  async lock(write, jobIds) {
    if (jobIds.length === 0) return;
    const work = await write.tx.jobComponent.findMany({
      where: { jobId: { in: [...jobIds] }, status: { in: [...unfinished] } },
      select: { componentId: true },
    });
    const pending = await pendingAmong(
      write,
      work.map(({ componentId }) => componentId),
    );
    await lockRows(write, 'Component', ...pending.keys());
  },
  async takeBack(write, jobId, componentIds) {
    const pending = await pendingAmong(write, componentIds);
    if (pending.size === 0) return [];
    const job = await write.tx.job.findUniqueOrThrow({ where: { id: jobId }, select: { requestId: true } });
    return undoPending(write, job, [...pending.keys()]);
  },
};

export const deploysOfRuns: ComponentHooks = {
  deployEnded: (write, runIds) => lookAtDeployRuns(write, runIds),
};

async function endOf({ db }: Services, runId: string): Promise<Date | null> {
  const [run] = await db.componentRun.findManyByKeys({ by: 'id', keys: [runId], fields: ['endedAt'] });
  return run?.endedAt ?? null;
}

async function passLocked(write: OwnWrite, work: Work): Promise<Passage> {
  const { tx } = write;
  const pending = (await pendingAmong(write, [work.componentId])).get(work.componentId);
  const isHeld = await setRunOfWork(write, work, pending?.runId ?? work.runId);
  if (!isHeld) return { kind: 'waits', reason: 'Another gateway has taken over the work.' };
  if (!pending) return open();
  if (pending.runId === null) return startRun(write, work, pending);
  const run = await tx.componentRun.findUnique({ where: { id: pending.runId } });
  if (run && !isOver(run.status)) return waiting;
  if (run?.status !== 'succeeded')
    return { kind: 'stopped', error: `${failureOf(run)} Nothing was deployed.` };
  await deployPending(write, work.componentId);
  return open(run.endedAt);
}

const waiting: Passage = { kind: 'waits', reason: 'The command before the deploy has not ended.' };

/** Starts the command, after those of deploys that this one has replaced. */
async function startRun(
  write: OwnWrite,
  work: Work,
  { command, timeoutSeconds }: Pick<Run, 'command' | 'timeoutSeconds'>,
): Promise<Passage> {
  const { tx } = write;
  const { componentId, jobId } = work;
  const where = { componentId, jobId: { not: null }, dueAt: { not: null } };
  const earlier = await tx.componentRun.findFirst({ where, select: { id: true } });
  if (earlier) return { kind: 'waits', reason: 'The command before an earlier deploy has not ended.' };
  const job = await tx.job.findUniqueOrThrow({
    where: { id: jobId },
    include: { team: { select: { enterpriseId: true } } },
  });
  const component = await tx.component.findUniqueOrThrow({ where: { id: componentId } });
  const order = { command, timeoutSeconds };
  const run = await insertDeployRun(write, { ...component, ...job.team }, job, order);
  await setPendingRun(tx, componentId, run.id);
  await setRunOfWork(write, work, run.id);
  return waiting;
}

function failureOf(run: Run | null): string {
  const subject = 'The command before the deploy';
  if (!run) return 'The run of the command before the deploy was deleted.';
  const see = 'See the log of its run.';
  if (run.status === 'timed_out') return `${subject} took longer than ${run.timeoutSeconds} s. ${see}`;
  if (run.status === 'cancelled') return `${subject} was cancelled. ${see}`;
  const how = run.exitCode === null ? 'has failed' : `has failed with the exit code ${run.exitCode}`;
  return `${subject} ${how}${run.reason === null ? '.' : `: ${run.reason}`} ${see}`;
}
