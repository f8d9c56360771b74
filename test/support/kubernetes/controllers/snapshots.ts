import { amountOf } from '../../../../src/formats/quantities.ts';
import { kindNamed } from '../api/kinds.ts';
import { now, type Store } from '../api/store.ts';

/** The data of a claim, which tests write, and of a snapshot by its handle. */
const dataOf = new WeakMap<Store, Map<string, string>>();

/** What is on a disk of which no snapshot can be made. */
export const unreadable = 'unreadable';

const keyOf = ({ metadata }: any) => metadata.uid as string;

const snapshots = kindNamed('VolumeSnapshot');
const contents = kindNamed('VolumeSnapshotContent');

/** What is on the volume of a claim. */
export function dataIn(store: Store): Map<string, string> {
  const data = dataOf.get(store) ?? new Map<string, string>();
  dataOf.set(store, data);
  return data;
}

const boundProtection = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';

/** Makes snapshots of claims that are bound, and fills claims that are made of one, as the controllers of CSI do. */
export function runSnapshots(store: Store): void {
  for (const snapshot of store.list(snapshots)) {
    const { metadata, spec, status = {} } = snapshot;
    if (status.readyToUse || metadata.deletionTimestamp) continue;
    if (spec.source.volumeSnapshotContentName === undefined) takeSnapshot(store, snapshot);
    else bindSnapshot(store, snapshot);
  }
  releaseContents(store);
  fillClaims(store);
}

function refuse(store: Store, snapshot: any, message: string): void {
  if (snapshot.status?.error?.message === message) return;
  store.save(snapshots, { ...snapshot, status: { readyToUse: false, error: { message, time: now() } } });
}

/** The status of a snapshot whose content is ready. */
const readyFrom = ({ metadata, status }: any) => ({
  readyToUse: true,
  restoreSize: `${status.restoreSize / 2 ** 30}Gi`,
  creationTime: now(),
  boundVolumeSnapshotContentName: metadata.name,
});

function takeSnapshot(store: Store, snapshot: any): void {
  const { metadata, spec } = snapshot;
  const data = dataIn(store);
  const name = spec.source.persistentVolumeClaimName;
  const claim = store.get(kindNamed('PersistentVolumeClaim'), metadata.namespace, name)?.object;
  if (claim?.status.phase !== 'Bound')
    return void refuse(store, snapshot, `Failed to get PVC ${metadata.namespace}/${name}`);
  if (data.get(keyOf(claim)) === unreadable)
    return void refuse(store, snapshot, 'Failed to take the snapshot');
  const snapshotHandle = `handle-${metadata.uid}`;
  data.set(snapshotHandle, data.get(keyOf(claim)) ?? '');
  const { namespace, uid } = metadata;
  const content = store.put('VolumeSnapshotContent', {
    metadata: { name: `snapcontent-${uid}`, finalizers: [boundProtection] },
    spec: {
      ...{ deletionPolicy: 'Delete', driver: 'csi.test', source: { volumeHandle: claim.spec.volumeName } },
      ...{ sourceVolumeMode: 'Filesystem', volumeSnapshotClassName: 'csi-test' },
      volumeSnapshotRef: { namespace, name: metadata.name, uid },
    },
    status: { snapshotHandle, readyToUse: true, restoreSize: amountOf(claim.status.capacity.storage) },
  });
  store.save(snapshots, { ...snapshot, status: readyFrom(content) });
}

/** Binds a snapshot to a content that was made for it, if both name each other and the storage has what it names. */
function bindSnapshot(store: Store, snapshot: any): void {
  const { metadata, spec } = snapshot;
  const name = spec.source.volumeSnapshotContentName;
  const content = store.get(contents, undefined, name)?.object;
  if (!content) return void refuse(store, snapshot, `VolumeSnapshotContent ${name} is missing`);
  const { volumeSnapshotRef: ref, source, volumeSnapshotClassName } = content.spec;
  const isMutual =
    ref.namespace === metadata.namespace &&
    ref.name === metadata.name &&
    [undefined, metadata.uid].includes(ref.uid);
  if (!isMutual)
    return void refuse(store, snapshot, `VolumeSnapshotContent ${name} is bound to another snapshot`);
  if (spec.volumeSnapshotClassName !== volumeSnapshotClassName)
    return void refuse(store, snapshot, `VolumeSnapshotContent ${name} has another class`);
  const { snapshotHandle } = source;
  const taken = store.list(contents).find(({ status }) => status?.snapshotHandle === snapshotHandle);
  if (!taken || !dataIn(store).has(snapshotHandle))
    return void refuse(
      store,
      snapshot,
      `Failed to check and update snapshot content: ${name} is not in the storage`,
    );
  const bound = store.save(contents, {
    ...content,
    metadata: { ...content.metadata, finalizers: [boundProtection] },
    spec: { ...content.spec, volumeSnapshotRef: { ...ref, uid: metadata.uid } },
    status: { snapshotHandle, readyToUse: true, restoreSize: taken.status.restoreSize },
  });
  store.save(snapshots, { ...snapshot, status: readyFrom(bound) });
}

/** What is left of a content once its snapshot is gone: with `Delete`, nothing, neither in the storage. */
function releaseContents(store: Store): void {
  for (const content of store.list(contents)) {
    const { deletionPolicy, volumeSnapshotRef: ref } = content.spec;
    const { finalizers = [], deletionTimestamp } = content.metadata;
    const snapshot = store.get(snapshots, ref.namespace, ref.name)?.object;
    const isUsed = ref.uid !== undefined && snapshot?.metadata.uid === ref.uid;
    if (isUsed || (ref.uid === undefined && !deletionTimestamp)) continue;
    if (deletionPolicy === 'Delete') dataIn(store).delete(content.status.snapshotHandle);
    if (deletionPolicy === 'Delete' || deletionTimestamp) store.remove(contents, content);
    else if (finalizers.length > 0) {
      store.save(contents, { ...content, metadata: { ...content.metadata, finalizers: [] } });
    }
  }
}

function fillClaims(store: Store): void {
  const data = dataIn(store);
  for (const claim of store.list(kindNamed('PersistentVolumeClaim'))) {
    const { dataSource } = claim.spec;
    if (dataSource?.kind !== 'VolumeSnapshot' || data.has(keyOf(claim))) continue;
    if (claim.status.phase !== 'Bound') continue;
    const source = store.get(snapshots, claim.metadata.namespace, dataSource.name)?.object;
    const content = store.get(contents, undefined, source?.status?.boundVolumeSnapshotContentName)?.object;
    const found = content && data.get(content.status.snapshotHandle);
    if (found !== undefined) data.set(keyOf(claim), found);
  }
}
