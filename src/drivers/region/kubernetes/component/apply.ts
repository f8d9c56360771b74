import type { DesiredComponent } from '../../desired.ts';
import { RegionWorkError } from '../../driver.ts';
import { ClusterError } from '../cluster/answers.ts';
import { isStale } from '../cluster/errors.ts';
import { applyNamespaces, isNamespaceEnding } from '../namespace/apply.ts';
import { applyPolicies } from '../namespace/crossings.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import {
  annotations,
  isWorkload,
  type KindName,
  type KubernetesObject,
  keyOf,
  labels,
  labelsOf,
  ownerLabelOf,
  shareLabelsOf,
  withMetadata,
} from '../objects/objects.ts';
import { applyRoutes, requireRoutable } from '../routes/apply.ts';
import { applyGateway } from '../routes/gateway.ts';
import { listenersOf } from '../routes/http.ts';
import { readersOfRuns } from '../runs/objects.ts';
import { copySnapshots } from '../snapshots/copies.ts';
import { isScaledByLoad } from '../workload/autoscaling.ts';
import { configurationReadBy } from '../workload/configuration.ts';
import { createWorkload, isIncomplete } from '../workload/create.ts';
import { handOverReplicas } from '../workload/hand-over.ts';
import { requireOwnClaims } from '../workload/own-claims.ts';
import { availableOf } from '../workload/placement.ts';
import { roomFor } from '../workload/quotas.ts';
import { applyOwn } from '../write/apply-object.ts';
import { requireLatestOf } from '../write/fence.ts';
import { ownObjects, prunedIn } from '../write/own-objects.ts';
import { requireOwn } from '../write/owner.ts';
import { removeOwn } from '../write/remove.ts';
import type { ClusterScope } from '../write/scope.ts';
import { componentObjects } from './objects.ts';

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
export function asMade(object: KubernetesObject, current: KubernetesObject | undefined): KubernetesObject {
  if (object.kind !== 'PersistentVolumeClaim' || !current) return object;
  const { accessModes, storageClassName, resources, dataSource } = current.spec;
  // One that components share is that of the others, too.
  const shared = shareLabelsOf(current);
  const requestedGiB = Number.parseInt(object.spec.resources.requests.storage, 10);
  const size = /^(\d+)Gi$/.exec(resources.requests.storage)?.[1];
  const isLarger = size !== undefined && current.status?.phase === 'Bound' && requestedGiB > Number(size);
  return {
    ...withMetadata(object, { labels: { ...shared, ...object.metadata.labels } }),
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

/** The room that a quota had when a workload was applied. */
const roomThen = (workload: KubernetesObject | undefined): number | undefined => {
  const room = workload?.metadata.annotations?.[annotations.room];
  return room === undefined ? undefined : Number(room);
};

/** The objects of a component in its namespace. Its instances keep their last restart, unless there is a new one. */
export async function objectsOf(
  { region, connection, rollouts, signal }: ClusterScope,
  component: DesiredComponent,
  { workload, restart, ...settings }: ApplySettings,
): Promise<KubernetesObject[]> {
  const namespace = namespaceIn(region, component);
  const [hasTcpRoutes, hasSleep, hasBudgets] = await Promise.all([
    connection.capabilities.hasTcpRoutes(region, signal),
    connection.capabilities.hasSleep(signal),
    connection.capabilities.hasBudgets(signal),
  ]);
  return componentObjects(component, {
    ...region.cluster,
    ...{ hasTcpRoutes, hasSleep, hasBudgets, room: 'room' in settings ? settings.room : roomThen(workload) },
    minReadySeconds: rollouts.minReadySeconds,
    restarted: restart ?? workload?.spec.template.metadata.annotations?.[annotations.restarted],
  }).map((object) => withMetadata(object, { namespace }));
}

/** The objects of an update, which has the room that quotas leave now. */
async function updatedObjectsOf(
  scope: ClusterScope,
  component: DesiredComponent,
  settings: ApplySettings,
): Promise<KubernetesObject[]> {
  const objects = await objectsOf(scope, component, { ...settings, room: undefined });
  // A first version replaces nothing.
  if (!settings.workload) return objects;
  const room = await roomFor(scope, component, settings.workload, objects.find(isWorkload)!);
  return room === undefined ? objects : objectsOf(scope, component, { ...settings, room });
}

/** The workload of a component by its name and label. */
const workloadIdentity = ({ region }: ClusterScope, component: DesiredComponent): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: component.extendMethod === 'state' ? 'StatefulSet' : 'Deployment',
  metadata: {
    name: component.clusterName,
    namespace: namespaceIn(region, component),
    labels: labelsOf(component),
  },
});

/**
 * Makes the objects of a component those that are desired. Returns them as the cluster has them; otherwise, it has to be gone on
 * with, and can have a reason.
 */
export async function applyComponent(
  scope: ClusterScope,
  component: DesiredComponent,
  restart: string | undefined,
): Promise<KubernetesObject[] | { reason: string } | undefined> {
  const { region, connection, source, signal } = scope;
  const { client } = connection;
  await requireRoutable(scope, component);
  if (await isNamespaceEnding(scope, component)) return undefined;
  await applyNamespaces(scope, component);
  await applyPolicies(scope, component);
  const before = await ownObjects(scope, component, await prunedIn(scope));
  for (const object of before) requireLatestOf(scope, object);
  await connection.cache.hasAll(['PersistentVolumeClaim'], 'component', signal);
  const workload =
    before.find(isWorkload) ??
    // Its label may have been removed.
    (await requireOwn(client, workloadIdentity(scope, component), labels.component, signal));
  await requireOwnClaims(scope, component);
  const waiting = await copySnapshots(scope, component);
  if (waiting) return waiting;
  const objects = await updatedObjectsOf(scope, component, { restart, workload });
  if (availableOf(component) !== undefined && !(await connection.capabilities.hasBudgets(signal))) {
    const about = { region: region.name, component: component.clusterName };
    source.log.warn(about, 'no disruption budget: the account of the region lacks the rights for them');
  }
  const desiredKeys = new Set(objects.map(keyOf));
  if (component.state === 'running') {
    await applyGateway(scope, component, listenersOf(component, region.cluster));
  } else {
    // Requests are not sent to instances that stop.
    await applyRoutes(scope, component, []);
  }
  // It would change the number of instances that is applied.
  for (const object of before) {
    if (object.kind === 'HorizontalPodAutoscaler' && !desiredKeys.has(keyOf(object))) {
      await removeOwn(scope, object);
    }
  }
  const applied: KubernetesObject[] = [];
  for (const object of objects) {
    try {
      if (isWorkload(object) && (!workload || isIncomplete(workload))) {
        await createWorkload(scope, component, object, workload);
      }
      if (object.kind === 'Deployment' && isScaledByLoad(component)) {
        await handOverReplicas(scope, component, object);
      }
      const owner = ownerLabelOf(object);
      const made = await applyOwn(scope, object, owner, (current) => asMade(object, current));
      // What others share changes with them, too.
      if (owner === labels.component) applied.push(made);
    } catch (error) {
      // It was changed while its number of instances was handed over, and is looked at again.
      if (isStale(error)) return undefined;
      if (object.kind !== 'StatefulSet' || !needsReplacement(error)) throw error;
      const old = await requireOwn(client, object, labels.component, signal);
      if (old) await removeOwn(scope, old, { propagationPolicy: 'Orphan' });
      return undefined;
    }
  }
  if (component.state === 'running') await applyRoutes(scope, component, component.httpRules);
  // Configuration objects are removed after the instances that read them.
  for (const object of before) {
    if (!desiredKeys.has(keyOf(object)) && !configurationKinds.includes(object.kind as KindName)) {
      await removeOwn(scope, object);
    }
  }
  if (component.state === 'closed') await applyGateway(scope, component, []);
  return applied;
}

/** Removed by `pruneConfiguration`, once no instance reads them. */
export const configurationKinds: readonly KindName[] = ['ConfigMap', 'Secret'];

/** Removes the ConfigMaps and Secrets of a component that no instance reads any more, nor will read. */
export async function pruneConfiguration(
  scope: ClusterScope,
  component: DesiredComponent,
  workload: KubernetesObject,
  pods: readonly KubernetesObject[],
): Promise<void> {
  const desired = await objectsOf(scope, component, { workload });
  const neededKeys = new Set([...desired.map(keyOf), ...configurationReadBy(pods)]);
  const objects = await ownObjects(scope, component, configurationKinds);
  const unused = objects.filter((object) => !neededKeys.has(keyOf(object)));
  if (unused.length === 0) return;
  const neededByRuns = configurationReadBy(await readersOfRuns(scope, component));
  for (const object of unused) {
    if (!neededByRuns.has(keyOf(object))) await removeOwn(scope, object);
  }
}
