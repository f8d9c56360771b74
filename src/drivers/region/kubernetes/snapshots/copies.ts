import type { DesiredComponent, DesiredVolume, SnapshotSource } from '../../desired.ts';
import { RegionWorkError } from '../../driver.ts';
import { claimNameOf, shortHash } from '../../object-names.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { isOfComponent, type KubernetesObject, labels, labelsOf } from '../objects/objects.ts';
import { isData } from '../workload/workload.ts';
import { applyObject, applyOwn } from '../write/apply-object.ts';
import { requireOwn, requireOwner } from '../write/owner.ts';
import type { ClusterScope } from '../write/scope.ts';
import { partsOf, restoredClaim, snapshotOf } from './parts.ts';

const apiVersion = 'snapshot.storage.k8s.io/v1';

interface Copied {
  volume: DesiredVolume;
  source: SnapshotSource;
}

/** The number of the instance that has a claim. 0 if all instances have one. */
const ordinalOf = (component: DesiredComponent, claim: string) =>
  component.extendMethod === 'state' ? Number(/\d+$/.exec(claim)?.[0] ?? 0) : 0;

/** The claim of the first instance, which is made last: where it is, the volume has its data. */
const claimOf = (component: DesiredComponent, volume: DesiredVolume, ordinal = 0) =>
  claimNameOf(component, volume).replace(/#$/, String(ordinal));

/**
 * Gives the volumes of a copy the data of the snapshots that they begin with, before its workload is created. A claim can only be made
 * from a snapshot in its own namespace, so the copy gets a snapshot of its own with the same data in the storage. Returns the reason
 * to look again while that is not ready.
 */
export async function copySnapshots(
  scope: ClusterScope,
  component: DesiredComponent,
): Promise<{ reason: string } | undefined> {
  for (const volume of component.volumes) {
    const { source } = volume;
    if (!source || !isData(volume) || volume.isShared) continue;
    const waiting = await copyVolume(scope, component, { volume, source });
    if (waiting) return waiting;
  }
  return undefined;
}

async function copyVolume(
  scope: ClusterScope,
  component: DesiredComponent,
  copied: Copied,
): Promise<{ reason: string } | undefined> {
  const { connection, region, signal } = scope;
  const { volume, source } = copied;
  const name = claimOf(component, volume);
  const namespace = namespaceIn(region, component);
  const kind = 'PersistentVolumeClaim';
  const known = connection.cache.find(kind, namespace, name);
  if (isOfComponent(known, component.id) && !known.metadata.deletionTimestamp) return undefined;
  const identity = {
    ...{ apiVersion: 'v1', kind },
    metadata: { name, namespace, labels: labelsOf(component) },
  };
  const current = await requireOwn(connection.client, identity, labels.component, signal);
  if (current?.metadata.deletionTimestamp) return { reason: `The volume ${volume.name} is being deleted.` };
  if (current) return undefined;
  const { componentId, snapshot, ...place } = source;
  const parts = (await partsOf(scope, { ...place, id: componentId })).get(snapshot) ?? [];
  if (parts.length === 0 || !snapshotOf(snapshot, parts).isReady) throw lost(copied);
  // Accounts of regions may list snapshots, but not get them by their names.
  const { items: made } = await connection.client.list('VolumeSnapshot', signal, { namespace });
  const copies = await Promise.all(
    parts.map(async (part) => ({
      ordinal: ordinalOf(component, part.spec.source.persistentVolumeClaimName),
      part: await partInCopy(scope, component, part, made),
    })),
  );
  for (const { part } of copies) {
    const problem = part?.status?.error?.message;
    if (problem !== undefined) throw new RegionWorkError(`${whatFails(copied)}: ${problem}`);
    if (part?.status?.readyToUse !== true)
      return { reason: `The volume ${volume.name} waits for its snapshot.` };
  }
  for (const { ordinal, part } of copies.sort((one, other) => other.ordinal - one.ordinal)) {
    const claim = restoredClaim(scope, component, volume, claimOf(component, volume, ordinal), part!);
    if (await requireOwn(connection.client, claim, labels.component, signal)) continue;
    await applyObject(scope, claim, { current: null });
  }
  return undefined;
}

const whatFails = ({ volume, source }: Copied) =>
  `The volume ${volume.name} cannot get the data of the snapshot ${source.snapshot}`;

const lost = (copied: Copied) =>
  new RegionWorkError(
    `${whatFails(copied)}: the snapshot no longer exists. Delete the volume and add the volume again to deploy it empty.`,
    { isPermanent: true },
  );

/** The snapshot in the namespace of the copy that has the data of a part of the original's. Undefined if there is none yet. */
async function partInCopy(
  scope: ClusterScope,
  component: DesiredComponent,
  { metadata, status }: KubernetesObject,
  made: readonly KubernetesObject[],
): Promise<KubernetesObject | undefined> {
  const { connection, region, signal } = scope;
  const name = `trellis-copy-${shortHash(`${region.id}/${component.id}/${metadata.uid}`, 20)}`;
  const found = made.find((each) => each.metadata.name === name);
  if (found) {
    requireOwner(found, labels.component, component.id);
    return found;
  }
  const kind = 'VolumeSnapshotContent';
  const content = status.boundVolumeSnapshotContentName;
  const original = await connection.client.read(kind, undefined, content, signal);
  // As for the snapshot controller, what does not name the snapshot as well is somebody else's.
  if (original?.spec.volumeSnapshotRef.uid !== metadata.uid || !original?.status?.snapshotHandle)
    return undefined;
  const { driver, sourceVolumeMode, volumeSnapshotClassName } = original.spec;
  const ofClass = volumeSnapshotClassName !== undefined && { volumeSnapshotClassName };
  const namespace = namespaceIn(region, component);
  // Like other snapshots, they have no number of a job: nothing is written into them again.
  const { job: _, ...unnumbered } = scope;
  const copied = {
    ...{ apiVersion, kind },
    metadata: { name, labels: { ...labelsOf(component), [labels.region]: region.id } },
    spec: {
      // The data stays that of the original's snapshot.
      deletionPolicy: 'Retain',
      source: { snapshotHandle: original.status.snapshotHandle },
      ...{ driver, ...ofClass, ...(sourceVolumeMode !== undefined && { sourceVolumeMode }) },
      volumeSnapshotRef: { namespace, name },
    },
  };
  await applyOwn(unnumbered, copied, labels.component);
  return applyObject(unnumbered, {
    ...{ apiVersion, kind: 'VolumeSnapshot' },
    metadata: { name, namespace, labels: labelsOf(component) },
    spec: { source: { volumeSnapshotContentName: name }, ...ofClass },
  });
}
