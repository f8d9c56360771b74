import { setTimeout as sleep } from 'node:timers/promises';
import { groupBy } from '../../../../kernel/group.ts';
import { RegionWorkError } from '../../driver.ts';
import type { NewSnapshot, SnapshotAccess, SnapshotOwner, VolumeSnapshot } from '../../volume-snapshots.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { annotations, type KubernetesObject, labels, labelsOf } from '../objects/objects.ts';
import { claimsNamed } from '../workload/workload.ts';
import { applyObject } from '../write/apply-object.ts';
import { listOf } from '../write/own-objects.ts';
import { isOwn, requireOwn, requireOwner } from '../write/owner.ts';
import type { ClusterScope } from '../write/scope.ts';
import type { InCluster } from '../write/scopes.ts';
import { byName, partsOf, restoredClaim, snapshotOf } from './parts.ts';

const noSnapshots =
  'The cluster makes no snapshots: it does not serve volumesnapshots of snapshot.storage.k8s.io/v1.';

const noContents =
  'The account of the region cannot read volumesnapshotcontents of snapshot.storage.k8s.io. Restoring a snapshot in another namespace requires this right.';

/** How long a claim that goes is waited for between two looks. */
const pauseMs = 100;

/** The claims of a volume of a component, by name. */
async function claimsOf(
  scope: ClusterScope,
  owner: SnapshotOwner,
  volume: string,
): Promise<KubernetesObject[]> {
  const isOf = claimsNamed(owner, volume);
  const claims = await listOf(scope, 'PersistentVolumeClaim', owner);
  return claims.filter(({ metadata }) => isOf(metadata.name));
}

const timeOf = ({ createdAt }: VolumeSnapshot) => createdAt?.getTime() ?? 0;

const newestFirst = (items: readonly KubernetesObject[]): VolumeSnapshot[] =>
  [...byName(items)]
    .map(([name, parts]) => snapshotOf(name, parts))
    .sort((one, other) => timeOf(other) - timeOf(one) || (one.name < other.name ? 1 : -1));

/** The snapshots of components, with one list for each namespace. */
async function listSnapshots(
  scope: ClusterScope,
  owners: readonly SnapshotOwner[],
): Promise<Map<string, VolumeSnapshot[]>> {
  const byNamespace = groupBy(owners, (owner) => namespaceIn(scope.region, owner));
  const lists = await Promise.all(
    [...byNamespace.values()].map((some) =>
      listOf(scope, 'VolumeSnapshot', some[0]!, some.length > 1 ? labels.component : undefined),
    ),
  );
  const items = groupBy(lists.flat(), ({ metadata }) => metadata.labels![labels.component]!);
  return new Map(owners.map(({ id }) => [id, newestFirst(items.get(id) ?? [])]));
}

async function createSnapshot(
  scope: ClusterScope,
  owner: SnapshotOwner,
  { volume, name, scheduleId }: NewSnapshot,
): Promise<void> {
  const claims = await claimsOf(scope, owner, volume);
  if (claims.length === 0) {
    throw new RegionWorkError(
      `The cluster has no data of the volume ${volume} yet: the component was not deployed with this volume.`,
      { isPermanent: true },
    );
  }
  const namespace = namespaceIn(scope.region, owner);
  // Accounts of regions may list snapshots, but not get them by their names.
  const { items } = await scope.connection.client.list('VolumeSnapshot', scope.signal, { namespace });
  const objects = items.filter((each) => isOwn(each, labels.component, owner.id));
  const parts = byName(objects).get(name) ?? [];
  const made = new Set(parts.map(({ spec }) => spec.source.persistentVolumeClaimName));
  for (const { metadata } of claims) {
    if (made.has(metadata.name)) continue;
    const part: KubernetesObject = {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: {
        // With a dot, which neither part has, so that other parts do not make the same name.
        name: `${name}.${metadata.name}`,
        namespace,
        labels: {
          ...labelsOf(owner),
          [labels.snapshot]: name,
          ...(scheduleId !== undefined && { [labels.snapshotSchedule]: scheduleId }),
        },
        annotations: { [annotations.volume]: volume },
      },
      spec: { source: { persistentVolumeClaimName: metadata.name } },
    };
    const current = items.find((each) => each.metadata.name === part.metadata.name);
    if (current) requireOwner(current, labels.component, owner.id);
    await applyObject(scope, part);
  }
}

async function removeSnapshot(scope: ClusterScope, owner: SnapshotOwner, name: string): Promise<void> {
  const parts = (await partsOf(scope, owner)).get(name) ?? [];
  const { client } = scope.connection;
  await Promise.all(parts.map((part) => client.remove(part, scope.signal)));
}

/**
 * A claim that is made from a snapshot needs it until it is bound. Many storage classes bind a claim when the first instance has
 * it, which is with the next start of the component.
 */
async function snapshotsInUse(scope: ClusterScope, owner: SnapshotOwner): Promise<string[]> {
  const claims = await listOf(scope, 'PersistentVolumeClaim', owner);
  const sources = new Set(
    claims.flatMap(({ spec, status }) =>
      spec.dataSource?.kind === 'VolumeSnapshot' && status?.phase !== 'Bound' ? spec.dataSource.name : [],
    ),
  );
  if (sources.size === 0) return [];
  return [...(await partsOf(scope, owner))].flatMap(([name, parts]) =>
    parts.some(({ metadata }) => sources.has(metadata.name)) ? name : [],
  );
}

/** Makes a claim again, from a part of a snapshot. */
async function restoreClaim(scope: ClusterScope, desired: KubernetesObject): Promise<void> {
  const { connection, signal } = scope;
  for (;;) {
    signal.throwIfAborted();
    const claim = await requireOwn(connection.client, desired, labels.component, signal);
    if (!claim) break;
    if (!claim.metadata.deletionTimestamp) {
      await connection.client.remove(claim, signal);
    }
    await sleep(pauseMs, undefined, { signal });
  }
  await applyObject(scope, desired);
}

async function restoreSnapshot(
  scope: ClusterScope,
  owner: SnapshotOwner,
  { volume, name }: Parameters<SnapshotAccess['restore']>[1],
): Promise<void> {
  const parts = (await partsOf(scope, owner)).get(name) ?? [];
  const snapshot = parts.length > 0 ? snapshotOf(name, parts) : undefined;
  if (!snapshot?.isReady) {
    throw new RegionWorkError(snapshot?.problem ?? `The snapshot ${name} is not ready.`, {
      isPermanent: true,
    });
  }
  if ((await listOf(scope, 'Pod', owner)).length > 0) {
    throw new RegionWorkError('Instances of the component still run. Wait until they have stopped.');
  }
  const desired = parts.map((part) =>
    restoredClaim(scope, owner, volume, part.spec.source.persistentVolumeClaimName, part),
  );
  for (const claim of desired) await restoreClaim(scope, claim);
}

export function snapshotAccess(at: InCluster): SnapshotAccess {
  const missing = async ({ connection, signal }: ClusterScope) =>
    (await connection.capabilities.hasSnapshots(signal)) ? null : noSnapshots;
  return {
    missing: (regionId, signal) => at(regionId, signal, missing),
    missingForCopies: (regionId, signal) =>
      at(regionId, signal, async (scope) => {
        const { capabilities } = scope.connection;
        return (
          (await missing(scope)) ?? ((await capabilities.hasSnapshotContents(signal)) ? null : noContents)
        );
      }),
    async list(owners, signal) {
      const [first] = owners;
      if (!first) return new Map();
      return at(first.regionId, signal, async (scope) =>
        (await missing(scope)) === null ? listSnapshots(scope, owners) : new Map(),
      );
    },
    create: (owner, snapshot, signal) =>
      at(owner.regionId, signal, (scope) => createSnapshot(scope, owner, snapshot)),
    remove: (owner, name, signal) =>
      at(owner.regionId, signal, (scope) => removeSnapshot(scope, owner, name)),
    inUse: (owner, signal) => at(owner.regionId, signal, (scope) => snapshotsInUse(scope, owner)),
    restore: (owner, restore, signal) =>
      at(owner.regionId, signal, (scope) => restoreSnapshot(scope, owner, restore)),
  };
}
