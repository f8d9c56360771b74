import { type KindName, type KubernetesObject, labels } from '../objects/objects.ts';
import { removeWhole } from '../routes/certificates.ts';
import { type ClusterScope, isOwn } from './apply-object.ts';
import { requireLatestOf } from './fence.ts';

/** Removes an object of a component, unless a later job has written it. */
export async function removeOwn(
  place: ClusterScope,
  object: KubernetesObject,
  options: { propagationPolicy?: 'Background' | 'Orphan' } = {},
): Promise<void> {
  const { connection, signal } = place;
  const { kind, metadata } = object;
  const owner = metadata.labels?.[labels.component];
  for (let current: KubernetesObject | undefined = object; current; ) {
    requireLatestOf(place, current);
    const version = current.metadata.resourceVersion;
    if (await removeWhole(connection.client, current, signal, { ...options, version })) return;
    signal.throwIfAborted();
    // Accounts of regions may not read snapshots by their names, and no job has written them.
    if (kind === 'VolumeSnapshot') return;
    const object = await connection.client.read(kind as KindName, metadata.namespace, metadata.name, signal);
    current = object && isOwn(object, labels.component, owner) ? { ...object, kind } : undefined;
  }
}
