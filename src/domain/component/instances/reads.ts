import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { boundedLook, RegionWorkError } from '../../../drivers/region/driver.ts';
import type {
  ClusterEvent,
  InspectedComponent,
  Instance,
  InstanceAccess,
  Reader,
} from '../../../drivers/region/instances.ts';
import { allows, callerId, placeOf } from '../../../kernel/access.ts';
import { requiredRoles } from '../../../kernel/actions.ts';
import { ApiError, ConflictError, NotFoundError } from '../../../kernel/errors.ts';
import { warnOnce } from '../../../kernel/log.ts';
import { memoizeByIdentity } from '../../../kernel/memo.ts';
import { loadRegion } from '../../region/reads.ts';
import { loadTeam, notAllowed } from '../../team/reads.ts';
import { aloneSince } from '../names/alone-reads.ts';
import { placeOfComponent } from '../reads.ts';

/** The most instances that are listed. */
export const maxInstances = 1_000;

/** The columns that reading the instances of a component needs. */
export const inspectedFields = [
  'id',
  'name',
  'teamId',
  'applicationId',
  'regionId',
  'namespaceId',
  'clusterName',
  'deployState',
  'replicas',
  'image',
] as const satisfies (keyof Row<'Component'>)[];
export type Inspected = InspectedComponent &
  Pick<Row<'Component'>, 'name' | 'teamId' | 'applicationId' | 'namespaceId'>;

/** FORBIDDEN for callers who may not read the logs of the component, which developers may. */
export async function requireLook(context: Context, component: Inspected): Promise<void> {
  const { actor } = context;
  const team = await loadTeam(context, component.teamId);
  if (allows(actor, 'readLogs', { ...placeOf(team), ...placeOfComponent(component) })) return;
  throw notAllowed(actor, team, requiredRoles.readLogs);
}

/** The failure of a look, as users see it. */
export function lookFailure(context: Context, { id, name }: Pick<Inspected, 'id' | 'name'>, error: unknown) {
  warnOnce(context.log, { component: id, error }, 'region driver failed');
  const message =
    error instanceof RegionWorkError ? error.message : `The region of the component ${name} did not respond.`;
  return new ApiError('REGION_UNAVAILABLE', message);
}

/** Looks at the instances of a component. REGION_UNAVAILABLE if the cluster does not respond. */
export async function look<T>(
  context: Context,
  component: Inspected,
  read: (access: InstanceAccess, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const region = await loadRegion(context, component.regionId);
  const driver = context.drivers.region.get(region.driver);
  const access = driver?.instances;
  if (!access) return undefined;
  try {
    return await boundedLook((signal) => read(access, signal), context, driver.timeoutMs);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw lookFailure(context, component, error);
  }
}

/** The driver's access to the instances of a component. CONFLICT if the region has no instances. */
export async function requireAccess(
  context: Context,
  { name, regionId }: Pick<Inspected, 'name' | 'regionId'>,
): Promise<InstanceAccess> {
  const region = await loadRegion(context, regionId);
  const access = context.drivers.region.get(region.driver)?.instances;
  if (access) return access;
  throw new ConflictError(
    `The component ${name} has no instances: the driver of its region ${region.name} is ${region.driver.toUpperCase()}.`,
  );
}

/** The instance of this name, if one is asked for, with the container. NOT_FOUND if there is none. */
export function pickInstances(
  instances: readonly Instance[],
  { instance, container }: { instance?: string | null; container?: string | null },
): Instance[] {
  const named = instances.filter(({ name }) => !instance || name === instance);
  if (instance && named.length === 0) throw new NotFoundError('instance');
  const matches = named.filter(({ containers }) => !container || containers.includes(container));
  if (named.length > 0 && matches.length === 0) throw new NotFoundError('container');
  return matches;
}

/** FORBIDDEN for callers who are no developers of the team, and empty if the driver of the region has no instances. */
export async function instancesOf(context: Context, component: Inspected): Promise<Instance[]> {
  await requireLook(context, component);
  const instances = await look(context, component, (access, signal) => access.list(component, signal));
  return (instances ?? []).slice(0, maxInstances);
}

/** How many components' logs, events and histories one request may read, of each. */
export const maxReads = 20;

/** The reads of clusters in one request. */
interface ClusterReads {
  found: Map<string, Promise<unknown>>;
  count: { logs: number; events: number; 'usage history': number; 'traffic history': number };
}
const readsOf = memoizeByIdentity(
  (_: Context): ClusterReads => ({
    found: new Map(),
    count: { logs: 0, events: 0, 'usage history': 0, 'traffic history': 0 },
  }),
);

/** Reads something of a cluster once for a request. LIMIT_EXCEEDED if it reads too much. */
export function readOnce<T>(
  context: Context,
  kind: keyof ClusterReads['count'],
  key: readonly unknown[],
  read: () => Promise<T>,
): Promise<T> {
  const { found, count } = readsOf(context);
  const name = JSON.stringify([kind, ...key]);
  const earlier = found.get(name) as Promise<T> | undefined;
  if (earlier) return earlier;
  count[kind] += 1;
  if (count[kind] > maxReads) {
    throw new ApiError('LIMIT_EXCEEDED', `A request can read the ${kind} of at most ${maxReads} components.`);
  }
  const reading = read();
  found.set(name, reading);
  return reading;
}

export const readerOf = ({ actor }: Context, { teamId }: Pick<Inspected, 'teamId'>): Reader => ({
  callerId: callerId(actor),
  teamId,
});

export async function clusterEventsOf(
  context: Context,
  component: Inspected & Pick<Row<'Component'>, 'createdAt'>,
): Promise<ClusterEvent[]> {
  await requireLook(context, component);
  const reader = readerOf(context, component);
  const events = await look(context, component, async (access, signal) =>
    readOnce(context, 'events', [component.id], async () => {
      const namedSince = await aloneSince(context, component);
      return access.events({ ...component, namedSince }, reader, signal);
    }),
  );
  if (!events) return [];
  context.budget?.reserve(events.reduce((sum, { message }) => sum + message.length, 0));
  return events;
}
