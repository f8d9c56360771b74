import type { Row } from '../../db/tables.ts';
import { updateMany } from '../../db/write/bulk.ts';
import { deployGate } from './gate-hooks.ts';
import { type JobStatus, unfinished } from './model.ts';
import type { JobWrite } from './settle-rows.ts';

/** Takes back deploys that still waited for their command. Such work leaves the components as they were. */
export async function takeBackDeploys(
  write: JobWrite,
  jobId: number,
  work: readonly Pick<Row<'JobComponent'>, 'id' | 'componentId'>[],
): Promise<void> {
  if (work.length === 0) return;
  const ids = work.map(({ componentId }) => componentId);
  const taken = new Set(await deployGate().takeBack(write, jobId, ids));
  await updateMany(
    write,
    'JobComponent',
    work
      .filter(({ componentId }) => taken.has(componentId))
      .map(({ id }) => ({ id, data: { state: 'kept' } })),
  );
}

/** Notes the run that work waits for. Returns whether it still is the work of the process that has taken it. The jobs are locked. */
export async function setRunOfWork(
  { tx }: JobWrite,
  { id, leaseOwner }: Pick<Row<'JobComponent'>, 'id' | 'leaseOwner'>,
  runId: string | null,
): Promise<boolean> {
  const where = { id, leaseOwner, status: 'running' satisfies JobStatus };
  const { count } = await tx.jobComponent.updateMany({ where, data: { runId } });
  return count > 0;
}

/** Has work looked at that has waited for a run. The jobs are locked. */
export const wakeWorkOf = ({ tx }: JobWrite, runId: string): Promise<unknown> =>
  tx.jobComponent.updateMany({
    where: { runId, status: { in: [...unfinished] }, leaseUntil: null },
    data: { dueAt: new Date(0) },
  });
