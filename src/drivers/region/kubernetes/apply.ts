import type { ComponentIdentity, DesiredComponent, RemovedComponent } from '../desired.ts';
import { RegionWorkError } from '../driver.ts';
import { type Client, ClusterError } from './client.ts';
import type { Connection } from './connection.ts';
import { isConflict, isDrift, workError } from './errors.ts';
import { componentObjects, teamLabels, teamObjects } from './mapping.ts';
import {
  annotations,
  type KindName,
  type KubernetesObject,
  labels,
  namespaceOf,
  ordered,
  shortHash,
} from './objects.ts';
import type { KubernetesRegion, RegionSource } from './region.ts';
import { gatewayName, gatewayOf, listenersOf } from './routes.ts';

/** The kinds that are removed when a component no longer has them. Claims stay: they have data. */
const prunedKinds: readonly KindName[] = [
  'Deployment',
  'StatefulSet',
  'Service',
  'ConfigMap',
  'Secret',
  'Ingress',
];

const prunedIn = async ({ region, connection, signal }: Place): Promise<KindName[]> => [
  ...prunedKinds,
  ...(region.cluster.gatewayClass ? (['HTTPRoute'] as const) : []),
  ...((await connection.hasTcpRoutes(region, signal)) ? (['TCPRoute', 'Gateway'] as const) : []),
];

export const keyOf = ({ kind, metadata: { name } }: KubernetesObject) => `${kind} ${name}`;

export const selectorOf = ({ id }: Pick<ComponentIdentity, 'id'>) => `${labels.component}=${id}`;

/** A place in a cluster that work is done in. */
export interface Place {
  region: KubernetesRegion;
  connection: Connection;
  source: RegionSource;
  signal: AbortSignal;
}

export const namespaceIn = ({ cluster }: KubernetesRegion, { teamId }: Pick<ComponentIdentity, 'teamId'>) =>
  namespaceOf(cluster.namespacePrefix, teamId);

/** The objects of a component in its namespace, of all kinds that the driver removes. */
export async function ownObjects(
  place: Place,
  component: ComponentIdentity,
  kinds: readonly KindName[],
): Promise<KubernetesObject[]> {
  const { region, connection, signal } = place;
  const namespace = namespaceIn(region, component);
  const query = { namespace, labelSelector: selectorOf(component) };
  const lists = await Promise.all(
    kinds.map((kind) =>
      connection.client.list(kind, signal, query).catch((error) => {
        throw workError(error);
      }),
    ),
  );
  return lists.flatMap(({ items }) => items);
}

/** An object with the hash of what is applied. */
export const hashed = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [annotations.applied]: shortHash(ordered(object)) },
  },
});

/** Applies an object. Fields that were changed by hand are taken back; those that others apply are not. */
async function applyObject(
  { connection, source, signal }: Place,
  given: KubernetesObject,
  owner?: string,
): Promise<void> {
  const { client } = connection;
  // An object with several owners is not hashed, because each of them would set another hash.
  const [object, options] = owner === undefined ? [hashed(given), {}] : [given, { owner }];
  try {
    const applied = await client.apply(object, signal, options).catch((error) => {
      if (!isConflict(error) || !isDrift(error)) throw error;
      source.log.info({ error, object: keyOf(object) }, 'changes by hand taken back');
      return client.apply(object, signal, { ...options, isForced: true });
    });
    for (const { written } of connection.observers) written(applied);
  } catch (error) {
    signal.throwIfAborted();
    throw workError(error, object);
  }
}

/** Refuses to take over an object that somebody else made, or another component has. */
export async function requireOwn(
  client: Client,
  object: KubernetesObject,
  label: string,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  const { namespace, name } = object.metadata;
  const found = await client.read(object.kind as KindName, namespace, name, signal).catch((error) => {
    throw workError(error);
  });
  const isOwn = found?.metadata.labels?.[label] === object.metadata.labels?.[label];
  if (!found || isOwn) return found;
  throw new RegionWorkError(
    `The ${object.kind} ${name} in the namespace ${namespace ?? name} belongs to ${
      found.metadata.labels?.[label] === undefined ? 'somebody else' : 'another component'
    }.`,
    { isPermanent: true },
  );
}

/** The namespace of a team with its quota and its policy. */
export async function objectsOfTeam({ region, source }: Place, teamId: string): Promise<KubernetesObject[]> {
  const namespace = namespaceOf(region.cluster.namespacePrefix, teamId);
  const quota = await source.quota(region.id, teamId);
  return teamObjects(namespace, teamId, quota).map((object) =>
    object.kind === 'Namespace' ? object : { ...object, metadata: { ...object.metadata, namespace } },
  );
}

/** Makes the namespace of a team with its quota and its policy. */
async function applyTeam(place: Place, teamId: string): Promise<{ hasQuota: boolean }> {
  const { connection, signal } = place;
  const [first, ...others] = (await objectsOfTeam(place, teamId)) as [
    KubernetesObject,
    ...KubernetesObject[],
  ];
  const namespace = first.metadata.name;
  const found = await requireOwn(connection.client, first, labels.team, signal);
  if (found?.metadata.deletionTimestamp) {
    throw new RegionWorkError(`The namespace ${namespace} is being deleted.`);
  }
  await applyObject(place, first);
  for (const object of others) await applyObject(place, object);
  const hasQuota = hasQuotaIn(others);
  if (!hasQuota) {
    const old = await connection.client.read('ResourceQuota', namespace, 'trellis', signal);
    if (old?.metadata.labels?.[labels.team] === teamId) await connection.client.remove(old, signal);
  }
  return { hasQuota };
}

export const hasQuotaIn = (objects: readonly KubernetesObject[]) =>
  objects.some(({ kind }) => kind === 'ResourceQuota');

/** Gives the team's gateway the listeners of a component, and takes those that it no longer has. */
async function applyGateway(place: Place, component: ComponentIdentity, listeners: object[]): Promise<void> {
  const { region, connection, signal } = place;
  if (!region.cluster.gatewayClass) return;
  const namespace = namespaceIn(region, component);
  const { object, owner } = gatewayFor(place, component, listeners);
  const found = await connection.client.read('Gateway', namespace, gatewayName, signal);
  const hasListeners = found?.metadata.managedFields?.some(({ manager }) => manager === owner) ?? false;
  if (listeners.length === 0 && !hasListeners && found) return;
  await applyObject(place, object, owner);
}

/** A StatefulSet whose claims change is made again. Its instances stay, and keep the claims that they have. */
const needsReplacement = (error: unknown) => {
  const cause = error instanceof RegionWorkError ? error.cause : undefined;
  return (
    cause instanceof ClusterError &&
    cause.code === 422 &&
    cause.causes.length === 1 &&
    cause.causes[0]!.reason === 'FieldValueForbidden' &&
    cause.causes[0]!.field === 'spec'
  );
};

/** Claims cannot change, but for becoming larger: one that exists keeps what it was made with. */
export function asMade(object: KubernetesObject, found: KubernetesObject | undefined): KubernetesObject {
  if (object.kind !== 'PersistentVolumeClaim' || !found) return object;
  const { accessModes, storageClassName, resources } = found.spec;
  const asked = Number.parseInt(object.spec.resources.requests.storage, 10);
  const size = /^(\d+)Gi$/.exec(resources.requests.storage)?.[1];
  const isLarger = size !== undefined && found.status?.phase === 'Bound' && asked > Number(size);
  return {
    ...object,
    spec: {
      accessModes,
      ...(storageClassName && { storageClassName }),
      resources: isLarger ? object.spec.resources : { requests: { storage: resources.requests.storage } },
    },
  };
}

/** The objects of a component in its namespace. Its instances keep their last restart, unless there is a new one. */
export function objectsOf(
  { region }: Place,
  component: DesiredComponent,
  {
    restart,
    workload,
    ...settings
  }: {
    hasQuota: boolean;
    hasTcpRoutes: boolean;
    restart?: string | undefined;
    workload: KubernetesObject | undefined;
  },
): KubernetesObject[] {
  const namespace = namespaceIn(region, component);
  const restarted = restart ?? workload?.spec.template.metadata.annotations?.[annotations.restarted];
  return componentObjects(component, { ...region.cluster, ...settings, restarted }).map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace },
  }));
}

/** The team's gateway, as a component applies it. */
export const gatewayFor = ({ region }: Place, component: ComponentIdentity, listeners: object[]) => {
  const gateway = gatewayOf(region.cluster.gatewayClass!, teamLabels(component.teamId), listeners);
  const namespace = namespaceIn(region, component);
  return {
    object: { ...gateway, metadata: { ...gateway.metadata, namespace } },
    owner: `trellis-${component.id}`,
  };
};

/** Makes the objects of a component those that are desired. Returns whether that is done, or has to be gone on with. */
export async function applyComponent(
  place: Place,
  component: DesiredComponent,
  restart: string | undefined,
): Promise<boolean> {
  const { region, connection, signal } = place;
  const { client } = connection;
  const { hasQuota } = await applyTeam(place, component.teamId);
  const before = await ownObjects(place, component, await prunedIn(place));
  const workload = before.find(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  const hasTcpRoutes = await connection.hasTcpRoutes(region, signal);
  const objects = objectsOf(place, component, { hasQuota, hasTcpRoutes, restart, workload });
  const known = new Set(before.map(keyOf));
  const wanted = new Set(objects.map(keyOf));
  if (component.state === 'running') await applyGateway(place, component, listenersOf(component));
  for (const object of objects) {
    // What has the component's label is its own; everything else is looked at first.
    const found = known.has(keyOf(object))
      ? undefined
      : await requireOwn(client, object, labels.component, signal);
    try {
      await applyObject(place, asMade(object, found));
    } catch (error) {
      if (object.kind !== 'StatefulSet' || !needsReplacement(error)) throw error;
      const old = await client.read(
        'StatefulSet',
        namespaceIn(region, component),
        object.metadata.name,
        signal,
      );
      if (old) await client.remove(old, signal, 'Orphan');
      return false;
    }
  }
  for (const object of before) if (!wanted.has(keyOf(object))) await client.remove(object, signal);
  if (component.state === 'closed') await applyGateway(place, component, []);
  return true;
}

/**
 * Removes what the cluster has of a component, but its claims only if their data goes as well. Returns whether it is gone,
 * with its instances.
 */
export async function removeComponent(place: Place, component: RemovedComponent): Promise<boolean> {
  const { connection, region, signal } = place;
  const { client } = connection;
  const namespace = namespaceIn(region, component);
  const kinds = await prunedIn(place);
  if (component.deletesVolumes) kinds.push('PersistentVolumeClaim');
  const found = await ownObjects(place, component, kinds);
  await Promise.all(found.map((object) => client.remove(object, signal)));
  if (await client.read('Namespace', undefined, namespace, signal)) {
    const gateway =
      region.cluster.gatewayClass && (await client.read('Gateway', namespace, gatewayName, signal));
    if (gateway) await applyGateway(place, component, []);
  }
  const { events } = connection;
  const left = await ownObjects(place, component, kinds);
  const pods = await client.list('Pod', signal, { namespace, labelSelector: selectorOf(component) });
  connection.see(
    component.id,
    left.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet'),
    pods.items,
    events,
  );
  return left.length === 0 && pods.items.length === 0;
}
