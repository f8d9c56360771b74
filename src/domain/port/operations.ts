import type { Context } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { change, lockRows, type RecordEvent } from '../../db/write/change.ts';
import type { EventAction } from '../../db/write/events.ts';
import { ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { requireComponent } from '../component/reads.ts';
import { requireEnabled } from '../region/reads.ts';
import { type PortScene, portFollowers } from './followers.ts';
import {
  type AddPort,
  defaultAlias,
  isHttp,
  type PortProtocol,
  type PortRef,
  type Switch,
  switches,
} from './model.ts';
import { requirePort } from './reads.ts';

/** The message for a violated unique constraint of ports. */
const takenIn =
  (
    component: Row<'Component'>,
    what: { number?: number; alias?: string | null; serviceName?: string | null },
  ) =>
  (columns: string[]) => {
    const violated = columns.join(' ');
    if (violated.includes('service_name')) {
      return takenServiceName(what.serviceName);
    }
    return violated.includes('number')
      ? `The component ${component.alias} already has a port ${what.number}.`
      : `The component ${component.alias} already has a port ${what.alias ? `with the alias ${what.alias}` : `${what.number}, or a port with its alias`}.`;
  };

/**
 * CONFLICT if a port of another component has the name as its additional name. Component names are unique by
 * constraint; uniqueness across both is ensured by a lock on the region.
 */
async function requireFreeServiceName(
  { context, tx, component, team, region }: Omit<PortScene, 'port' | 'recordEvent'>,
  serviceName: string,
): Promise<void> {
  await lockRows({ context, tx }, 'Region', region.id);
  const taken = await tx.port.findFirst({
    where: {
      additionalName: serviceName,
      component: { teamId: team.id, regionId: region.id, id: { not: component.id } },
    },
    select: { id: true },
  });
  if (taken) throw new ConflictError(takenServiceName(serviceName));
}

const takenServiceName = (serviceName: string | null | undefined) =>
  `The service name ${serviceName} belongs to another component of the team in this region.`;

export async function addPort(context: Context, input: AddPort): Promise<Row<'Port'>> {
  const { component, team, region } = await requireComponent(context, input.component, 'developer');
  requireEnabled(region);
  const alias = input.alias ?? defaultAlias(component.alias, input.number);
  const serviceName = component.serviceName ?? component.alias;
  return change(
    context,
    'port.add',
    async ({ tx, recordEvent }) => {
      // Locks the component first, which serializes all changes of its ports.
      await lockRows({ context, tx }, 'Component', component.id);
      // The first port sets the internal domain name of the component.
      const { count } = await tx.component.updateMany({
        where: { id: component.id, serviceName: null },
        data: { serviceName },
      });
      const port = await tx.port.create({
        data: {
          componentId: component.id,
          number: input.number,
          protocol: input.protocol,
          alias,
          isInner: input.isInner ?? false,
          createdAt: new Date(),
        },
      });
      if (count > 0) await requireFreeServiceName({ context, tx, component, team, region }, serviceName);
      const after = { ...port, ...(count > 0 && { serviceName }) };
      recordEvent({
        subject: { type: 'Port', id: port.id },
        teamId: team.id,
        applicationId: component.applicationId,
        after,
      });
      return port;
    },
    takenIn(component, { number: input.number, alias: input.alias, serviceName }),
  );
}

/** Locks the component until the commit, and re-reads the port and its component. */
async function sceneOf(
  context: Context,
  tx: Transaction,
  recordEvent: RecordEvent,
  found: Awaited<ReturnType<typeof requirePort>>,
): Promise<PortScene> {
  await lockRows({ context, tx }, 'Component', found.component.id);
  const port = await tx.port.findUnique({ where: { id: found.port.id } });
  const component = await tx.component.findUnique({ where: { id: found.component.id } });
  if (!port || !component) throw new NotFoundError('port');
  return { context, tx, recordEvent, port, component, team: found.team, region: found.region };
}

/**
 * Changes a port. The row is re-read inside the transaction, so that the
 * event has the actual changes. `work` returns the new values of its columns and, optionally, the component's new
 * service name.
 */
async function changePort(
  context: Context,
  ref: PortRef,
  action: EventAction<'Port'>,
  work: (scene: PortScene) => Promise<Partial<Row<'Port'> & { serviceName: string | null }>>,
  taken: { alias?: string; serviceName?: string | null } = {},
): Promise<Row<'Port'>> {
  const found = await requirePort(context, ref, 'developer');
  requireEnabled(found.region);
  return change(
    context,
    action,
    async ({ tx, recordEvent }) => {
      const scene = await sceneOf(context, tx, recordEvent, found);
      const { port: before, component } = scene;
      const { serviceName = component.serviceName, ...data } = await work(scene);
      if (serviceName !== component.serviceName) {
        if (serviceName !== null) await requireFreeServiceName(scene, serviceName);
        await tx.component.update({ where: { id: component.id }, data: { serviceName } });
      }
      const changed = Object.entries(data).some(
        ([field, value]) => before[field as keyof typeof before] !== value,
      );
      const after = changed ? await tx.port.update({ where: { id: before.id }, data }) : before;
      recordEvent({
        subject: { type: 'Port', id: before.id },
        teamId: scene.team.id,
        applicationId: component.applicationId,
        before: { ...before, serviceName: component.serviceName },
        after: { ...after, serviceName },
      });
      return after;
    },
    takenIn(found.component, taken),
  );
}

/** Opens or closes a port to the outside or inside the cluster. Without a change, nothing is recorded. */
export function switchPort(context: Context, ref: PortRef, action: Switch): Promise<Row<'Port'>> {
  const { flag, value } = switches[action];
  return changePort(context, ref, `port.${action}`, async (scene) => {
    if (flag === 'isOuter') {
      for (const follower of portFollowers) await (value ? follower.opened(scene) : follower.closed(scene));
    }
    return { [flag]: value };
  });
}

/** Changes the protocol. CONFLICT if the port is open and its rules would not fit the new protocol. */
export function changePortProtocol(
  context: Context,
  ref: PortRef,
  protocol: PortProtocol,
): Promise<Row<'Port'>> {
  return changePort(context, ref, 'port.change_protocol', async (scene) => {
    const { port } = scene;
    if (port.isOuter && isHttp(port.protocol) !== isHttp(protocol)) {
      throw new ConflictError(
        `Port ${port.number} is open to the outside. Close it before changing its protocol from ${port.protocol} to ${protocol}.`,
      );
    }
    for (const follower of portFollowers) await follower.protocolChanging(scene, protocol);
    return { protocol };
  });
}

/** Changes the alias and, if given, the service name of all ports of the component. */
export function changePortAlias(
  context: Context,
  ref: PortRef,
  alias: string,
  serviceName?: string | null,
): Promise<Row<'Port'>> {
  return changePort(
    context,
    ref,
    'port.change_alias',
    async ({ component }) => ({ alias, serviceName: serviceName ?? component.serviceName }),
    { alias, serviceName },
  );
}

/** Deletes a port and returns it. Deleting the last port also clears the service name of the component. */
export async function deletePort(
  context: Context,
  ref: PortRef,
): Promise<Row<'Port'> & { serviceName: string }> {
  const found = await requirePort(context, ref, 'developer');
  requireEnabled(found.region);
  return change(context, 'port.delete', async ({ tx, recordEvent }) => {
    const scene = await sceneOf(context, tx, recordEvent, found);
    const { port, component, team } = scene;
    for (const follower of portFollowers) await follower.deleting(scene);
    await tx.port.delete({ where: { id: port.id } });
    const isLast = (await tx.port.count({ where: { componentId: component.id } })) === 0;
    if (isLast) await tx.component.update({ where: { id: component.id }, data: { serviceName: null } });
    const { serviceName } = component;
    const before = { ...port, ...(isLast && { serviceName }) };
    recordEvent({
      subject: { type: 'Port', id: port.id },
      teamId: team.id,
      applicationId: component.applicationId,
      before,
    });
    return { ...port, serviceName: serviceName ?? component.alias };
  });
}
