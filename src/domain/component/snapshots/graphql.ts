import type { VolumeSnapshot } from '../../../drivers/region/volume-snapshots.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { nullOnError } from '../../../graphql/schema/null-on-error.ts';
import { Volume } from '../volumes/graphql.ts';
import { createVolumeSnapshot, deleteVolumeSnapshot, maxSnapshots, restoreVolumeSnapshot } from './model.ts';
import * as operations from './operations.ts';
import { maxSnapshotComponents, snapshotsOf } from './reads.ts';

export const VolumeSnapshotType = builder.objectRef<VolumeSnapshot>('VolumeSnapshot').implement({
  description:
    'The data of a volume at a time, which the cluster keeps. In a component with state, that is the data of all of its instances.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name, unique in the component.' }),
    isReady: t.exposeBoolean('isReady', { description: 'Whether the volume can be restored from it.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was made. Null if unknown.',
    }),
    bytes: t.exposeFloat('bytes', {
      nullable: true,
      description: 'The size that a restored volume needs, in bytes. Null while it is not known.',
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why it is not ready, as the cluster says it. Null if the cluster says nothing.',
    }),
  }),
});

builder.objectField(Volume, 'snapshots', (t) =>
  t.using('componentId', 'name').field({
    type: [VolumeSnapshotType],
    ...nullOnError,
    description: `The snapshots, newest first, at most ${maxSnapshots}. Empty if the region makes none. A request can list those of ${maxSnapshotComponents} components. Null with a REGION_UNAVAILABLE error if the cluster does not respond.`,
    resolve: (volume, _, context) => snapshotsOf(context, volume),
  }),
);

const needed =
  'Fails with CONFLICT, which says what is missing, if the region makes no snapshots, and with REGION_UNAVAILABLE if the cluster does not respond.';

mutation('createVolumeSnapshot', {
  description: `Creates a snapshot of a volume, which may take a while: \`isReady\` says when it is done. Instances go on meanwhile, so that an application should be able to start from the data as after a crash. ${needed}`,
  operation: {
    advice: 'Makes a snapshot of a volume in the cluster. It is ready when list-volume-snapshots says so.',
  },
  input: createVolumeSnapshot,
  run: operations.recordSnapshot,
  load: operations.makeSnapshot,
  payload: (t) => ({
    volume: t.expose('volume', { type: Volume, description: 'The volume.' }),
    name: t.exposeString('name', { description: 'The name of the snapshot.' }),
  }),
});

mutation('deleteVolumeSnapshot', {
  description: `Deletes a snapshot of a volume. ${needed}`,
  input: deleteVolumeSnapshot,
  run: operations.recordSnapshotDeletion,
  load: operations.deleteSnapshot,
  payload: (t) => ({
    volume: t.expose('volume', { type: Volume, description: 'The volume.' }),
  }),
});

mutation('restoreVolumeSnapshot', {
  description: `Replaces the data of a volume by that of a snapshot. What the volume has now is lost, unless there is a snapshot of it. The component must be stopped, and has the data with its next start. It can be repeated if it fails. ${needed}`,
  operation: {
    advice: 'Replaces the data of a volume by that of a snapshot, while its component is stopped.',
  },
  input: restoreVolumeSnapshot,
  run: operations.recordRestore,
  load: operations.restoreSnapshot,
  payload: (t) => ({
    volume: t.expose('volume', { type: Volume, description: 'The volume.' }),
  }),
});
