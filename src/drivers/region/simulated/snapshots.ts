import type { SnapshotAccess, VolumeSnapshot } from '../volume-snapshots.ts';

/** Snapshots that are ready at once. They have no data, and are forgotten with the process. */
export function simulatedSnapshots(): SnapshotAccess {
  const snapshots = new Map<string, VolumeSnapshot[]>();
  const of = (id: string) => snapshots.get(id) ?? [];
  return {
    missing: async () => null,
    missingForCopies: async () => null,
    list: async (owners) => new Map(owners.map(({ id }) => [id, [...of(id)].reverse()])),
    async create({ id }, { volume, name, scheduleId = null }) {
      if (of(id).some((each) => each.name === name)) return;
      const createdAt = new Date();
      const state = { isReady: true, createdAt, bytes: 0, problem: null };
      snapshots.set(id, [...of(id), { name, volume, scheduleId, ...state }]);
    },
    async remove({ id }, name) {
      snapshots.set(
        id,
        of(id).filter((each) => each.name !== name),
      );
    },
    restore: async () => {},
    inUse: async () => [],
  };
}
