import type { ManagedObject, ManagedObjects } from '../managed-objects.ts';

/** Every region has what a component has left that was deleted long ago, until it is removed. */
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

export function simulatedObjects(): ManagedObjects {
  const removed = new Set<string>();
  return {
    list: async (regionId) => leftIn(regionId).filter(({ uid }) => !removed.has(uid)),
    async remove(_, objects) {
      for (const { uid } of objects) removed.add(uid);
    },
  };
}
