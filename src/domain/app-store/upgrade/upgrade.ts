import type { Row } from '../../../db/tables.ts';
import { deleteMany, findByKeys, insertMany, updateMany } from '../../../db/write/bulk.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { yieldToLoop } from '../../../kernel/slices.ts';
import { fold } from '../../../kernel/validate.ts';
import { sealVariable } from '../../component/variables.ts';
import { unpublishAll } from '../../gateway-rule/many.ts';
import { createComponents, type GroupScene } from '../install/components.ts';
import { type ComponentMerge, columnsOf } from '../merge/merge.ts';
import { nextBase, type UpgradePlan } from './plan.ts';
import { mergePortRows, savePorts } from './ports.ts';
import type { Installed } from './stay.ts';

/** Carries out a plan and records it. The number of statements does not depend on the number of components. */
export async function applyMerge(
  scene: GroupScene,
  { group, base, merge }: UpgradePlan,
  next: AppTemplate,
  version: string,
): Promise<void> {
  if (merge === null) return;
  const { context, tx, application } = scene;
  const now = new Date();
  const fields = ['id', 'key', 'deployState'] as const;
  const current = await findByKeys(scene, 'Component', 'groupId', [group.id], ['id'], { fields });
  const ids = new Map(current.map(({ key, id }) => [key, id]));
  const isDeployed = current.some(({ deployState }) => deployState === 'running');
  await closeComponents(scene, merge.close, now);
  await moveServiceNames(scene, merge.merges);
  const reserved = merge.merges.flatMap(({ additionalNames }) => Object.values(additionalNames));
  const added = await createComponents(scene, merge.add, next.routes, ids, isDeployed, reserved);
  await mergeComponents(
    scene,
    merge.merges.filter((each) => !isEmpty(each)),
    next,
    ids,
    now,
  );
  const template = JSON.stringify(nextBase(base, merge, next, added));
  await yieldToLoop(context.signal);
  const sealedTemplate = context.seal.close(template);
  await yieldToLoop(context.signal);
  await tx.componentGroup.update({
    where: { id: group.id },
    data: { templateVersion: version, sealedTemplate, name: next.groupName },
  });
  await tx.upgradeRecord.create({
    data: {
      applicationId: application.id,
      groupId: group.id,
      userId: context.actor.userId,
      templateId: group.templateId!,
      fromVersion: group.templateVersion!,
      toVersion: version,
      changes: JSON.stringify(merge.changes),
      at: now,
    },
  });
}

/** Unpublishes the rules of closed components, as for closed ports. */
async function closeComponents(scene: GroupScene, close: readonly Installed[], now: Date): Promise<void> {
  const { team, recordEvent } = scene;
  const data = { deployState: 'closed', updatedAt: now };
  await updateMany(
    scene,
    'Component',
    close.map(({ row }) => ({ id: row.id, data })),
  );
  for (const { row } of close) {
    recordEvent({
      action: 'component.close',
      subject: { type: 'Component', id: row.id },
      teamId: team.id,
      before: row,
      after: { ...row, ...data },
    });
  }
  const open = close.flatMap(({ ports }) => ports.filter(({ isOuter }) => isOuter));
  await savePorts(
    scene,
    'port.close_outer',
    open.map((port) => ({ port, data: { isOuter: false } })),
  );
  await unpublishAll(scene, open);
}

/** Clears the names of components that swap names, to avoid unique violations. */
async function moveServiceNames(scene: GroupScene, merges: readonly ComponentMerge[]): Promise<void> {
  const moving = merges.filter(({ serviceName }) => serviceName !== null);
  const set = (nameOf: (merge: ComponentMerge) => string | null) =>
    updateMany(
      scene,
      'Component',
      moving.map((merge) => ({ id: merge.row.id, data: { serviceName: nameOf(merge) } })),
    );
  if (moving.length > 1) await set(() => null);
  await set(({ serviceName }) => serviceName);
}

const isEmpty = ({ set, serviceName, variables, ports, volumes, dependencies }: ComponentMerge) =>
  Object.keys(set).length === 0 &&
  serviceName === null &&
  [variables, ports, volumes, dependencies].every((part) =>
    Object.values(part).every((list) => list.length === 0),
  );

async function mergeComponents(
  scene: GroupScene,
  merges: readonly ComponentMerge[],
  next: AppTemplate,
  ids: ReadonlyMap<string, string>,
  now: Date,
): Promise<void> {
  const { context, team, recordEvent } = scene;
  const saved = merges.map(({ row, set, serviceName }) => {
    const data = {
      ...set,
      serviceName: serviceName ?? row.serviceName,
      updateVersion: row.updateVersion + 1,
      updatedAt: now,
      folded: fold(set.name ?? row.name, row.alias),
    };
    return { row, data, after: { ...row, ...data } };
  });
  await mergeVariables(scene, merges);
  await mergeVolumes(scene, merges);
  await mergeDependencies(scene, merges, ids);
  const withoutPorts = await mergePortRows(
    scene,
    merges.map((merge, index) => ({ merge, component: saved[index]!.after })),
    next,
    now,
  );
  const fields = Object.keys(columnsOf(next.components[0]!)) as (keyof Row<'Component'>)[];
  const updates = saved.map(({ row, data, after }) => {
    if (withoutPorts.has(row.id)) Object.assign(after, { serviceName: null });
    // All updates set the same fields, so that they share statements.
    const values = Object.fromEntries(
      [...fields, ...(Object.keys(data) as (keyof typeof after)[]), 'deployState' as const].map((field) => [
        field,
        after[field],
      ]),
    );
    return { id: row.id, data: values as Partial<Row<'Component'>> };
  });
  await updateMany(scene, 'Component', updates);
  for (const { row, after } of saved) {
    recordEvent({
      action: 'component.upgrade',
      subject: { type: 'Component', id: row.id },
      teamId: team.id,
      before: row,
      after,
    });
    await yieldToLoop(context.signal);
  }
}

async function mergeVariables(scene: GroupScene, merges: readonly ComponentMerge[]): Promise<void> {
  const { seal } = scene.context;
  const model = 'EnvironmentVariable';
  await insertMany(
    scene,
    model,
    merges.flatMap(({ row, variables }) =>
      variables.create.map((each) => ({ ...sealVariable(seal, each), componentId: row.id })),
    ),
  );
  await updateMany(
    scene,
    model,
    merges.flatMap(({ variables }) =>
      variables.update.map(({ id, variable }) => ({ id, data: sealVariable(seal, variable) })),
    ),
  );
  const removed = merges.flatMap(({ variables }) => variables.remove);
  await deleteMany(
    scene,
    model,
    ['id'],
    removed.map((id) => [id]),
  );
}

async function mergeVolumes(scene: GroupScene, merges: readonly ComponentMerge[]): Promise<void> {
  const updates = merges.flatMap(({ volumes }) => volumes.update);
  // Volumes can swap paths, so changing ones first get a temporary path.
  const aside = updates
    .filter(({ data }) => data.path)
    .map(({ id }) => ({ id, data: { path: `moving ${id}` } }));
  await updateMany(scene, 'Volume', aside);
  await updateMany(scene, 'Volume', updates);
  await insertMany(
    scene,
    'Volume',
    merges.flatMap(({ row, volumes }) => volumes.create.map((each) => ({ ...each, componentId: row.id }))),
  );
}

async function mergeDependencies(
  scene: GroupScene,
  merges: readonly ComponentMerge[],
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  const pairs = (of: 'add' | 'remove') =>
    merges.flatMap(({ row, dependencies }) =>
      dependencies[of].map((key) => ({ componentId: row.id, dependencyId: ids.get(key)! })),
    );
  await insertMany(scene, 'ComponentDependency', pairs('add'));
  await deleteMany(
    scene,
    'ComponentDependency',
    ['componentId', 'dependencyId'],
    pairs('remove').map(({ componentId, dependencyId }) => [componentId, dependencyId]),
  );
}
