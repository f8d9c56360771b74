import { kindNamed } from '../api/kinds.ts';
import { now, type Store } from '../api/store.ts';

/** The data of a claim, which tests write, and claims that are made of a snapshot take over. */
const dataOf = new WeakMap<Store, Map<string, string>>();

/** What is on a disk of which no snapshot can be made. */
export const unreadable = 'unreadable';

const keyOf = ({ metadata }: any) => metadata.uid as string;

/** What is on the volume of a claim. */
export function dataIn(store: Store): Map<string, string> {
  const data = dataOf.get(store) ?? new Map<string, string>();
  dataOf.set(store, data);
  return data;
}

/** Makes snapshots of claims that are bound, and fills claims that are made of one, as the controllers of CSI do. */
export function runSnapshots(store: Store): void {
  const kind = kindNamed('VolumeSnapshot');
  const data = dataIn(store);
  for (const snapshot of store.list(kind)) {
    const { metadata, spec, status = {} } = snapshot;
    if (status.readyToUse || metadata.deletionTimestamp) continue;
    const name = spec.source.persistentVolumeClaimName;
    const claim = store.get(kindNamed('PersistentVolumeClaim'), metadata.namespace, name)?.object;
    if (claim?.status.phase !== 'Bound') {
      const message = `Failed to get PVC ${metadata.namespace}/${name}`;
      if (status.error?.message === message) continue;
      store.save(kind, { ...snapshot, status: { readyToUse: false, error: { message, time: now() } } });
      continue;
    }
    if (data.get(keyOf(claim)) === unreadable) {
      const error = { message: 'Failed to take the snapshot', time: now() };
      if (!status.error) store.save(kind, { ...snapshot, status: { readyToUse: false, error } });
      continue;
    }
    data.set(keyOf(snapshot), data.get(keyOf(claim)) ?? '');
    store.save(kind, {
      ...snapshot,
      status: {
        readyToUse: true,
        restoreSize: claim.status.capacity.storage,
        creationTime: now(),
        boundVolumeSnapshotContentName: `snapcontent-${metadata.uid}`,
      },
    });
  }
  for (const claim of store.list(kindNamed('PersistentVolumeClaim'))) {
    const { dataSource } = claim.spec;
    if (dataSource?.kind !== 'VolumeSnapshot' || data.has(keyOf(claim))) continue;
    if (claim.status.phase !== 'Bound') continue;
    const source = store.get(kind, claim.metadata.namespace, dataSource.name)?.object;
    if (source) data.set(keyOf(claim), data.get(keyOf(source)) ?? '');
  }
}
