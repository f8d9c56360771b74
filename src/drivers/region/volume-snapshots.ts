import type { ComponentIdentity, DesiredVolume } from './desired.ts';

/** The component of a volume, with its names in the cluster. */
export interface SnapshotOwner extends ComponentIdentity {
  name: string;
  regionId: string;
  extendMethod: string;
}

/** The state of a volume at a time: of all of its instances, where each has its own. */
export interface VolumeSnapshot {
  /** Unique among the snapshots of the component. */
  name: string;
  volume: string;
  isReady: boolean;
  createdAt: Date | null;
  /** The size that a restored volume needs, in bytes. Null while unknown. */
  bytes: number | null;
  /** Why it is not ready. */
  problem: string | null;
  /** The id of the schedule that made it. Null if a user did. */
  scheduleId: string | null;
}

export interface NewSnapshot {
  volume: string;
  name: string;
  scheduleId?: string;
}

/** Snapshots of volumes, which the cluster has and Trellis does not store. */
export interface SnapshotAccess {
  /** The reason why the cluster cannot make snapshots; null if it can. */
  missing(regionId: string, signal: AbortSignal): Promise<string | null>;
  /** The reason why components of other namespaces cannot get the data of snapshots; null if they can. */
  missingForCopies(regionId: string, signal: AbortSignal): Promise<string | null>;
  /** The snapshots of components of one region, by the ids of these. Newest first. */
  list(owners: readonly SnapshotOwner[], signal: AbortSignal): Promise<Map<string, VolumeSnapshot[]>>;
  /** Starts a snapshot. Nothing happens if there is one of the name. */
  create(owner: SnapshotOwner, snapshot: NewSnapshot, signal: AbortSignal): Promise<void>;
  /** The names of the snapshots whose data a restored volume of the component still has to get. */
  inUse(owner: SnapshotOwner, signal: AbortSignal): Promise<string[]>;
  /** Removes a snapshot. One that is gone is fine. */
  remove(owner: SnapshotOwner, name: string, signal: AbortSignal): Promise<void>;
  /**
   * Replaces the data of a volume by that of a snapshot, while no instance has it. It can be repeated,
   * and ends when the new claims are there.
   */
  restore(
    owner: SnapshotOwner,
    restore: { volume: Pick<DesiredVolume, 'name' | 'capacityGiB' | 'accessMode'>; name: string },
    signal: AbortSignal,
  ): Promise<void>;
}
