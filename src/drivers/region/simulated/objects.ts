import type { ManagedObject, ManagedObjects } from '../managed-objects.ts';

/** What a component of a region has left that was deleted long ago. */
const leftIn = (regionId: string): ManagedObject[] =>
  ['ConfigMap', 'PersistentVolumeClaim'].map((kind) => ({
    kind,
    namespace: 'trellis-left',
    name: 'left',
    uid: `${regionId}-${kind}`,
    createdAt: null,
    teamId: 'left',
    componentIds: ['left'],
    hasData: kind === 'PersistentVolumeClaim',
  }));

/** With leftovers, they are there until they are removed. */
export function simulatedObjects(hasLeftovers: boolean): ManagedObjects {
  const removed = new Set<string>();
  return {
    list: async (regionId) => (hasLeftovers ? leftIn(regionId).filter(({ uid }) => !removed.has(uid)) : []),
    async remove(_, objects) {
      for (const { uid } of objects) removed.add(uid);
    },
  };
}
