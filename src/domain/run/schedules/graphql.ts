import { builder } from '../../../graphql/schema/builder.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../../graphql/schema/input.ts';
import { addList } from '../../../graphql/schema/list.ts';
import { lookup } from '../../../graphql/schema/lookup.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { related, relatedOrNull } from '../../../graphql/schema/related.ts';
import { Component } from '../../component/graphql.ts';
import { timingFields } from '../../component/timing/graphql.ts';
import { ComponentRun } from '../graphql.ts';
import { commandOf } from '../reads.ts';
import * as model from './model.ts';
import * as operations from './operations.ts';
import { requireSchedule, schedulesOf, visibleSchedule } from './reads.ts';

referenceOf('ScheduleRef', model.scheduleRef, 'Identifies a schedule. Set exactly one field.');

const ScheduleConcurrency = enumOf(
  'ScheduleConcurrency',
  model.concurrency,
  'What happens if a run of a schedule has not ended when the next one is due.',
  model.concurrencies,
);

const ScheduleSkipReason = enumOf(
  'ScheduleSkipReason',
  model.skipReason,
  'The reason why a time of a schedule was skipped.',
  model.skipReasons,
);

export const Schedule = entity('Schedule', 'Schedule', {
  description:
    'A schedule that runs a command at the times given by a cron expression. The gateway starts the runs. Times at which no gateway is running are skipped and not made up.',
  read: visibleSchedule,
  revision: 'Runs and skipped times are not counted.',
  uid: 'The id of the schedule. Use it as `scheduleId` in references.',
  exposes: {
    'name: String!': 'The unique name in the component.',
    'timeoutSeconds: Int!': 'The time limit of a run, in seconds. A run that exceeds it is ended.',
    'isPaused: Boolean!': 'Whether the schedule is paused. No runs are started then.',
    'lastSkippedAt: DateTime': 'The last time that was skipped. Null if no time was skipped.',
    'createdAt: DateTime!': 'The creation time.',
    concurrency: property(
      ScheduleConcurrency,
      'What happens if a run of the schedule has not ended when the next one is due.',
    ),
  },
  fields: (t) => ({
    ...timingFields(
      t,
      'runs are started',
      ' Empty while the schedule is paused. They do not depend on whether the component will be running then.',
    ),
    command: t.using('command').stringList({
      description: 'The command, as a list of words.',
      resolve: (schedule) => commandOf(schedule),
    }),
    lastSkipReason: t.using('lastSkipReason').field({
      type: ScheduleSkipReason,
      nullable: true,
      description: 'Why that time was skipped. Null if no time was skipped.',
      resolve: ({ lastSkipReason }) => lastSkipReason as model.SkipReason | null,
    }),
    component: related(t, 'componentId', Component, 'The component.'),
  }),
});

lookup('schedule', Schedule, { ref: model.scheduleRef, read: requireSchedule });

addList(Component, 'schedules', Schedule, {
  description: 'The schedules of the component, oldest first.',
  list: (component) => schedulesOf(component.id),
});

builder.objectField(ComponentRun, 'schedule', (t) =>
  relatedOrNull(
    t,
    'scheduleId',
    Schedule,
    'The schedule that started the run. Null if a user or service account started it, or if the schedule was deleted.',
  ),
);

mutation('createSchedule', model.createSchedule, operations.createSchedule, {
  description:
    'Creates a schedule. It starts runs of a component even if its creator leaves the team. Anyone who can create or change schedules can run commands with them. A run is skipped if the component was never deployed or is stopped, or if its time passed more than a minute ago. Fails with CONFLICT if the region has no cluster. A component can have at most 20 schedules.',
  returns: { schedule: property(Schedule, 'The new schedule.') },
});

mutation('updateSchedule', model.updateSchedule, operations.updateSchedule, {
  description:
    'Changes, pauses or resumes a schedule. Runs that have not ended continue unchanged. Runs missed during a pause are not made up.',
  returns: { schedule: property(Schedule, 'The changed schedule.') },
});

mutation('deleteSchedule', model.deleteSchedule, operations.deleteSchedule, {
  description: 'Deletes a schedule. Its runs continue, and stay in the list of the component.',
  payload: { schedule: property(Schedule, 'The deleted schedule.') },
});
