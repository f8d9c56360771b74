import type { VolumeSnapshot } from '../../../drivers/region/volume-snapshots.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { nullOnError } from '../../../graphql/schema/null-on-error.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { Volume } from '../volumes/graphql.ts';
import { createVolumeSnapshot, deleteVolumeSnapshot, maxSnapshots, restoreVolumeSnapshot } from './model.ts';
import * as operations from './operations.ts';
import { maxSnapshotComponents, snapshotsOf } from './reads.ts';

export const VolumeSnapshotType = objectType<VolumeSnapshot>('VolumeSnapshot', {
  description:
    'A snapshot of the data of a volume, stored by the cluster. In a component with the extend method STATE, it has the data of all instances.',
  exposes: {
    'name: String!': 'The name, unique in the component.',
    'isReady: Boolean!': 'Whether the volume can be restored from the snapshot.',
    'createdAt: DateTime': 'The creation time. Null if unknown.',
    'bytes: Float': 'The size that a restored volume needs, in bytes. Null while unknown.',
    'problem: String':
      'Why the snapshot is not ready, as reported by the cluster. Null if the cluster reports nothing.',
  },
});

builder.objectField(Volume, 'snapshots', (t) =>
  t.using('componentId', 'name').field({
    type: [VolumeSnapshotType],
    ...nullOnError,
    description: `The snapshots, newest first, at most ${maxSnapshots}. Empty if the region does not support snapshots. A request can list the snapshots of at most ${maxSnapshotComponents} components. Null with a REGION_UNAVAILABLE error if the cluster does not respond.`,
    resolve: (volume, _, context) => snapshotsOf(context, volume),
  }),
);

const needed =
  'Fails with CONFLICT if the region does not support snapshots, and with REGION_UNAVAILABLE if the cluster does not respond.';

mutation('createVolumeSnapshot', createVolumeSnapshot, operations.recordSnapshot, {
  description: `Creates a snapshot of a volume. It is complete when \`isReady\` is true. Instances keep running, so the application must be able to start from the data as it would after a crash. ${needed}`,
  operation: {
    advice: 'The snapshot is ready when list_volume_snapshots shows `isReady: true`.',
  },
  load: operations.makeSnapshot,
  payload: {
    volume: property(Volume, 'The volume.'),
    'name: String!': 'The name of the snapshot.',
  },
});

mutation('deleteVolumeSnapshot', deleteVolumeSnapshot, operations.recordSnapshotDeletion, {
  description: `Deletes a snapshot of a volume. ${needed}`,
  load: operations.deleteSnapshot,
  payload: { volume: property(Volume, 'The volume.') },
});

mutation('restoreVolumeSnapshot', restoreVolumeSnapshot, operations.recordRestore, {
  description: `Replaces the data of a volume with a snapshot. The current data is lost unless a snapshot of it exists. The component must be stopped, and uses the data when it next starts. Safe to retry. ${needed}`,
  operation: {
    advice: 'Stop the component first.',
  },
  load: operations.restoreSnapshot,
  payload: { volume: property(Volume, 'The volume.') },
});
