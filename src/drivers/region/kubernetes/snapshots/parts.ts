import { amountOf } from '../../../../formats/quantities.ts';
import type { ComponentIdentity, DesiredVolume, NamespaceOwner } from '../../desired.ts';
import type { VolumeSnapshot } from '../../volume-snapshots.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { annotations, type KubernetesObject, labels, labelsOf } from '../objects/objects.ts';
import { claimSpec } from '../workload/workload.ts';
import { listOf } from '../write/own-objects.ts';
import type { ClusterScope } from '../write/scope.ts';

/** The snapshots of a component by their names, each as its parts. */
export const partsOf = async (
  scope: ClusterScope,
  owner: Pick<ComponentIdentity, 'id' | keyof NamespaceOwner>,
) => byName(await listOf(scope, 'VolumeSnapshot', owner));

export function byName(items: readonly KubernetesObject[]): Map<string, KubernetesObject[]> {
  const parts = new Map<string, KubernetesObject[]>();
  for (const item of items) {
    const name = item.metadata.labels?.[labels.snapshot];
    if (name !== undefined && !item.metadata.deletionTimestamp) {
      parts.set(name, [...(parts.get(name) ?? []), item]);
    }
  }
  return parts;
}

/** A snapshot as the sum of its parts, one for each claim. */
export function snapshotOf(name: string, parts: readonly KubernetesObject[]): VolumeSnapshot {
  const [{ metadata }] = parts as [KubernetesObject];
  const sizes = parts.map(({ status }) => status?.restoreSize);
  const problems = parts.flatMap(({ status }) => status?.error?.message ?? []);
  const isReady = parts.every(({ status }) => status?.readyToUse === true);
  const createdAt = metadata.creationTimestamp ? new Date(metadata.creationTimestamp) : null;
  return {
    name,
    volume: metadata.annotations?.[annotations.volume] ?? '',
    isReady,
    createdAt,
    bytes: sizes.every((size) => size !== undefined)
      ? sizes.reduce((sum, size) => sum + amountOf(size), 0)
      : null,
    problem: isReady ? null : (problems[0] ?? null),
    scheduleId: metadata.labels?.[labels.snapshotSchedule] ?? null,
  };
}

/** The claim `name` of a volume, with the data of a part of a snapshot in its namespace. */
export function restoredClaim(
  { region }: ClusterScope,
  owner: ComponentIdentity,
  volume: Pick<DesiredVolume, 'capacityGiB' | 'accessMode'>,
  name: string,
  part: KubernetesObject,
): KubernetesObject {
  const spec = claimSpec(volume, region.cluster.storageClass);
  const neededBytes = amountOf(part.status.restoreSize);
  const isLarger = neededBytes > amountOf(spec.resources.requests.storage);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: namespaceIn(region, owner), labels: labelsOf(owner) },
    spec: {
      ...spec,
      ...(isLarger && { resources: { requests: { storage: String(neededBytes) } } }),
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: part.metadata.name },
    },
  };
}
