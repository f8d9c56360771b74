import type { RemovedComponent } from '../../desired.ts';
import { sharedClaimName } from '../../object-names.ts';
import { Silence } from '../instances/silence.ts';
import { restrictNamespace } from '../namespace/apply.ts';
import { applyPolicies } from '../namespace/crossings.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import {
  type KindName,
  type KubernetesObject,
  labels,
  shareLabel,
  shareLabelsOf,
  teamLabels,
  withMetadata,
} from '../objects/objects.ts';
import { applyRoutes } from '../routes/apply.ts';
import { leaveGateway } from '../routes/gateway.ts';
import { removeRuns } from '../runs/objects.ts';
import { applyComputed } from '../write/apply-object.ts';
import { requireLatestOf } from '../write/fence.ts';
import { listOf, ownObjects, prunedIn } from '../write/own-objects.ts';
import { requireOwn } from '../write/owner.ts';
import { noteRemoval } from '../write/removals.ts';
import { removeOwn } from '../write/remove.ts';
import { leaveNamespace } from '../write/remove-namespace.ts';
import type { ClusterScope } from '../write/scope.ts';

export class Removal {
  /** The objects that the cluster was asked to delete, by uid. */
  readonly asked = new Set<string>();
  readonly silence = new Silence();
  hasLeftRoutes = false;
}

/**
 * The snapshots of a component, and what it had its own from if it is a copy. Accounts of regions may list them, but not watch
 * them.
 */
async function snapshotsOf(
  scope: ClusterScope,
  component: RemovedComponent,
  isFirst: boolean,
): Promise<KubernetesObject[]> {
  const { capabilities } = scope.connection;
  if (!component.deletesVolumes || !(await capabilities.hasSnapshots(scope.signal))) return [];
  const hasContents = await capabilities.hasSnapshotContents(scope.signal);
  return [
    ...(await listedOf(scope, 'VolumeSnapshot', component, isFirst)),
    ...(hasContents ? await listedOf(scope, 'VolumeSnapshotContent', component, isFirst) : []),
  ];
}

/** The objects of a component of a kind. At first, those of all components are listed, once for a job. */
async function listedOf(scope: ClusterScope, kind: KindName, component: RemovedComponent, isFirst: boolean) {
  const { connection, looks, region } = scope;
  const { client } = connection;
  const namespace = namespaceIn(region, component);
  const byComponent = await looks.listed(`${kind} ${namespace}`, labels.component, async () => {
    const query = { namespace, labelSelector: labels.component };
    return (await client.list(kind, connection.ended, query)).items;
  });
  const objects = byComponent.get(component.id) ?? [];
  if (isFirst || objects.length === 0) return objects;
  return listOf(scope, kind, component);
}

/** Takes a component off the claims that it shares. The last one takes their data along if it is to go. */
async function leaveSharedClaims(scope: ClusterScope, component: RemovedComponent): Promise<void> {
  const namespace = namespaceIn(scope.region, component);
  for (const name of component.sharedVolumes ?? []) {
    const identity: KubernetesObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: sharedClaimName(component.applicationId, { name }),
        namespace,
        labels: { [labels.application]: String(component.applicationId) },
      },
    };
    const read = () => requireOwn(scope.connection.client, identity, labels.application, scope.signal);
    const before = await read();
    if (!before || before.metadata.deletionTimestamp) continue;
    const labelsBefore = shareLabelsOf(before);
    const isOnly = Object.keys(labelsBefore).length === 1;
    if (!(shareLabel(component) in labelsBefore) || (isOnly && !component.deletesVolumes)) continue;
    await applyComputed(scope, identity, labels.application, before, async (current) => {
      if (!current) return undefined;
      const { [shareLabel(component)]: _, ...others } = shareLabelsOf(current);
      const isLast = Object.keys(others).length === 0;
      if (isLast && component.deletesVolumes) return undefined;
      const { accessModes, storageClassName, resources } = current.spec;
      const own = { ...teamLabels(component.teamId), ...identity.metadata.labels };
      return {
        ...withMetadata(identity, { labels: { ...own, ...(isLast ? shareLabelsOf(current) : others) } }),
        spec: { accessModes, resources, ...(storageClassName && { storageClassName }) },
      };
    });
  }
}

/**
 * Removes what the cluster has of a component, but its claims only if their data goes as well. Returns whether it is gone,
 * with its instances.
 */
export async function removeComponent(
  scope: ClusterScope,
  component: RemovedComponent,
  removal: Removal,
): Promise<boolean> {
  const { connection, signal } = scope;
  const kinds: KindName[] = await prunedIn(scope);
  if (component.deletesVolumes) kinds.push('PersistentVolumeClaim');
  const isFirst = !removal.hasLeftRoutes;
  if (isFirst) {
    await noteRemoval(scope, component);
    await applyRoutes(scope, component, []);
    await leaveGateway(scope, component);
    removal.hasLeftRoutes = true;
  }
  await connection.instances.ready(signal);
  const left = async (): Promise<KubernetesObject[]> => [
    ...(await ownObjects(scope, component, kinds)),
    ...(await snapshotsOf(scope, component, isFirst)),
  ];
  const objects = (await left()).filter(({ metadata }) => !removal.asked.has(metadata.uid!));
  for (const object of objects) requireLatestOf(scope, object);
  await Promise.all(objects.map((object) => removeOwn(scope, object)));
  for (const { metadata } of objects) removal.asked.add(metadata.uid!);
  const hasNoRuns = await removeRuns(scope, component);
  await leaveSharedClaims(scope, component);
  const stays = [...(await left()), ...connection.instances.podsOf(component.id)];
  const versions = stays.map(({ metadata: { uid, resourceVersion } }) => `${uid} ${resourceVersion}`).join();
  if (stays.length > 0 && removal.silence.isLong(versions)) {
    removal.asked.clear();
    for (const object of stays) await connection.cache.verify(object, 'component', signal);
  }
  const isGone = stays.length === 0 && hasNoRuns;
  if (!isGone) return false;
  // Another process may have applied a route a moment before.
  await applyRoutes(scope, component, []);
  await applyPolicies(scope, component);
  await restrictNamespace(scope, component);
  await leaveNamespace(scope, component);
  return true;
}
