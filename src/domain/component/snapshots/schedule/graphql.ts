import { builder } from '../../../../graphql/schema/builder.ts';
import { property } from '../../../../graphql/schema/exposed.ts';
import { enumOf } from '../../../../graphql/schema/input.ts';
import { mutation } from '../../../../graphql/schema/mutation.ts';
import { objectType } from '../../../../graphql/schema/object-type.ts';
import { relatedOrNull } from '../../../../graphql/schema/related.ts';
import { timingFields } from '../../timing/graphql.ts';
import { Volume } from '../../volumes/graphql.ts';
import { VolumeSnapshotType } from '../graphql.ts';
import * as model from './model.ts';
import * as operations from './operations.ts';
import { type ShownSchedule, scheduleOfVolume } from './reads.ts';

const SnapshotSkipReason = enumOf(
  'SnapshotSkipReason',
  model.skipReason,
  'The reason why a time of a snapshot schedule was skipped.',
  model.skipReasons,
);

const SnapshotSchedule = objectType<ShownSchedule>('SnapshotSchedule', {
  description:
    'A schedule that creates snapshots of a volume at the times given by a cron expression. The gateway creates them. Times at which no gateway is running are skipped and not made up.',
  exposes: {
    'keep: Int!':
      'The number of snapshots of the schedule that are kept. When a new one is ready, the oldest ones beyond this number are deleted. Snapshots created by users and failed snapshots do not count.',
    'lastRunAt: DateTime': 'The last time for which a snapshot was created. Null if none was created.',
    'lastSkippedAt: DateTime': 'The last time that was skipped. Null if no time was skipped.',
    'lastSkipMessage: String': 'The message of the cluster or the gateway. Null if there is only the reason.',
  },
  fields: (t) => ({
    ...timingFields(t, 'snapshots are created'),
    lastSkipReason: t.field({
      type: SnapshotSkipReason,
      nullable: true,
      description: 'Why no snapshot was created at that time. Null if no time was skipped.',
      resolve: ({ lastSkipReason }) => lastSkipReason as model.SkipReason | null,
    }),
  }),
});

builder.objectField(Volume, 'snapshotSchedule', (t) =>
  relatedOrNull(
    t,
    'id',
    SnapshotSchedule,
    'The snapshot schedule of the volume. Null if not set.',
    scheduleOfVolume,
  ),
);

builder.objectField(VolumeSnapshotType, 'isScheduled', (t) =>
  t.boolean({
    description: 'Whether a snapshot schedule created it.',
    resolve: ({ scheduleId }) => scheduleId !== null,
  }),
);

mutation('setSnapshotSchedule', model.setSnapshotSchedule, operations.setSnapshotSchedule, {
  description:
    'Sets the snapshot schedule of a volume. It creates a snapshot at each of its times, even if the person who set it leaves the team, and deletes the oldest snapshots that it created. A snapshot is skipped if the component was never deployed, or if its time passed more than a minute ago. Fails with CONFLICT if the region does not support snapshots, and with REGION_UNAVAILABLE if the cluster does not respond. Idempotent.',
  operation: {
    advice:
      'Sets the times at which snapshots of a volume are created, and how many of them are kept. The oldest ones beyond that number are deleted.',
    selection: { volume: '...VolumeSummary snapshotSchedule { ...SnapshotScheduleSummary }' },
  },
  payload: { volume: property(Volume, 'The volume.') },
});

mutation('removeSnapshotSchedule', model.removeSnapshotSchedule, operations.removeSnapshotSchedule, {
  description:
    'Removes the snapshot schedule of a volume. Its snapshots are kept, and are no longer deleted automatically. Idempotent.',
  payload: { volume: property(Volume, 'The volume.') },
});
