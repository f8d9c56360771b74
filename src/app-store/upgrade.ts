import type { Transaction } from '../db/open.ts';
import type { Row } from '../db/tables.ts';
import type { AppTemplate } from '../drivers/app-template.ts';
import { publishRules, removeDefaultRules, unpublishRules } from '../gateway-rule/rows.ts';
import { NotFoundError } from '../kernel/errors.ts';
import { groupBy } from '../kernel/group.ts';
import { fold } from '../kernel/validate.ts';
import { isHttp } from '../port/model.ts';
import { createComponents, createRoutes, type GroupScene, recordNew, serviceNamesOf } from './components.ts';
import { type BaseTemplate, type ComponentMerge, type GroupMerge, mergeTemplate } from './merge.ts';
import type { Installed } from './stay.ts';
import { compareVersions } from './version.ts';

export interface UpgradePlan {
  group: Row<'ComponentGroup'>;
  /** The template that is installed. */
  base: BaseTemplate;
  merge: GroupMerge;
}

const nothing: GroupMerge = { add: [], close: [], merges: [], changes: [] };

/** What going to a version does to a group, read inside the transaction that will do it. */
export async function planOf(
  { tx, team, region }: Pick<GroupScene, 'tx' | 'team' | 'region'>,
  groupId: number,
  next: AppTemplate,
  version: string,
): Promise<UpgradePlan> {
  const group = await tx.componentGroup.findUnique({ where: { id: groupId } });
  if (!group) throw new NotFoundError('installed template');
  // A second group of the same template may be there already.
  const base = JSON.parse(group.template!) as BaseTemplate;
  if (compareVersions(group.templateVersion ?? '', version) >= 0) return { group, base, merge: nothing };
  const named = await tx.component.findMany({
    where: { teamId: team.id, regionId: region.id, serviceName: { not: null } },
    select: { serviceName: true, groupId: true },
  });
  const taken = named.flatMap((row) => (row.groupId === groupId ? [] : row.serviceName!));
  return { group, base, merge: mergeTemplate(base, next, await installedIn(tx, groupId), taken) };
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

/**
 * What the next upgrade compares with: a component that was dropped may come back, and is not forgotten; its ports
 * that were closed with it are open again then.
 */
function nextBase({ base, merge }: UpgradePlan, next: AppTemplate, added: Row<'Component'>[]): BaseTemplate {
  const keys = new Set(next.components.map(({ key }) => key));
  const closed = new Map(merge.close.map(({ row, ports }) => [row.key, ports]));
  const dropped = base.components.filter(({ key }) => !keys.has(key));
  const isClosed = (key: string, number: number) =>
    closed.get(key)?.some((port) => port.number === number && port.isOuter) ?? false;
  return {
    ...next,
    components: [
      ...next.components,
      ...dropped.map((each) => ({
        ...each,
        ports: each.ports.map((port) =>
          isClosed(each.key, port.number) ? { ...port, isOuter: false } : port,
        ),
      })),
    ],
    serviceNames: {
      ...base.serviceNames,
      ...serviceNamesOf(added),
      ...Object.fromEntries(
        merge.merges.flatMap(({ row, serviceName }) =>
          serviceName === null ? [] : [[row.key, serviceName]],
        ),
      ),
    },
  };
}

/** Carries a plan out, and leaves the record of it. */
export async function applyMerge(
  scene: GroupScene,
  plan: UpgradePlan,
  next: AppTemplate,
  version: string,
): Promise<void> {
  const { group, merge } = plan;
  if (merge === nothing) return;
  const { context, tx, application } = scene;
  const now = new Date();
  const rows = await tx.component.findMany({ where: { groupId: group.id } });
  const ids = new Map(rows.map(({ key, id }) => [key, id]));
  const isDeployed = rows.some(({ deployState }) => deployState === 'running');
  for (const each of merge.close) await closeComponent(scene, each, now);
  await moveServiceNames(tx, merge.merges);
  const added = await createComponents(scene, merge.add, next.routes, ids, isDeployed);
  for (const each of merge.merges) await applyComponent(scene, each, next, ids, now);
  const template = JSON.stringify(nextBase(plan, next, added));
  await tx.componentGroup.update({
    where: { id: group.id },
    data: { templateVersion: version, template, name: next.groupName },
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

/** What is closed is not reached any more: its rules stay, unpublished, as those of a closed port do. */
async function closeComponent(scene: GroupScene, { row, ports }: Installed, now: Date): Promise<void> {
  const { tx, team, record } = scene;
  const component = await tx.component.update({
    where: { id: row.id },
    data: { deployState: 'closed', updatedAt: now },
  });
  const subject = { type: 'Component', id: row.id };
  record({ action: 'component.close', subject, teamId: team.id, before: row, after: component });
  for (const port of ports.filter(({ isOuter }) => isOuter)) {
    await savePort(scene, 'port.close_outer', port, { isOuter: false });
    await unpublishRules({ ...scene, port, component });
  }
}

/** Those that take over each other's names have none for a moment. */
async function moveServiceNames(tx: Transaction, merges: readonly ComponentMerge[]): Promise<void> {
  const moving = merges.filter(({ serviceName }) => serviceName !== null);
  const id = { in: moving.map(({ row }) => row.id) };
  if (moving.length > 1) await tx.component.updateMany({ where: { id }, data: { serviceName: null } });
  for (const { row, serviceName } of moving) {
    await tx.component.update({ where: { id: row.id }, data: { serviceName } });
  }
}

/** Changes a port, and records what. */
async function savePort(
  { tx, team, record, application }: GroupScene,
  action: string,
  port: Row<'Port'>,
  data: Partial<Row<'Port'>>,
): Promise<Row<'Port'>> {
  const after = await tx.port.update({ where: { id: port.id }, data });
  const subject = { type: 'Port', id: port.id };
  record({ action, subject, teamId: team.id, applicationId: application.id, before: port, after });
  return after;
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
  const { tx, team, record } = scene;
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
  // Paths may change places: those that change step aside first.
  for (const { id, data } of volumes.update) {
    if (data.path) await tx.volume.update({ where: { id }, data: { path: `moving ${id}` } });
  }
  for (const { id, data } of volumes.update) await tx.volume.update({ where: { id }, data });
  await tx.volume.createMany({ data: volumes.create.map((each) => ({ ...each, componentId })) });
  await tx.componentDependency.createMany({
    data: dependencies.add.map((key) => ({ componentId, dependencyId: ids.get(key)! })),
  });
  await tx.componentDependency.deleteMany({
    where: { componentId, dependencyId: { in: dependencies.remove.map((key) => ids.get(key)!) } },
  });
  const after = await applyPorts(scene, merge, component, next, now);
  const subject = { type: 'Component', id: componentId };
  record({ action: 'component.upgrade', subject, teamId: team.id, before: row, after });
}

/** Answers the component, which goes without an inner domain when its last port goes. */
async function applyPorts(
  scene: GroupScene,
  { ports }: ComponentMerge,
  component: Row<'Component'>,
  next: AppTemplate,
  now: Date,
): Promise<Row<'Component'>> {
  const { tx, team, record } = scene;
  for (const port of ports.remove) {
    await removeDefaultRules({ ...scene, port, component }, 'all');
    await tx.port.delete({ where: { id: port.id } });
    record({
      action: 'port.delete',
      subject: { type: 'Port', id: port.id },
      teamId: team.id,
      applicationId: component.applicationId,
      before: port,
    });
  }
  // Aliases may change places: those that change step aside first. No alias of anybody's is in lower case.
  for (const { port, data } of ports.update) {
    if (data.alias) await tx.port.update({ where: { id: port.id }, data: { alias: `moving_${port.id}` } });
  }
  for (const { port, data, isOuter } of ports.update) {
    const rules = { ...scene, port, component };
    // Rules of an open port fit its protocol: it closes first, and opens again behind the change.
    const changesFamily = data.protocol !== undefined && isHttp(data.protocol) !== isHttp(port.protocol);
    if (changesFamily) await removeDefaultRules(rules, isHttp(port.protocol) ? 'http' : 'tcp');
    const open = isOuter ?? port.isOuter;
    const after = await savePort(scene, 'port.upgrade', port, { ...data, isOuter: open });
    if (open && (isOuter !== undefined || changesFamily)) await publishRules({ ...rules, port: after });
    else if (!open && isOuter !== undefined) await unpublishRules({ ...rules, port: after });
  }
  for (const { number, protocol, alias, isInner, isOuter } of ports.create) {
    const data = { componentId: component.id, number, protocol, alias, isInner, isOuter, createdAt: now };
    const port = await tx.port.create({ data });
    recordNew(scene, 'Port', port);
    const routes = isHttp(protocol)
      ? next.routes.filter((route) => route.componentKey === component.key && route.port === number)
      : [];
    await createRoutes({ ...scene, port, component }, routes);
    if (isOuter) await publishRules({ ...scene, port, component });
  }
  if (ports.remove.length === 0 || (await tx.port.count({ where: { componentId: component.id } })) > 0) {
    return component;
  }
  return tx.component.update({ where: { id: component.id }, data: { serviceName: null } });
}
