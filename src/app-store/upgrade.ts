import type { Transaction } from '../db/open.ts';
import type { Row } from '../db/tables.ts';
import type { AppTemplate } from '../drivers/app-template.ts';
import { publishRules, removeDefaultRules, unpublishRules } from '../gateway-rule/rows.ts';
import { NotFoundError } from '../kernel/errors.ts';
import { groupBy } from '../kernel/group.ts';
import { fold } from '../kernel/validate.ts';
import { isHttp } from '../port/model.ts';
import { createComponents, createRoutes, freeName, type GroupScene } from './components.ts';
import {
  type ComponentMerge,
  type GroupMerge,
  type Installed,
  mergeTemplate,
  wantedServiceName,
} from './merge.ts';
import { compareVersions } from './version.ts';

export interface UpgradePlan {
  group: Row<'ComponentGroup'>;
  /** The template that is installed. */
  base: AppTemplate;
  merge: GroupMerge;
}

const nothing: GroupMerge = { add: [], close: [], merges: [], changes: [] };

/** What going to a version does to a group, read inside the transaction that will do it. */
export async function planOf(
  tx: Transaction,
  groupId: number,
  next: AppTemplate,
  version: string,
): Promise<UpgradePlan> {
  const group = await tx.componentGroup.findUnique({ where: { id: groupId } });
  if (!group) throw new NotFoundError('installed template');
  // A second group of the same template may be there already.
  const base = JSON.parse(group.template!) as AppTemplate;
  if (compareVersions(group.templateVersion ?? '', version) >= 0) return { group, base, merge: nothing };
  return { group, base, merge: mergeTemplate(base, next, await installedIn(tx, groupId)) };
}

async function installedIn(tx: Transaction, groupId: number): Promise<Installed[]> {
  const rows = await tx.component.findMany({ where: { groupId }, orderBy: [{ name: 'asc' }, { id: 'asc' }] });
  const componentId = { in: rows.map(({ id }) => id) };
  const where = { componentId };
  const ports = groupBy(
    await tx.port.findMany({ where, orderBy: { number: 'asc' } }),
    (row) => row.componentId,
  );
  const variables = groupBy(await tx.environmentVariable.findMany({ where }), (row) => row.componentId);
  const volumes = groupBy(await tx.volume.findMany({ where }), (row) => row.componentId);
  const dependencies = groupBy(await tx.componentDependency.findMany({ where }), (row) => row.componentId);
  const custom = { where: { componentId, isDefault: false }, select: { portId: true } };
  const portsWithCustomRules = new Set(
    [...(await tx.httpRule.findMany(custom)), ...(await tx.tcpRule.findMany(custom))].map(
      ({ portId }) => portId,
    ),
  );
  const keys = new Map(rows.map(({ id, key }) => [id, key]));
  return rows.map((row) => ({
    row,
    ports: ports.get(row.id) ?? [],
    variables: variables.get(row.id) ?? [],
    volumes: volumes.get(row.id) ?? [],
    dependencies: (dependencies.get(row.id) ?? []).flatMap(
      ({ dependencyId }) => keys.get(dependencyId) ?? [],
    ),
    portsWithCustomRules,
  }));
}

/** What the next upgrade compares with: a component that was dropped may come back, and is not forgotten. */
function nextBase(base: AppTemplate, next: AppTemplate): AppTemplate {
  const keys = new Set(next.components.map(({ key }) => key));
  return {
    ...next,
    components: [...next.components, ...base.components.filter(({ key }) => !keys.has(key))],
  };
}

/** Carries a plan out, and leaves the record of it. */
export async function applyMerge(
  scene: GroupScene,
  { group, base, merge }: UpgradePlan,
  next: AppTemplate,
  version: string,
): Promise<void> {
  if (merge === nothing) return;
  const { context, tx, application } = scene;
  const now = new Date();
  const rows = await tx.component.findMany({ where: { groupId: group.id } });
  const ids = new Map(rows.map(({ key, id }) => [key, id]));
  const isDeployed = rows.some(({ deployState }) => deployState === 'running');
  for (const { id } of merge.close) {
    const component = await tx.component.update({
      where: { id },
      data: { deployState: 'closed', updatedAt: now },
    });
    // What is closed is not reached any more: its rules stay, unpublished, as those of a closed port do.
    for (const port of await tx.port.findMany({ where: { componentId: id, isOuter: true } })) {
      await tx.port.update({ where: { id: port.id }, data: { isOuter: false } });
      await unpublishRules({ ...scene, port, component });
    }
  }
  await createComponents(scene, merge.add, next.routes, ids, isDeployed);
  for (const each of merge.merges) await applyComponent(scene, each, next, ids, now);
  await tx.componentGroup.update({
    where: { id: group.id },
    data: { templateVersion: version, template: JSON.stringify(nextBase(base, next)), name: next.groupName },
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

const isEmpty = ({ set, serviceName, variables, ports, volumes, dependencies }: ComponentMerge) =>
  Object.keys(set).length === 0 &&
  serviceName === null &&
  [variables, ports, volumes, dependencies].every((part) =>
    Object.values(part).every((list) => list.length === 0),
  );

async function applyComponent(
  scene: GroupScene,
  merge: ComponentMerge,
  next: AppTemplate,
  ids: ReadonlyMap<string, string>,
  now: Date,
): Promise<void> {
  if (isEmpty(merge)) return;
  const { tx } = scene;
  const { row, set, variables, volumes, dependencies } = merge;
  const componentId = row.id;
  const component = await tx.component.update({
    where: { id: componentId },
    data: {
      ...set,
      updateVersion: { increment: 1 },
      updatedAt: now,
      folded: fold(set.name ?? row.name, row.alias),
    },
  });
  await tx.environmentVariable.createMany({
    data: variables.create.map((each) => ({ ...each, componentId })),
  });
  for (const { id, data } of variables.update) await tx.environmentVariable.update({ where: { id }, data });
  await tx.environmentVariable.deleteMany({ where: { id: { in: variables.remove } } });
  await tx.volume.createMany({ data: volumes.create.map((each) => ({ ...each, componentId })) });
  for (const { id, data } of volumes.update) await tx.volume.update({ where: { id }, data });
  await tx.componentDependency.createMany({
    data: dependencies.add.map((key) => ({ componentId, dependencyId: ids.get(key)! })),
  });
  await tx.componentDependency.deleteMany({
    where: { componentId, dependencyId: { in: dependencies.remove.map((key) => ids.get(key)!) } },
  });
  await applyPorts(scene, merge, component, next, now);
}

/** The inner domain that a component gets, or the next free one like it. */
async function moveServiceName(
  { tx, team, region }: GroupScene,
  component: Row<'Component'>,
  wanted: string,
): Promise<Row<'Component'>> {
  const used = await tx.component.findMany({
    where: { teamId: team.id, regionId: region.id, serviceName: { not: null }, id: { not: component.id } },
    select: { serviceName: true },
  });
  const serviceName = freeName(wanted, new Set(used.map((each) => each.serviceName!)), 63);
  return tx.component.update({ where: { id: component.id }, data: { serviceName } });
}

async function applyPorts(
  scene: GroupScene,
  { ports, serviceName }: ComponentMerge,
  row: Row<'Component'>,
  next: AppTemplate,
  now: Date,
): Promise<void> {
  const { tx } = scene;
  let component = row;
  if (serviceName !== null) component = await moveServiceName(scene, component, serviceName);
  if (ports.create.length > 0 && component.serviceName === null) {
    const template = next.components.find(({ key }) => key === component.key)!;
    component = await moveServiceName(scene, component, wantedServiceName(template) ?? component.alias);
  }
  for (const port of ports.remove) {
    await removeDefaultRules({ ...scene, port, component }, 'all');
    await tx.port.delete({ where: { id: port.id } });
  }
  // Aliases may change places: those that change step aside first. No alias of anybody's is in lower case.
  for (const { port, data } of ports.update) {
    if (data.alias) await tx.port.update({ where: { id: port.id }, data: { alias: `moving_${port.id}` } });
  }
  const taken = await tx.port.findMany({ where: { componentId: component.id }, select: { alias: true } });
  const aliases = new Set(taken.map(({ alias }) => alias));
  for (const { port, data, isOuter } of ports.update) {
    const rules = { ...scene, port, component };
    // Rules of an open port fit its protocol: it closes first, and opens again behind the change.
    const changesFamily = data.protocol !== undefined && isHttp(data.protocol) !== isHttp(port.protocol);
    if (changesFamily) await removeDefaultRules(rules, isHttp(port.protocol) ? 'http' : 'tcp');
    const alias = data.alias && freePortAlias(data.alias, port.number, aliases);
    const open = isOuter ?? port.isOuter;
    const after = await tx.port.update({
      where: { id: port.id },
      data: { ...data, ...(alias && { alias }), isOuter: open },
    });
    if (open && (isOuter !== undefined || changesFamily)) await publishRules({ ...rules, port: after });
    else if (!open && isOuter !== undefined) await unpublishRules({ ...rules, port: after });
  }
  for (const { number, protocol, alias, isInner, isOuter } of ports.create) {
    const free = freePortAlias(alias, number, aliases);
    const data = {
      componentId: component.id,
      number,
      protocol,
      alias: free,
      isInner,
      isOuter,
      createdAt: now,
    };
    const port = await tx.port.create({ data });
    const routes = isHttp(protocol)
      ? next.routes.filter((route) => route.componentKey === component.key && route.port === number)
      : [];
    await createRoutes({ ...scene, port, component }, routes);
    if (isOuter) await publishRules({ ...scene, port, component });
  }
  if (ports.remove.length > 0 && (await tx.port.count({ where: { componentId: component.id } })) === 0) {
    await tx.component.update({ where: { id: component.id }, data: { serviceName: null } });
  }
}

/** The alias, or where a user's own port has it, one with the port's number behind it. */
function freePortAlias(wanted: string, number: number, taken: Set<string>): string {
  let alias = wanted;
  for (let round = 0; taken.has(alias); round++) {
    alias = `${wanted.slice(0, 50)}_${number}${round ? `_${round}` : ''}`;
  }
  taken.add(alias);
  return alias;
}
