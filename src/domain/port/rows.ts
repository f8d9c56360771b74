import type { Context } from '../../context.ts';
import type { NewRow, Row } from '../../db/tables.ts';
import {
  type Bulk,
  deleteByIds,
  findByKeys,
  insertRows,
  reviseMany,
  updateMany,
} from '../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import type { EventAction } from '../../db/write/events.ts';
import { isDifferent } from '../../db/write/record.ts';
import { changed } from '../../db/write/revision.ts';
import { mapInTransaction } from '../../kernel/event-loop.ts';
import { groupBy } from '../../kernel/group.ts';
import { type NewlyProvided, requireOwnDependents } from '../component/dependencies/provided-reads.ts';
import type { ComponentHooks } from '../component/hooks.ts';
import { setServiceName } from '../component/rows.ts';
import { requireObjectRoom } from '../component/size/rows.ts';
import { type PortWrite, portHooks } from './hooks.ts';
import type { PortProtocol } from './model.ts';

type Port = Row<'Port'>;
type NewPort = NewRow<'Port'>;
type Owner = Pick<Row<'Component'>, 'teamId' | 'applicationId'>;

const eventOf = ({ teamId, applicationId }: Owner, { id }: Port) => ({
  subject: { type: 'Port', id } as const,
  teamId,
  applicationId,
});

/** The first of the connection variables that a port provides from now on: those of one that is open inside, by its alias. */
const newlyProvided = (
  { componentId, isInner, alias }: Pick<NewPort, 'componentId' | 'isInner' | 'alias'>,
  before?: Pick<Port, 'isInner' | 'alias'>,
): NewlyProvided[] =>
  isInner && !(before?.isInner && before.alias === alias) ? [{ componentId, name: `${alias}_HOST` }] : [];

/** Adds a port. `serviceName` is the inner domain that its component gets for its first port. */
export async function insertPort(
  write: Write<Context>,
  component: Owner,
  data: Omit<NewPort, 'isOuter' | 'additionalName'>,
  serviceName?: string,
): Promise<Port> {
  const { tx, recordEvent } = write;
  await requireObjectRoom(write, component.applicationId);
  await requireOwnDependents(write, component.teamId, newlyProvided(data));
  const port = await tx.port.create({ data });
  const after = { ...port, ...(serviceName !== undefined && { serviceName }) };
  recordEvent({ ...eventOf(component, port), after });
  return port;
}

/**
 * Sets columns of a port, and the inner domain of its component. Hooks update what belongs to the port.
 */
export async function setPort(
  write: PortWrite,
  action: EventAction<'Port'>,
  { serviceName = write.component.serviceName, ...data }: Partial<Port> & { serviceName?: string | null },
): Promise<Port> {
  const { tx, recordEvent, port: before, component } = write;
  await requireOwnDependents(write, component.teamId, newlyProvided({ ...before, ...data }, before));
  for (const hooks of portHooks) {
    if (data.isOuter !== undefined) await (data.isOuter ? hooks.opening(write) : hooks.closing(write));
    if (data.protocol !== undefined) await hooks.protocolChanging(write, data.protocol as PortProtocol);
  }
  const isRenamed = serviceName !== component.serviceName;
  if (isRenamed) {
    await setServiceName(write, component.id, serviceName);
    await countRenaming(write, [component.id], before.id);
  }
  let after = before;
  if (isRenamed || isDifferent(before, data)) {
    after = await tx.port.update({ where: { id: before.id }, data: { ...data, ...changed } });
  }
  recordEvent({
    ...eventOf(component, before),
    action,
    before: { ...before, serviceName: component.serviceName },
    after: { ...after, serviceName },
  });
  return after;
}

/** Counts the change of their inner domain for all ports of components, except for one that counts it itself. */
export async function countRenaming(
  { tx }: Pick<Write, 'tx'>,
  componentIds: readonly string[],
  exceptId?: number,
): Promise<void> {
  if (componentIds.length === 0) return;
  const where = {
    componentId: { in: [...componentIds] },
    ...(exceptId !== undefined && { id: { not: exceptId } }),
  };
  await tx.port.updateMany({ where, data: changed });
}

/** Removes a port. Removing the last port also clears the inner domain of the component. */
export async function removePort(write: PortWrite): Promise<void> {
  const { tx, recordEvent, port, component } = write;
  for (const hooks of portHooks) await hooks.deleting(write);
  await tx.port.delete({ where: { id: port.id } });
  const isLast = (await tx.port.count({ where: { componentId: component.id } })) === 0;
  if (isLast) await setServiceName(write, component.id, null);
  const before = { ...port, ...(isLast && { serviceName: component.serviceName }) };
  recordEvent({ ...eventOf(component, port), before });
}

/** Adds ports of components in few statements, and returns them in the same order. The caller adds the rules of open ports. */
export async function insertPorts(
  write: Write<Context>,
  components: readonly Row<'Component'>[],
  ports: readonly NewPort[],
): Promise<{ port: Port; component: Row<'Component'> }[]> {
  const owners = new Map(components.map((component) => [component.id, component]));
  const [first] = components;
  if (first) {
    await requireOwnDependents(
      write,
      first.teamId,
      ports.flatMap((port) => newlyProvided(port)),
    );
  }
  const inserted = (await insertRows(write, 'Port', ports)).map((port) => ({
    port,
    component: owners.get(port.componentId)!,
  }));
  await mapInTransaction(
    inserted,
    ({ port, component }) =>
      write.recordEvent({ ...eventOf(component, port), action: 'port.add', after: port }),
    write.context.signal,
  );
  return inserted;
}

/**
 * Sets columns of many ports. Aliases are first set to temporary values, because ports can swap their aliases. The caller
 * updates the rules of ports that are opened, closed or change their protocol.
 */
export async function setPorts(
  write: Write<Context>,
  owner: Owner,
  action: EventAction<'Port'>,
  updates: readonly { port: Port; data: Partial<Port> }[],
): Promise<void> {
  await requireOwnDependents(
    write,
    owner.teamId,
    updates.flatMap(({ port, data }) => newlyProvided({ ...port, ...data }, port)),
  );
  // Users cannot choose lower-case aliases.
  const aside = updates
    .filter(({ data }) => data.alias)
    .map(({ port }) => ({ id: port.id, data: { alias: `moving_${port.id}` } }));
  await updateMany(write, 'Port', aside);
  // All updates set the same fields, so that they share statements.
  const all = updates
    .filter(({ port, data }) => isDifferent(port, data))
    .map(({ port, data }) => {
      const { protocol, alias, isInner, isOuter, additionalName } = { ...port, ...data };
      return { id: port.id, data: { protocol, alias, isInner, isOuter, additionalName } };
    });
  await reviseMany(write, 'Port', all);
  await mapInTransaction(
    updates,
    ({ port, data }) =>
      write.recordEvent({ ...eventOf(owner, port), action, before: port, after: { ...port, ...data } }),
    write.context.signal,
  );
}

/** Ports that a manifest adopts. */
export const setManifestOfPorts = (write: Bulk, ids: readonly number[], manifestId: number): Promise<void> =>
  reviseMany(
    write,
    'Port',
    ids.map((id) => ({ id, data: { manifestId } })),
  );

/** Removes many ports. The caller removes their rules. */
export async function removePorts(
  write: StatementWrite,
  owner: Owner,
  ports: readonly Port[],
): Promise<void> {
  await deleteByIds(write, 'Port', ports);
  await mapInTransaction(
    ports,
    (port) => write.recordEvent({ ...eventOf(owner, port), action: 'port.delete', before: port }),
    write.context.signal,
  );
}

export const portsOfComponents: ComponentHooks = {
  async deleting(write, components) {
    const ids = components.map(({ id }) => id);
    const ports = await findByKeys(write, 'Port', 'componentId', ids, ['componentId', 'number']);
    const owners = new Map(components.map((component) => [component.id, component]));
    for (const [applicationId, own] of groupBy(
      ports,
      (port) => owners.get(port.componentId)!.applicationId,
    )) {
      await removePorts(write, { teamId: write.team.id, applicationId }, own);
    }
  },
};
