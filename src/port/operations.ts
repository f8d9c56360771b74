import { requireComponent } from '../component/reads.ts';
import type { Context } from '../context.ts';
import { change, hold } from '../db/change.ts';
import type { Transaction } from '../db/open.ts';
import type { Row } from '../db/tables.ts';
import { ConflictError, NotFoundError } from '../kernel/errors.ts';
import { requireEnabled } from '../region/reads.ts';
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

/** Says which of the values that must be unique is taken. */
const takenIn =
  (component: Row<'Component'>, what: { number?: number; alias?: string; serviceName?: string | null }) =>
  (columns: string[]) => {
    const violated = columns.join(' ');
    if (violated.includes('service_name')) {
      return `The service name ${what.serviceName} belongs to another component of the team in this region.`;
    }
    return violated.includes('number')
      ? `The component ${component.alias} has a port ${what.number} already.`
      : `The component ${component.alias} has a port with the alias ${what.alias} already.`;
  };

export async function addPort(context: Context, input: AddPort): Promise<Row<'Port'>> {
  const { component, team, region } = await requireComponent(context, input.component, 'developer');
  requireEnabled(region);
  const alias = input.alias ?? defaultAlias(component.alias, input.number);
  const serviceName = component.serviceName ?? component.alias;
  return change(
    context,
    'port.add',
    async (tx, record) => {
      // The component is held first: all that changes its ports takes its turn here.
      await hold(context.db, tx, 'Component', component.id);
      await tx.component.updateMany({
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
      await record({ subject: { type: 'Port', id: port.id }, teamId: team.id, after: port });
      return port;
    },
    takenIn(component, { number: input.number, alias, serviceName }),
  );
}

/**
 * Changes a port as it stands at that moment: the row is read again inside the transaction, with the
 * component held, so that the event tells what really changed.
 */
async function changePort(
  context: Context,
  ref: PortRef,
  action: string,
  work: (tx: Transaction, before: Row<'Port'>, component: Row<'Component'>) => Promise<Partial<Row<'Port'>>>,
  taken: { alias?: string; serviceName?: string | null } = {},
): Promise<Row<'Port'>> {
  const { port, component, team, region } = await requirePort(context, ref, 'developer');
  requireEnabled(region);
  return change(
    context,
    action,
    async (tx, record) => {
      await hold(context.db, tx, 'Component', component.id);
      const before = await tx.port.findUnique({ where: { id: port.id } });
      const owner = await tx.component.findUnique({ where: { id: component.id } });
      if (!before || !owner) throw new NotFoundError('port');
      const data = await work(tx, before, owner);
      const changed = Object.entries(data).some(
        ([field, value]) => before[field as keyof typeof before] !== value,
      );
      const after = changed ? await tx.port.update({ where: { id: port.id }, data }) : before;
      const serviceName = (await tx.component.findUniqueOrThrow({ where: { id: component.id } })).serviceName;
      await record({
        subject: { type: 'Port', id: port.id },
        teamId: team.id,
        before: { ...before, serviceName: owner.serviceName },
        after: { ...after, serviceName },
      });
      return after;
    },
    takenIn(component, taken),
  );
}

/** Opens or closes the inner or the outer service; one that is so already stays, and nothing is recorded. */
export function switchPort(context: Context, ref: PortRef, action: Switch): Promise<Row<'Port'>> {
  const { flag, value } = switches[action];
  return changePort(context, ref, `port.${action}`, async () => ({ [flag]: value }));
}

/** Rules of an open port fit its protocol: between HTTP and the others it must be closed first. */
export function changePortProtocol(
  context: Context,
  ref: PortRef,
  protocol: PortProtocol,
): Promise<Row<'Port'>> {
  return changePort(context, ref, 'port.change_protocol', async (_, before) => {
    if (before.isOuter && isHttp(before.protocol) !== isHttp(protocol)) {
      throw new ConflictError(
        `The port ${before.number} is open to the outside as ${before.protocol}: close it before it becomes ${protocol}.`,
      );
    }
    return { protocol };
  });
}

/** The service name, where given, changes for all ports of the component. */
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
    async (tx, _, component) => {
      if (serviceName != null && serviceName !== component.serviceName) {
        await tx.component.update({ where: { id: component.id }, data: { serviceName } });
      }
      return { alias };
    },
    { alias, serviceName },
  );
}

/** Answers the port's last state. The last port takes the service name of the component with it. */
export async function deletePort(
  context: Context,
  ref: PortRef,
): Promise<Row<'Port'> & { serviceName: string }> {
  const { port, component, team, region } = await requirePort(context, ref, 'developer');
  requireEnabled(region);
  return change(context, 'port.delete', async (tx, record) => {
    await hold(context.db, tx, 'Component', component.id);
    const before = await tx.port.findUnique({ where: { id: port.id } });
    const owner = await tx.component.findUnique({ where: { id: component.id } });
    if (!before || !owner) throw new NotFoundError('port');
    await tx.port.delete({ where: { id: port.id } });
    if ((await tx.port.count({ where: { componentId: component.id } })) === 0) {
      await tx.component.update({ where: { id: component.id }, data: { serviceName: null } });
    }
    await record({ subject: { type: 'Port', id: port.id }, teamId: team.id, before });
    return { ...before, serviceName: owner.serviceName ?? owner.alias };
  });
}
