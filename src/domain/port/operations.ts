import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import type { EventAction } from '../../db/write/events.ts';
import { locked } from '../../db/write/locked.ts';
import { lockRows } from '../../db/write/locks.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import type { Expecting } from '../../db/write/revision.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { applyingPorts } from '../component/deploy/apply-rows.ts';
import { freeName } from '../component/names/model.ts';
import { isReserved, lockNames, namesInUse } from '../component/names/reads.ts';
import { requireComponentFor } from '../component/reads.ts';
import { setFirstServiceName } from '../component/rows.ts';
import type { PortAction } from './action-model.ts';
import type { PortWrite } from './hooks.ts';
import {
  type AddPort,
  type ChangePortAlias,
  type ChangePortProtocol,
  defaultAlias,
  isHttp,
  type OnePort,
  type Switch,
  switches,
} from './model.ts';
import { requirePortFor } from './reads.ts';
import { insertPort, removePort, setPort } from './rows.ts';

export interface PortOutcome {
  port: Row<'Port'>;
  plan: ObjectChange[];
}

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
      ? `The component ${component.name} already has a port ${what.number}.`
      : `The component ${component.name} already has a port ${what.alias ? `with the alias ${what.alias}` : `${what.number}, or a port with its alias`}.`;
  };

/**
 * CONFLICT if a port of another component has the name as its additional name, or if a component has another Service of the
 * name. Component names are unique by constraint; uniqueness across all is ensured by a lock on the names.
 */
async function requireFreeServiceName(
  { component, team, region, ...write }: Omit<PortWrite, 'port'>,
  serviceName: string,
  written?: string | null,
): Promise<void> {
  await lockNames(write, { team, region });
  const { namespaceId } = component;
  const taken = await write.tx.port.findFirst({
    where: {
      additionalName: serviceName,
      component: { teamId: team.id, regionId: region.id, namespaceId, id: { not: component.id } },
    },
    select: { id: true },
  });
  if (taken) throw new ConflictError(takenServiceName(written));
  if (await isReserved(write, { team, region, namespaceId }, serviceName)) {
    throw new ConflictError(
      `${theServiceName(written)} is reserved in the cluster, for a gateway or another Service of a component of the team.`,
    );
  }
}

/** The inner domain of a component that gets its first port: its alias, with a number if another Service has that name. */
async function firstServiceName(
  write: Write<Context>,
  { team, region }: { team: Row<'Team'>; region: Row<'Region'> },
  { alias, namespaceId }: Row<'Component'>,
): Promise<string> {
  const place = { team, region, namespaceId };
  await lockNames(write, place);
  if (!(await isReserved(write, place, alias))) return alias;
  return freeName(alias, (await namesInUse(write, place)).takenBy(null).serviceNames, 63);
}

/** The default is the alias of the component, which says nothing to people. */
const theServiceName = (written: string | null | undefined) =>
  written == null ? 'The default service name of the component' : `The service name ${written}`;

const takenServiceName = (written: string | null | undefined) =>
  `${theServiceName(written)} belongs to another component of the team in this region.`;

export async function addPort(context: Context, input: AddPort): Promise<PortOutcome> {
  const { component, team, region } = await requireComponentFor(context, input.component, 'addPort');
  const alias = input.alias ?? defaultAlias(component.alias, input.number);
  let serviceName = component.serviceName ?? component.alias;
  const { result: port, plan } = await changeWithPlan(
    context,
    'port.add',
    input,
    (open) =>
      applyingPorts(open, { team, region }, component.id, async (write) => {
        // Locks the component first, which serializes all changes of its ports.
        await lockRows(write, 'Component', component.id);
        if (component.serviceName === null) {
          serviceName = await firstServiceName(write, { team, region }, component);
        }
        // The first port sets the internal domain name of the component.
        const isFirst = await setFirstServiceName(write, component.id, serviceName);
        const port = await insertPort(
          write,
          component,
          {
            componentId: component.id,
            number: input.number,
            protocol: input.protocol,
            alias,
            isInner: input.isInner ?? false,
            createdAt: new Date(),
          },
          isFirst ? serviceName : undefined,
        );
        if (isFirst) await requireFreeServiceName({ ...write, component, team, region }, serviceName);
        return port;
      }),
    takenIn(component, { number: input.number, alias: input.alias }),
  );
  return { port, plan };
}

/** An input in which REST can expect one of several revisions. */
type Expected<I> = Omit<I, 'expectedRevision'> & Expecting;

/** Locks the component, which serializes all changes of its ports, and re-reads it with the port. */
async function lockPort(
  write: Write<Context>,
  target: Awaited<ReturnType<typeof requirePortFor>>,
  expecting: Expecting,
): Promise<PortWrite> {
  const [component, port] = await Promise.all([
    locked(write, 'Component', target.component.id, {}, 'port'),
    locked(write, 'Port', target.port.id, expecting),
  ]);
  return { ...write, ...target, component, port };
}

/**
 * Changes a port. The row is re-read inside the transaction, so that the
 * event has the actual changes. `valuesOf` returns the new values of its columns and, optionally, the component's new
 * service name.
 */
async function changePort(
  context: Context,
  { port: ref, dryRun, ...expecting }: Expected<OnePort>,
  name: PortAction,
  action: EventAction<'Port'>,
  valuesOf: (write: PortWrite) => Partial<Row<'Port'> & { serviceName: string | null }>,
  taken: { alias?: string; serviceName?: string | null } = {},
): Promise<PortOutcome> {
  const target = await requirePortFor(context, ref, name);
  const { result: port, plan } = await changeWithPlan(
    context,
    action,
    { dryRun },
    (started) =>
      applyingPorts(started, target, target.component.id, async (open) => {
        const write = await lockPort(open, target, expecting);
        const values = valuesOf(write);
        const { serviceName } = values;
        if (serviceName != null && serviceName !== write.component.serviceName) {
          await requireFreeServiceName(write, serviceName, taken.serviceName);
        }
        return setPort(write, action, values);
      }),
    takenIn(target.component, taken),
  );
  return { port, plan };
}

/** Opens or closes a port to the outside or inside the cluster. Without a change, nothing is recorded. */
export function switchPort(context: Context, input: Expected<OnePort>, action: Switch): Promise<PortOutcome> {
  const { flag, value, mutation } = switches[action];
  return changePort(context, input, mutation, `port.${action}`, () => ({ [flag]: value }));
}

/** Changes the protocol. CONFLICT if the port is open and its rules would not fit the new protocol. */
export function changePortProtocol(
  context: Context,
  { protocol, ...input }: Expected<ChangePortProtocol>,
): Promise<PortOutcome> {
  return changePort(context, input, 'changePortProtocol', 'port.change_protocol', ({ port }) => {
    if (port.isOuter && isHttp(port.protocol) !== isHttp(protocol)) {
      throw new ConflictError(
        `Port ${port.number} is open to the outside. Close it before changing its protocol from ${port.protocol} to ${protocol}.`,
      );
    }
    return { protocol };
  });
}

/** Changes the alias and, if given, the service name of all ports of the component. */
export function changePortAlias(
  context: Context,
  { alias, serviceName, ...input }: Expected<ChangePortAlias>,
): Promise<PortOutcome> {
  return changePort(
    context,
    input,
    'changePortAlias',
    'port.change_alias',
    ({ component }) => ({ alias, serviceName: serviceName ?? component.serviceName }),
    { alias, serviceName },
  );
}

/** Deletes a port and returns it. Deleting the last port also clears the service name of the component. */
export async function deletePort(
  context: Context,
  { port: ref, dryRun, ...expecting }: Expected<OnePort>,
): Promise<{ port: Row<'Port'> & { serviceName: string }; plan: ObjectChange[] }> {
  const target = await requirePortFor(context, ref, 'deletePort');
  const { result, plan } = await changeWithPlan(context, 'port.delete', { dryRun }, (started) =>
    applyingPorts(started, target, target.component.id, async (open) => {
      const write = await lockPort(open, target, expecting);
      await removePort(write);
      return { ...write.port, serviceName: write.component.serviceName ?? write.component.alias };
    }),
  );
  return { port: result, plan };
}
