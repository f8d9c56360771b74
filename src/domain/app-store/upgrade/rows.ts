import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { mapInSlices, yieldToLoop } from '../../../kernel/event-loop.ts';
import { closeLarge } from '../../../kernel/seal-large.ts';
import { fold } from '../../../kernel/validate.ts';
import { insertDependencies, removeDependencies } from '../../component/dependencies/many-rows.ts';
import { recordUpgradeJob } from '../../component/deploy/apply-rows.ts';
import { setGroup } from '../../component/group-rows.ts';
import { isDeployed, nextDeployState } from '../../component/model.ts';
import { requireFreeClaims } from '../../component/names/reads.ts';
import { moveServiceNames, setComponents } from '../../component/rows.ts';
import { requireConfigurationFits } from '../../component/size/rows.ts';
import { insertVariables, removeVariables, setVariables } from '../../component/variables/many-rows.ts';
import { insertVolumes, setVolumes } from '../../component/volumes/many-rows.ts';
import { unpublishAll } from '../../gateway-rule/many-rows.ts';
import { countRenaming, setPorts } from '../../port/rows.ts';
import { createComponents, type GroupWrite } from '../install/component-rows.ts';
import { type ComponentMerge, columnsOf, isEmpty } from '../merge/component.ts';
import type { Installed } from '../merge/input.ts';
import type { GroupMerge } from '../merge/merge.ts';
import { insertUpgradeRecord, setRolledBack } from '../rows.ts';
import { nextBase, type RollbackPlan, type UpgradePlan } from './plan-rows.ts';
import { mergePortRows } from './port-rows.ts';

/** The job of an upgrade, and the names of the components with changes that stay stopped. */
type CarriedOut = Awaited<ReturnType<typeof recordUpgradeJob>>;

/** Carries out a plan. The number of statements does not depend on the number of components. */
async function carryOut(
  write: GroupWrite,
  { group, base, merge }: UpgradePlan & { merge: GroupMerge },
  next: AppTemplate,
  version: string,
  now: Date,
): Promise<CarriedOut> {
  const { context } = write;
  const fields = ['id', 'key', 'deployState'] as const;
  const current = await findByKeys(write, 'Component', 'groupId', [group.id], ['id'], { fields });
  const ids = new Map(current.map(({ key, id }) => [key, id]));
  const anyDeployed = current.some(isDeployed);
  await closeComponents(write, merge.close, now);
  const moves = merge.merges.flatMap(({ row: { id }, serviceName }) =>
    serviceName === null ? [] : { id, serviceName },
  );
  await moveServiceNames(write, moves);
  await countRenaming(
    write,
    moves.map(({ id }) => id),
  );
  const reserved = merge.merges.flatMap(({ additionalNames }) => Object.values(additionalNames));
  const added = await createComponents(write, merge.add, next.routes, ids, anyDeployed, reserved);
  const changed = merge.merges.filter((each) => !isEmpty(each));
  await mergeComponents(write, changed, next, ids, now);
  const done = await recordUpgradeJob(
    write,
    { team: write.team, region: write.region, applicationId: write.application.id },
    {
      upgraded: [...changed.map(({ row }) => row.id), ...added.created.map(({ id }) => id)],
      dropped: merge.close.flatMap(({ row }) => (isDeployed(row) ? row.id : [])),
    },
  );
  const template = JSON.stringify(nextBase(base, merge, next, added));
  await yieldToLoop(context.signal);
  const sealedTemplate = await closeLarge(context.seal, template);
  await yieldToLoop(context.signal);
  await setGroup(write, group.id, { templateVersion: version, sealedTemplate, name: next.groupName });
  return done;
}

/** The columns of a record that are the same for upgrades and rollbacks. */
const recordOf = (
  { context, application }: GroupWrite,
  { group, merge }: UpgradePlan & { merge: GroupMerge },
  toVersion: string,
  at: Date,
) => ({
  applicationId: application.id,
  groupId: group.id,
  userId: context.actor.userId,
  templateId: group.templateId!,
  fromVersion: group.templateVersion!,
  toVersion,
  changes: JSON.stringify(merge.changes),
  at,
});

/** Carries out the plan of an upgrade and records it, with the template that a rollback brings back. */
export async function applyUpgrade(
  write: GroupWrite,
  { group, base, merge }: UpgradePlan,
  next: AppTemplate,
  version: string,
): Promise<CarriedOut> {
  if (merge === null) return { job: null, leftStopped: [] };
  const now = new Date();
  const plan = { group, base, merge };
  const done = await carryOut(write, plan, next, version, now);
  await yieldToLoop(write.context.signal);
  const record = recordOf(write, plan, version, now);
  await yieldToLoop(write.context.signal);
  await insertUpgradeRecord(write, {
    ...record,
    kind: 'upgrade',
    sealedFromTemplate: group.sealedTemplate,
    rollbackId: null,
  });
  // The commit writes what the statements have written once more.
  await yieldToLoop(write.context.signal);
  return done;
}

/** Carries out the plan of a rollback and records it with the upgrade that it takes back. */
export async function applyRollback(
  write: GroupWrite,
  plan: RollbackPlan,
  upgrade: Pick<Row<'UpgradeRecord'>, 'id' | 'fromVersion'>,
): Promise<CarriedOut> {
  const now = new Date();
  const done = await carryOut(write, plan, plan.next, upgrade.fromVersion, now);
  await yieldToLoop(write.context.signal);
  const record = recordOf(write, plan, upgrade.fromVersion, now);
  await yieldToLoop(write.context.signal);
  const { id } = await insertUpgradeRecord(write, {
    ...record,
    kind: 'rollback',
    sealedFromTemplate: null,
    rollbackId: null,
  });
  await yieldToLoop(write.context.signal);
  await setRolledBack(write, upgrade.id, id);
  await yieldToLoop(write.context.signal);
  return done;
}

/** Unpublishes the rules of closed components, as for closed ports. */
async function closeComponents(write: GroupWrite, close: readonly Installed[], now: Date): Promise<void> {
  const drop = ({ row }: Installed) => ({
    row,
    data: { deployState: nextDeployState(row.deployState, 'drop'), updatedAt: now },
  });
  await setComponents(write, 'component.close', close.map(drop));
  const open = close.flatMap(({ ports }) => ports.filter(({ isOuter }) => isOuter));
  await setPorts(
    write,
    { teamId: write.team.id, applicationId: write.application.id },
    'port.close_outer',
    open.map((port) => ({ port, data: { isOuter: false } })),
  );
  await unpublishAll(write, open);
}

/** Whether an upgrade sets files or variables. One that sets none leaves what a component has. */
const hasNewConfiguration = ({ variables, volumes }: ComponentMerge) =>
  [variables, volumes].some(({ create, update }) => create.length + update.length > 0);

async function mergeComponents(
  write: GroupWrite,
  merges: readonly ComponentMerge[],
  next: AppTemplate,
  ids: ReadonlyMap<string, string>,
  now: Date,
): Promise<void> {
  const { signal } = write.context;
  const save = ({ row, set, serviceName }: ComponentMerge) => {
    // A component that comes back is deployed, too.
    const deploys = isDeployed({ ...row, ...set }) ? 1 : 0;
    const data = {
      ...set,
      serviceName: serviceName ?? row.serviceName,
      updateVersion: row.updateVersion + deploys,
      updatedAt: now,
      folded: fold(set.name ?? row.name, row.alias),
    };
    return { row, data, after: { ...row, ...data } };
  };
  const saved = await mapInSlices(merges, save, signal);
  await mergeVariables(write, merges);
  await mergeVolumes(write, merges);
  await requireConfigurationFits(
    write,
    merges.filter(hasNewConfiguration).map(({ row }) => row),
  );
  await mergeDependencies(write, merges, ids);
  const withoutPorts = await mergePortRows(
    write,
    merges.map((merge, index) => ({ merge, component: saved[index]!.after })),
    next,
    now,
  );
  const fields = Object.keys(columnsOf(next.components[0]!)) as (keyof Row<'Component'>)[];
  const update = ({ row, data, after }: (typeof saved)[number]) => {
    if (withoutPorts.has(row.id)) Object.assign(after, { serviceName: null });
    // All updates set the same fields, so that they share statements.
    const values = Object.fromEntries(
      [...fields, ...(Object.keys(data) as (keyof typeof after)[]), 'deployState' as const].map((field) => [
        field,
        after[field],
      ]),
    );
    return { row, data: values as Partial<Row<'Component'>>, recorded: after };
  };
  await setComponents(write, 'component.upgrade', await mapInSlices(saved, update, signal));
}

async function mergeVariables(write: GroupWrite, merges: readonly ComponentMerge[]): Promise<void> {
  await insertVariables(
    write,
    merges.flatMap(({ row, variables }) =>
      variables.create.map((each) => ({ ...each, componentId: row.id })),
    ),
  );
  await setVariables(
    write,
    merges.flatMap(({ variables }) => variables.update),
  );
  await removeVariables(
    write,
    merges.flatMap(({ variables }) => variables.remove),
  );
}

async function mergeVolumes(write: GroupWrite, merges: readonly ComponentMerge[]): Promise<void> {
  await setVolumes(
    write,
    merges.flatMap(({ volumes }) => volumes.update),
  );
  await requireFreeClaims(
    write,
    write,
    merges.map(({ row, volumes }) => ({ component: row, volumes: volumes.create })),
  );
  await insertVolumes(
    write,
    merges.flatMap(({ row, volumes }) => volumes.create.map((each) => ({ ...each, componentId: row.id }))),
  );
}

async function mergeDependencies(
  write: GroupWrite,
  merges: readonly ComponentMerge[],
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  const pairs = (of: 'add' | 'remove') =>
    merges.flatMap(({ row, dependencies }) =>
      dependencies[of].map((key) => ({ componentId: row.id, dependencyId: ids.get(key)! })),
    );
  await insertDependencies(write, pairs('add'));
  await removeDependencies(write, pairs('remove'));
}
