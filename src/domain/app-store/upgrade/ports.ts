import type { Row } from '../../../db/tables.ts';
import { deleteMany, findByKeys, insertMany, updateMany } from '../../../db/write/bulk.ts';
import type { EventAction } from '../../../db/write/events.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { yieldToLoop } from '../../../kernel/slices.ts';
import { publishAll, removeAllDefaultRules, unpublishAll } from '../../gateway-rule/many.ts';
import { isHttp } from '../../port/model.ts';
import { createPortRules, type GroupScene, recordNew } from '../install/components.ts';
import type { ComponentMerge } from '../merge/merge.ts';

interface PortMerge {
  merge: ComponentMerge;
  /** The component after the upgrade. */
  component: Row<'Component'>;
}

interface SavedPort {
  port: Row<'Port'>;
  data: Partial<Row<'Port'>>;
}

/** Changes ports and records events. */
export async function savePorts(
  scene: GroupScene,
  action: EventAction<'Port'>,
  saved: readonly SavedPort[],
): Promise<void> {
  const { context, team, recordEvent, application } = scene;
  // All updates set the same fields, so that they share statements.
  const updates = saved.map(({ port, data }) => {
    const { protocol, alias, isInner, isOuter, additionalName } = { ...port, ...data };
    return { id: port.id, data: { protocol, alias, isInner, isOuter, additionalName } };
  });
  await updateMany(scene, 'Port', updates);
  for (const { port, data } of saved) {
    const change = { before: port, after: { ...port, ...data } };
    recordEvent({
      action,
      subject: { type: 'Port', id: port.id },
      teamId: team.id,
      applicationId: application.id,
      ...change,
    });
    await yieldToLoop(context.signal);
  }
}

/** Merges the ports of components and their rules. Returns the components without remaining ports. */
export async function mergePortRows(
  scene: GroupScene,
  merges: readonly PortMerge[],
  next: AppTemplate,
  now: Date,
): Promise<Set<string>> {
  await removePorts(scene, merges);
  await updatePorts(scene, merges);
  await addPorts(scene, merges, next, now);
  const shrunk = merges.filter(({ merge }) => merge.ports.remove.length > 0).map(({ merge }) => merge.row.id);
  const left = await findByKeys(scene, 'Port', 'componentId', shrunk, ['id'], {
    fields: ['id', 'componentId'],
  });
  const withPorts = new Set(left.map(({ componentId }) => componentId));
  return new Set(shrunk.filter((id) => !withPorts.has(id)));
}

async function removePorts(scene: GroupScene, merges: readonly PortMerge[]): Promise<void> {
  const { team, recordEvent, application } = scene;
  const removed = merges.flatMap(({ merge }) => merge.ports.remove);
  await removeAllDefaultRules(scene, removed);
  await deleteMany(
    scene,
    'Port',
    ['id'],
    removed.map(({ id }) => [id]),
  );
  for (const port of removed) {
    recordEvent({
      action: 'port.delete',
      subject: { type: 'Port', id: port.id },
      teamId: team.id,
      applicationId: application.id,
      before: port,
    });
  }
}

async function updatePorts(scene: GroupScene, merges: readonly PortMerge[]): Promise<void> {
  const updates = merges.flatMap(({ merge, component }) =>
    merge.ports.update.map(({ port, data, isOuter }) => ({
      port,
      component,
      isOuter,
      data: { ...data, isOuter: isOuter ?? port.isOuter },
      changesFamily: data.protocol !== undefined && isHttp(data.protocol) !== isHttp(port.protocol),
    })),
  );
  // Ports can swap aliases, so changing ones first get a temporary alias. Only temporary aliases are in lower case.
  const aside = updates
    .filter(({ data }) => data.alias)
    .map(({ port }) => ({ id: port.id, data: { alias: `moving_${port.id}` } }));
  await updateMany(scene, 'Port', aside);
  // Rules of an open port must fit its protocol, so the port is closed and opened again after the change.
  const refitted = updates.filter(({ changesFamily }) => changesFamily);
  await removeAllDefaultRules(
    scene,
    refitted.map(({ port }) => port),
  );
  await savePorts(scene, 'port.upgrade', updates);
  const after = updates.map(({ port, data, component, isOuter, changesFamily }) => ({
    port: { ...port, ...data },
    component,
    isSwitched: isOuter !== undefined,
    isRefitted: changesFamily,
  }));
  await publishAll(
    scene,
    after.filter(({ port, isSwitched, isRefitted }) => port.isOuter && (isSwitched || isRefitted)),
  );
  await unpublishAll(
    scene,
    after.flatMap(({ port, isSwitched }) => (isSwitched && !port.isOuter ? port : [])),
  );
}

async function addPorts(
  scene: GroupScene,
  merges: readonly PortMerge[],
  next: AppTemplate,
  now: Date,
): Promise<void> {
  const created = merges.flatMap(({ merge, component }) =>
    merge.ports.create.map(({ number, protocol, alias, isInner, isOuter, additionalName }) => ({
      componentId: component.id,
      number,
      protocol,
      alias,
      isInner,
      isOuter,
      additionalName,
      createdAt: now,
    })),
  );
  if (created.length === 0) return;
  await insertMany(scene, 'Port', created);
  const owners = new Map(merges.map(({ component }) => [component.id, component]));
  const names = new Set(created.map(({ componentId, number }) => `${componentId} ${number}`));
  const componentIds = [...new Set(created.map(({ componentId }) => componentId))];
  const rows = (await findByKeys(scene, 'Port', 'componentId', componentIds, ['id'])).filter(
    ({ componentId, number }) => names.has(`${componentId} ${number}`),
  );
  for (const row of rows) {
    recordNew(scene, 'Port', row);
    await yieldToLoop(scene.context.signal);
  }
  await createPortRules(
    scene,
    next.routes,
    rows.map((port) => ({ port, component: owners.get(port.componentId)! })),
  );
}
