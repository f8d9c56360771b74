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
  'Why no snapshot was made at a time of a snapshot schedule.',
  model.skipReasons,
);

const SnapshotSchedule = objectType<ShownSchedule>('SnapshotSchedule', {
  description:
    'Makes snapshots of a volume at the times of a cron expression. The gateway starts them: times at which none is running are skipped, and not made up for.',
  exposes: {
    'keep: Int!':
      'How many snapshots that the schedule has made stay. When another one is ready, the oldest ones beyond are deleted. Snapshots that a user has made do not count, nor those that have failed.',
    'lastRunAt: DateTime': 'The last time for which a snapshot was made. Null if none was.',
    'lastSkippedAt: DateTime': 'The last time for which no snapshot was made. Null if there was none.',
    'lastSkipMessage: String':
      'What the cluster or the gateway said. Null if there is nothing to add to the reason.',
  },
  fields: (t) => ({
    ...timingFields(t, 'snapshots are made'),
    lastSkipReason: t.field({
      type: SnapshotSkipReason,
      nullable: true,
      description: 'Why none was made then. Null if no time was skipped.',
      resolve: ({ lastSkipReason }) => lastSkipReason as model.SkipReason | null,
    }),
  }),
});

builder.objectField(Volume, 'snapshotSchedule', (t) =>
  relatedOrNull(
    t,
    'id',
    SnapshotSchedule,
    'When snapshots of the volume are made. Null if no schedule is set.',
    scheduleOfVolume,
  ),
);

builder.objectField(VolumeSnapshotType, 'isScheduled', (t) =>
  t.boolean({
    description: 'Whether a snapshot schedule made it.',
    resolve: ({ scheduleId }) => scheduleId !== null,
  }),
);

mutation('setSnapshotSchedule', model.setSnapshotSchedule, operations.setSnapshotSchedule, {
  description:
    'Sets the snapshot schedule of a volume. It creates a snapshot at each of its times, even if the person who set it leaves the team, and deletes the oldest ones that it created. A snapshot is skipped if the component was never deployed, or if its time passed more than a minute ago. Fails with CONFLICT, which says what is missing, if the region does not support snapshots, and with REGION_UNAVAILABLE if the cluster does not respond. Idempotent.',
  operation: {
    advice:
      'Sets when snapshots of a volume are made, and how many of them stay. The oldest ones beyond are deleted.',
    selection: { volume: '...VolumeSummary snapshotSchedule { ...SnapshotScheduleSummary }' },
  },
  payload: { volume: property(Volume, 'The volume.') },
});

mutation('removeSnapshotSchedule', model.removeSnapshotSchedule, operations.removeSnapshotSchedule, {
  description:
    'Removes the snapshot schedule of a volume. The snapshots that it has made stay, and are no longer deleted. Idempotent.',
  payload: { volume: property(Volume, 'The volume.') },
});
