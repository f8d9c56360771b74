import type { ManagedObject, ManagedObjects } from '../../managed-objects.ts';
import { hasCode } from '../cluster/answers.ts';
import { isOfRegion, namespaceIn } from '../objects/namespaces.ts';
import {
  componentsOf,
  type KindName,
  type KubernetesObject,
  labels,
  managedSelector,
} from '../objects/objects.ts';
import { removeWhole } from './remove.ts';
import { removeEmptyNamespace } from './remove-namespace.ts';
import type { ClusterScope } from './scope.ts';
import type { InCluster } from './scopes.ts';

/** The kinds that the driver may delete in a namespace. That of a team stays, because it can contain objects of others. */
export const kindsIn = ({ connection, region, signal }: ClusterScope): Promise<KindName[]> =>
  connection.capabilities.among(
    [
      'Deployment',
      'StatefulSet',
      'Service',
      'Ingress',
      'ConfigMap',
      'Secret',
      'PersistentVolumeClaim',
      'HorizontalPodAutoscaler',
      'PodDisruptionBudget',
      'Job',
      'HTTPRoute',
      'Gateway',
      'TCPRoute',
      'Certificate',
      'VolumeSnapshot',
    ],
    region,
    signal,
  );

const kindsWithData = ['PersistentVolumeClaim', 'VolumeSnapshot', 'VolumeSnapshotContent'];

const managedObject = (object: KubernetesObject): ManagedObject => {
  const { metadata, kind } = object;
  return {
    kind,
    namespace: metadata.namespace!,
    name: metadata.name,
    uid: metadata.uid!,
    createdAt: metadata.creationTimestamp ? new Date(metadata.creationTimestamp) : null,
    teamId: metadata.labels![labels.team]!,
    componentIds: componentsOf(object),
    hasData: kindsWithData.includes(kind),
  };
};

/**
 * The namespaces that carry the region's id. Another installation can have namespaces with the same prefix in the cluster, whose
 * objects must not be taken for what this one has left.
 */
export async function namespacesIn({
  connection,
  region,
  signal,
}: ClusterScope): Promise<Set<string | undefined>> {
  const marks = await connection.client.list('NetworkPolicy', signal, {
    labelSelector: `${managedSelector},${labels.region}=${region.id}`,
  });
  return new Set(marks.items.filter(isOfRegion(region)).map(({ metadata }) => metadata.namespace));
}

/** The namespaces that applications have to themselves, as far as the account of the region may list namespaces. */
async function applicationNamespaces({
  connection,
  region,
  signal,
}: ClusterScope): Promise<KubernetesObject[]> {
  if (!(await connection.capabilities.hasNamespaces(signal))) return [];
  const labelSelector = `${managedSelector},${labels.application},${labels.region}=${region.id}`;
  const { items } = await connection.client.list('Namespace', signal, { labelSelector });
  return items.filter(isOfRegion(region)).filter(({ metadata }) => !metadata.deletionTimestamp);
}

/** What copies have the data of their volumes from. It is in no namespace, and belongs to that of the copy. */
async function snapshotContents({ connection, region, signal }: ClusterScope): Promise<ManagedObject[]> {
  if (!(await connection.capabilities.hasSnapshotContents(signal))) return [];
  const labelSelector = `${managedSelector},${labels.region}=${region.id}`;
  const { items } = await connection.client.listMetadata('VolumeSnapshotContent', signal, { labelSelector });
  return items
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .map((object) => {
      const { [labels.team]: teamId, [labels.application]: applicationId = 0 } = object.metadata.labels!;
      const owner = { teamId: teamId!, namespaceId: Number(applicationId) };
      return { ...managedObject(object), namespace: namespaceIn(region, owner) };
    });
}

/** The objects in the namespaces of a region, oldest first. */
async function listObjects(scope: ClusterScope): Promise<ManagedObject[]> {
  const { connection, region, signal } = scope;
  const isOwn = isOfRegion(region);
  const namespaces = await namespacesIn(scope);
  const objects: ManagedObject[] = [];
  // One kind after the other, so that what is not needed of their objects is not kept together.
  for (const kind of await kindsIn(scope)) {
    const { items } = await connection.client
      .listMetadata(kind, signal, { labelSelector: managedSelector })
      .catch((error) => {
        // An account of before there were runs may not list them, and has made none.
        if (kind === 'Job' && hasCode(error, 403)) return { items: [] };
        throw error;
      });
    for (const object of items) {
      const { namespace, deletionTimestamp, ownerReferences } = object.metadata;
      const isMade = !deletionTimestamp && !ownerReferences?.length;
      if (isMade && isOwn(object) && namespaces.has(namespace)) objects.push(managedObject(object));
    }
  }
  objects.push(...(await snapshotContents(scope)));
  for (const object of await applicationNamespaces(scope)) {
    const { name, labels: has } = object.metadata;
    objects.push({
      ...managedObject(object),
      namespace: name,
      hasData: objects.some(({ namespace, hasData }) => namespace === name && hasData),
      applicationId: Number(has![labels.application]),
    });
  }
  const timeOf = ({ createdAt }: ManagedObject) => createdAt?.getTime() ?? 0;
  return objects.sort((one, other) => timeOf(one) - timeOf(other));
}

export const managedObjects = (inCluster: InCluster): ManagedObjects => ({
  list: (regionId, signal) => inCluster(regionId, signal, listObjects),
  remove: (regionId, objects, signal) =>
    inCluster(regionId, signal, async (scope) => {
      const { client } = scope.connection;
      const isNamespace = ({ applicationId }: ManagedObject) => applicationId !== undefined;
      await Promise.all(
        objects
          .filter((object) => !isNamespace(object))
          .map(({ kind, namespace, name, uid }) =>
            removeWhole(client, { apiVersion: '', kind, metadata: { namespace, name, uid } }, signal),
          ),
      );
      // Last, because one in which others have something stays.
      for (const { name, uid, applicationId } of objects.filter(isNamespace)) {
        const namespace = await client.read('Namespace', undefined, name, signal);
        if (namespace?.metadata.uid !== uid) continue;
        await removeEmptyNamespace(scope, namespace, () => scope.source.isInUse(applicationId!));
      }
    }),
});
