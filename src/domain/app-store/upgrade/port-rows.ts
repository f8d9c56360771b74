import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { changePorts, removeAllDefaultRules } from '../../gateway-rule/many-rows.ts';
import { insertPorts, removePorts } from '../../port/rows.ts';
import { type GroupWrite, insertPortRules } from '../install/component-rows.ts';
import type { ComponentMerge } from '../merge/component.ts';

interface PortMerge {
  merge: ComponentMerge;
  /** The component after the upgrade. */
  component: Row<'Component'>;
}

/** Merges the ports of components and their rules. Returns the components without remaining ports. */
export async function mergePortRows(
  write: GroupWrite,
  merges: readonly PortMerge[],
  next: AppTemplate,
  now: Date,
): Promise<Set<string>> {
  await removeDropped(write, merges);
  await updatePorts(write, merges);
  await addPorts(write, merges, next, now);
  const shrunk = merges.filter(({ merge }) => merge.ports.remove.length > 0).map(({ merge }) => merge.row.id);
  const left = await findByKeys(write, 'Port', 'componentId', shrunk, ['id'], {
    fields: ['id', 'componentId'],
  });
  const withPorts = new Set(left.map(({ componentId }) => componentId));
  return new Set(shrunk.filter((id) => !withPorts.has(id)));
}

async function removeDropped(write: GroupWrite, merges: readonly PortMerge[]): Promise<void> {
  const removed = merges.flatMap(({ merge }) => merge.ports.remove);
  await removeAllDefaultRules(write, removed);
  await removePorts(write, ownerOf(write), removed);
}

/** The application's ports have its team, whichever of its components they belong to. */
const ownerOf = ({ team, application }: GroupWrite) => ({ teamId: team.id, applicationId: application.id });

const updatePorts = (write: GroupWrite, merges: readonly PortMerge[]): Promise<void> =>
  changePorts(
    write,
    ownerOf(write),
    'port.upgrade',
    merges.flatMap(({ merge, component }) =>
      merge.ports.update.map(({ port, data, isOuter }) => ({ port, component, isOuter, data })),
    ),
  );

async function addPorts(
  write: GroupWrite,
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
  const components = merges.map(({ component }) => component);
  await insertPortRules(write, next.routes, await insertPorts(write, components, created));
}
