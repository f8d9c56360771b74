import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';
import { type Bulk, deleteByIds, findByKeys, insertMany } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { recordOwn } from '../../../db/write/own-events.ts';
import { changed } from '../../../db/write/revision.ts';
import type { JobWrite } from '../../job/settle-rows.ts';
import { componentHooks } from '../hooks.ts';
import { isDeployed, wasDeployed } from '../state-model.ts';
import { deploymentRow, type NewDeployment } from './deployment-rows.ts';

// A deploy is pending while the command before it has not succeeded: the component stays deployed with what it was deployed with
// before, which whatever else works on it applies.

const fields = ['id', 'runId', 'stateBefore', 'command', 'timeoutSeconds'] as const;
type Pending = Pick<Row<'PendingDeploy'>, (typeof fields)[number]>;

/** The pending deploys among components, by the ids of these. */
export async function pendingAmong(write: Bulk, ids: readonly string[]): Promise<Map<string, Pending>> {
  const rows = await findByKeys(write, 'PendingDeploy', 'id', ids, ['id'], { fields: [...fields] });
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Takes back the pending deploys that the targets of a new job replace, and stores those of components with a command. Returns the
 * deployments that do not wait for one.
 */
export async function setPending(
  write: Write<Context>,
  {
    before,
    kept,
    targets,
    deployments,
    hasRuns,
  }: {
    before: ReadonlyMap<string, Pending>;
    /** The ids of the components that were deployed before. */
    kept: ReadonlySet<string>;
    targets: readonly { component: Row<'Component'>; action: string; stateBefore?: string }[];
    deployments: readonly NewDeployment[];
    /** Whether the region can run commands. */
    hasRuns: boolean;
  },
): Promise<NewDeployment[]> {
  const replaced = targets.filter(({ component, action }) => action === 'deploy' || !isDeployed(component));
  await deletePending(
    write,
    replaced.flatMap(({ component }) => before.get(component.id) ?? []),
  );
  const states = new Map(targets.map(({ component, stateBefore }) => [component.id, stateBefore]));
  const stateBefore = (id: string) =>
    before.get(id)?.stateBefore ?? states.get(id) ?? (kept.has(id) ? 'running' : 'undeploy');
  const deploys = new Set(replaced.map(({ component }) => component.id));
  const isPending = ({ component }: NewDeployment) =>
    hasRuns && component.preDeployCommand !== null && deploys.has(component.id);
  const deployedAt = new Date();
  await insertMany(
    write,
    'PendingDeploy',
    deployments.filter(isPending).map((each) => ({
      ...deploymentRow(each, deployedAt),
      stateBefore: stateBefore(each.component.id),
      command: each.component.preDeployCommand!,
      timeoutSeconds: each.component.preDeployTimeoutSeconds,
    })),
  );
  return deployments.filter((each) => !isPending(each));
}

/** Deletes pending deploys, and has the runs of their commands ended. */
async function deletePending(write: JobWrite, rows: readonly Pending[]): Promise<void> {
  if (rows.length === 0) return;
  await deleteByIds(write, 'PendingDeploy', rows);
  const runIds = rows.flatMap(({ runId }) => runId ?? []);
  for (const { deployEnded } of componentHooks) await deployEnded?.(write, runIds);
}

/** Deploys a component with what has waited for its command. The component is locked. */
export async function deployPending(write: JobWrite, id: string): Promise<void> {
  const [row] = await findByKeys(write, 'PendingDeploy', 'id', [id], ['id']);
  if (!row) return;
  const { runId, stateBefore, command, timeoutSeconds, ...deployment } = row;
  await deleteByIds(write, 'Deployment', [row]);
  await insertMany(write, 'Deployment', [deployment]);
  await deleteByIds(write, 'PendingDeploy', [row]);
}

/**
 * Takes back pending deploys of components that are locked: these have the state that they had before, and what was not deployed
 * is an undeployed change of them. Returns their ids.
 */
export async function undoPending(
  write: JobWrite,
  { requestId }: Pick<Row<'Job'>, 'requestId'>,
  ids: readonly string[],
): Promise<string[]> {
  const pending = await pendingAmong(write, ids);
  await deletePending(write, [...pending.values()]);
  for (const { id, stateBefore } of pending.values()) {
    const { name, teamId, applicationId, team } = await write.tx.component.update({
      where: { id },
      data: {
        deployState: stateBefore,
        hasUndeployedChanges: wasDeployed({ deployState: stateBefore }),
        generation: { increment: 1 },
        updatedAt: new Date(),
        ...changed,
      },
      include: { team: { select: { enterpriseId: true } } },
    });
    await recordOwn(write, {
      action: 'component.deploy_stopped',
      enterpriseId: team.enterpriseId,
      requestId,
      subject: { type: 'Component', id },
      teamId,
      applicationId,
      before: { name, deployState: 'running' },
      after: { name, deployState: stateBefore },
    });
    write.announce(`application/${applicationId}`);
  }
  return [...pending.keys()];
}

/** Notes the run of the command that a pending deploy waits for. */
export const setPendingRun = (tx: Transaction, id: string, runId: string): Promise<unknown> =>
  tx.pendingDeploy.update({ where: { id }, data: { runId } });
