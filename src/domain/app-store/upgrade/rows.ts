import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { mapInSlices, yieldToLoop } from '../../../kernel/event-loop.ts';
import { closeLarge } from '../../../kernel/seal-large.ts';
import { recordUpgradeJob } from '../../component/deploy/apply-rows.ts';
import { setGroup } from '../../component/group-rows.ts';
import { isDeployed, nextDeployState } from '../../component/model.ts';
import { setComponents } from '../../component/rows.ts';
import { unpublishAll } from '../../gateway-rule/many-rows.ts';
import { writeComponents } from '../../plan/apply-rows.ts';
import { requireFreeVolumes } from '../../plan/claims.ts';
import type { ApplyWrite } from '../../plan/parts-rows.ts';
import { setPorts } from '../../port/rows.ts';
import { newComponentsOf, routesOf } from '../install/work-reads.ts';
import { columnsOf, isEmpty } from '../merge/component.ts';
import type { Installed } from '../merge/input.ts';
import type { GroupMerge } from '../merge/merge.ts';
import { serviceNamesAfter, workOfMerge } from '../merge/work.ts';
import { insertUpgradeRecord, policyOfTemplates, setRolledBack } from '../rows.ts';
import { nextBase, type RollbackPlan, type UpgradePlan } from './plan-rows.ts';

/** A transaction that has locked the components of a group, then the region. */
export interface GroupWrite extends ApplyWrite {
  application: Row<'Application'>;
  group: Row<'ComponentGroup'>;
}

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
  const { context, team, region, application } = write;
  const fields = ['id', 'key', 'deployState'] as const;
  const current = await findByKeys(write, 'Component', 'groupId', [group.id], ['id'], { fields });
  const ids = new Map(current.map(({ key, id }) => [key, id]));
  await closeComponents(write, merge.close, now);
  const merges = merge.merges.filter((each) => !isEmpty(each));
  const columns = Object.keys(columnsOf(next.components[0]!)) as (keyof Row<'Component'>)[];
  const changed = await mapInSlices(merges, (each) => workOfMerge(each, columns), context.signal);
  const changedIds = new Set(changed.map(({ row }) => row.id));
  const added = await newComponentsOf(write, group, merge.add, ids, {
    keeps: ({ id }) => !changedIds.has(id),
    reserved: changed.flatMap(serviceNamesAfter),
  });
  for (const [index, { row, dependencies }] of merges.entries()) {
    const pairs = (keys: readonly string[]) =>
      keys.map((key) => ({ componentId: row.id, dependencyId: ids.get(key)! }));
    const { add, remove } = dependencies;
    changed[index]!.dependencies = { add: pairs(add), remove: pairs(remove) };
  }
  const works = [...changed, ...added.works];
  await requireFreeVolumes(write, works);
  const routes = await routesOf(write, works, next.routes);
  await writeComponents(
    { ...write, manifestId: null, policy: policyOfTemplates },
    { components: works, removed: [], routes },
    current.some(isDeployed) ? 'changed' : 'none',
  );
  const done = await recordUpgradeJob(
    write,
    { team, region, applicationId: application.id },
    {
      upgraded: works.map(({ row }) => row.id),
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
