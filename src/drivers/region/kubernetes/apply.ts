import type { ComponentIdentity, DesiredComponent, RemovedComponent } from '../desired.ts';
import { RegionWorkError } from '../driver.ts';
import { ClusterError } from './answers.ts';
import { applyObject, keyOf, namespaceIn, type Place, requireOwn, requireOwner } from './apply-object.ts';
import { applyRoutes, requireRoutable } from './apply-routes.ts';
import { applyGateway, applyTeam, restrictTeam } from './apply-team.ts';
import { isScaledByLoad } from './autoscaling.ts';
import { removeWhole } from './certificates.ts';
import { configurationReadBy } from './configuration.ts';
import { workError } from './errors.ts';
import { handOverReplicas } from './hand-over.ts';
import { componentObjects } from './mapping.ts';
import { annotations, type KindName, type KubernetesObject, labels, labelsOf } from './objects.ts';
import { availableOf } from './placement.ts';
import { roomFor } from './quotas.ts';
import { gatewayName, listenersOf } from './routes.ts';
import { readersOfRuns, removeRuns } from './run-objects.ts';
import { claimsNamed, isData } from './workload.ts';

/** The kinds that are removed when a component no longer has them. Claims stay: they have data. */
const prunedKinds: readonly KindName[] = [
  'Deployment',
  'StatefulSet',
  'Service',
  'ConfigMap',
  'Secret',
  'Ingress',
];

/** HTTPRoutes are not among them, because components can share them: see `applyRoutes`. */
const prunedIn = async ({ region, connection, signal }: Place): Promise<KindName[]> => [
  ...prunedKinds,
  ...((await connection.hasAutoscalers(signal)) ? (['HorizontalPodAutoscaler'] as const) : []),
  ...((await connection.hasBudgets(signal)) ? (['PodDisruptionBudget'] as const) : []),
  ...((await connection.hasTcpRoutes(region, signal)) ? (['TCPRoute', 'Gateway'] as const) : []),
  ...((await connection.hasCertificates(region, signal)) ? (['Certificate'] as const) : []),
];

export const selectorOf = ({ id }: Pick<ComponentIdentity, 'id'>) => `${labels.component}=${id}`;

/** The objects of a component in its namespace, of all kinds that the driver removes. */
async function ownObjects(
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
  const { accessModes, storageClassName, resources, dataSource } = found.spec;
  const asked = Number.parseInt(object.spec.resources.requests.storage, 10);
  const size = /^(\d+)Gi$/.exec(resources.requests.storage)?.[1];
  const isLarger = size !== undefined && found.status?.phase === 'Bound' && asked > Number(size);
  return {
    ...object,
    spec: {
      accessModes,
      ...(storageClassName && { storageClassName }),
      // That of a volume that was restored cannot be left out.
      ...(dataSource && { dataSource }),
      resources: isLarger ? object.spec.resources : { requests: { storage: resources.requests.storage } },
    },
  };
}

/** The inputs of objects other than the component. Omitted inputs are as in the last apply. */
interface ApplySettings {
  workload: KubernetesObject | undefined;
  restart?: string | undefined;
  room?: number | undefined;
}

const isWorkload = ({ kind }: KubernetesObject) => kind === 'Deployment' || kind === 'StatefulSet';

/** The room that a quota had when a workload was applied. */
const roomThen = (workload: KubernetesObject | undefined): number | undefined => {
  const room = workload?.metadata.annotations?.[annotations.room];
  return room === undefined ? undefined : Number(room);
};

/** The objects of a component in its namespace. Its instances keep their last restart, unless there is a new one. */
export async function objectsOf(
  { region, connection, rollouts, signal }: Place,
  component: DesiredComponent,
  { workload, restart, ...given }: ApplySettings,
): Promise<KubernetesObject[]> {
  const namespace = namespaceIn(region, component);
  const [hasTcpRoutes, hasSleep, hasBudgets] = await Promise.all([
    connection.hasTcpRoutes(region, signal),
    connection.hasSleep(signal),
    connection.hasBudgets(signal),
  ]);
  return componentObjects(component, {
    ...region.cluster,
    ...{ hasTcpRoutes, hasSleep, hasBudgets, room: 'room' in given ? given.room : roomThen(workload) },
    minReadySeconds: rollouts.minReadySeconds,
    restarted: restart ?? workload?.spec.template.metadata.annotations?.[annotations.restarted],
  }).map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
}

/** The objects of an update, which has the room that quotas leave now. */
async function updatedObjectsOf(
  place: Place,
  component: DesiredComponent,
  settings: ApplySettings,
): Promise<KubernetesObject[]> {
  const objects = await objectsOf(place, component, { ...settings, room: undefined });
  const room = await roomFor(place, component, settings.workload, objects.find(isWorkload)!);
  return room === undefined ? objects : objectsOf(place, component, { ...settings, room });
}

/** The workload of a component by its name and label. */
const workloadIdentity = ({ region }: Place, component: DesiredComponent): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: component.extendMethod === 'state' ? 'StatefulSet' : 'Deployment',
  metadata: {
    name: component.clusterName,
    namespace: namespaceIn(region, component),
    labels: labelsOf(component),
  },
});

/** Refuses claims of others, which the controller of a StatefulSet would give to the instances by their names. */
async function requireOwnClaims(place: Place, component: DesiredComponent): Promise<void> {
  const { region, connection, signal } = place;
  const data = component.volumes.filter(isData);
  if (component.extendMethod !== 'state' || data.length === 0) return;
  const isOf = data.map(({ name }) => claimsNamed(component, name));
  const { items } = await connection.client.list('PersistentVolumeClaim', signal, {
    namespace: namespaceIn(region, component),
  });
  for (const claim of items) {
    if (isOf.some((has) => has(claim.metadata.name))) requireOwner(claim, labels.component, component.id);
  }
}

/** Makes the objects of a component those that are desired. Returns whether that is done, or has to be gone on with. */
export async function applyComponent(
  place: Place,
  component: DesiredComponent,
  restart: string | undefined,
): Promise<boolean> {
  const { region, connection, source, signal } = place;
  const { client } = connection;
  await requireRoutable(place, component);
  await applyTeam(place, component);
  const before = await ownObjects(place, component, await prunedIn(place));
  const workload =
    before.find((object) => object.kind === 'Deployment' || object.kind === 'StatefulSet') ??
    // Its label may have been removed.
    (await requireOwn(client, workloadIdentity(place, component), labels.component, signal));
  await requireOwnClaims(place, component);
  const objects = await updatedObjectsOf(place, component, { restart, workload });
  if (availableOf(component) !== undefined && !(await connection.hasBudgets(signal))) {
    const about = { region: region.name, component: component.clusterName };
    source.log.warn(about, 'no disruption budget: the account of the region lacks the rights for them');
  }
  const known = new Set(before.map(keyOf));
  const wanted = new Set(objects.map(keyOf));
  if (component.state === 'running') {
    await applyGateway(place, component, listenersOf(component, region.cluster));
  } else {
    // Requests are not sent to instances that stop.
    await applyRoutes(place, component, []);
  }
  // It would change the number of instances that is applied.
  for (const object of before) {
    if (object.kind === 'HorizontalPodAutoscaler' && !wanted.has(keyOf(object))) {
      await client.remove(object, signal);
    }
  }
  for (const object of objects) {
    // An object with the component's label belongs to it. All other objects are read first.
    const found = known.has(keyOf(object))
      ? undefined
      : await requireOwn(client, object, labels.component, signal);
    try {
      if (object.kind === 'Deployment' && isScaledByLoad(component)) {
        await handOverReplicas(place, component, object);
      }
      await applyObject(place, asMade(object, found));
    } catch (error) {
      if (object.kind !== 'StatefulSet' || !needsReplacement(error)) throw error;
      const old = await requireOwn(client, object, labels.component, signal);
      const kind = 'StatefulSet';
      if (old) await client.remove({ ...old, kind }, signal, { propagationPolicy: 'Orphan' });
      return false;
    }
  }
  if (component.state === 'running') await applyRoutes(place, component, component.httpRules);
  // Configuration objects are removed after the instances that read them.
  for (const object of before) {
    if (!wanted.has(keyOf(object)) && !configurationKinds.includes(object.kind as KindName)) {
      await removeWhole(client, object, signal);
    }
  }
  if (component.state === 'closed') await applyGateway(place, component, []);
  return true;
}

const configurationKinds: readonly KindName[] = ['ConfigMap', 'Secret'];

/** Removes the ConfigMaps and Secrets of a component that no instance reads any more, nor will read. */
export async function pruneConfiguration(
  place: Place,
  component: DesiredComponent,
  workload: KubernetesObject,
  pods: readonly KubernetesObject[],
): Promise<void> {
  const wanted = await objectsOf(place, component, { workload });
  const readers = [...pods, ...(await readersOfRuns(place, component))];
  const needed = new Set([...wanted.map(keyOf), ...configurationReadBy(readers)]);
  for (const object of await ownObjects(place, component, configurationKinds)) {
    if (!needed.has(keyOf(object))) await place.connection.client.remove(object, place.signal);
  }
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
  await applyRoutes(place, component, []);
  if (component.deletesVolumes) {
    kinds.push('PersistentVolumeClaim');
    if (await connection.hasSnapshots(signal)) kinds.push('VolumeSnapshot');
  }
  const found = await ownObjects(place, component, kinds);
  const hasNoRuns = await removeRuns(place, component);
  await Promise.all(found.map((object) => removeWhole(client, object, signal)));
  if (await client.read('Namespace', undefined, namespace, signal)) {
    const gateway =
      region.cluster.gatewayClass && (await client.read('Gateway', namespace, gatewayName, signal));
    if (gateway) await applyGateway(place, component, []);
  }
  const { events } = connection;
  const left = await ownObjects(place, component, kinds);
  const pods = await client.list('Pod', signal, { namespace, labelSelector: selectorOf(component) });
  connection.see(component.id, left.filter(isWorkload), pods.items, events);
  const isGone = left.length === 0 && pods.items.length === 0 && hasNoRuns;
  if (isGone) await restrictTeam(place, component);
  return isGone;
}
