import type { NamespaceOwner } from '../../desired.ts';
import { hasCode } from '../cluster/answers.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { type KindName, type KubernetesObject, labels } from '../objects/objects.ts';
import type { ClusterScope } from './scope.ts';

/** What a namespace is kept for, whoever has made it: what runs or has data, and what others may send requests to. */
const keptFor: readonly KindName[] = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'CronJob',
  'Job',
  'Pod',
  'PersistentVolumeClaim',
  'VolumeSnapshot',
  'Service',
];

/** Whether nothing is in a namespace that would be lost with it. What is being deleted does not count. */
async function isEmpty({ connection, region, signal }: ClusterScope, namespace: string): Promise<boolean> {
  for (const kind of await connection.capabilities.among(keptFor, region, signal)) {
    const found = await connection.client.listMetadata(kind, signal, { namespace }).catch((error) => {
      if (hasCode(error, 403)) return undefined;
      throw error;
    });
    // What the account may not list can be there.
    if (!found || found.items.some(({ metadata }) => !metadata.deletionTimestamp)) return false;
  }
  return true;
}

/**
 * Deletes a namespace of an application with what Trellis has in it beside components, if nothing else is left. It stays where
 * the account of the region may not delete namespaces.
 */
export async function removeEmptyNamespace(
  scope: ClusterScope,
  namespace: KubernetesObject,
  isInUse: () => Promise<boolean>,
): Promise<void> {
  const { connection, region, signal, source } = scope;
  if (!(await isEmpty(scope, namespace.metadata.name)) || (await isInUse())) return;
  try {
    await connection.client.remove(namespace, signal);
  } catch (error) {
    if (!hasCode(error, 403)) throw error;
    const about = { region: region.name, namespace: namespace.metadata.name };
    source.log.warn(about, 'the namespace stays: the account of the region may not delete namespaces');
  }
}

/** Deletes the namespace of an application after its last component that was deployed, unless something is left in it. */
export async function leaveNamespace(scope: ClusterScope, owner: NamespaceOwner): Promise<void> {
  const { connection, region, signal, source } = scope;
  const { teamId, namespaceId } = owner;
  if (namespaceId === 0) return;
  const name = namespaceIn(region, owner);
  // Most often, other components are still there.
  if (connection.instances.workloads.some(({ metadata }) => metadata.namespace === name)) return;
  if (await source.isInUse(namespaceId)) return;
  const namespace = await connection.client.read('Namespace', undefined, name, signal);
  const isOwn =
    namespace?.metadata.labels?.[labels.team] === teamId &&
    namespace.metadata.labels[labels.application] === String(namespaceId);
  if (!namespace || !isOwn || namespace.metadata.deletionTimestamp) return;
  await removeEmptyNamespace(scope, namespace, () => source.isInUse(namespaceId));
}
