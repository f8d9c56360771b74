import { z } from 'zod';
import { identifier, reference } from '../../../kernel/reference.ts';
import { displayName, expectedRevision, plannedChange } from '../../../kernel/validate.ts';
import { componentRef } from '../../component/model.ts';
import {
  commonSkipReasons,
  cron,
  cronFields,
  defaultTimeZone,
  timeZoneField,
  timeZoneText,
} from '../../component/timing/model.ts';
import { commandField, maxUnfinished, timeoutField } from '../model.ts';

export const scheduleRef = reference('schedule', {
  scheduleId: identifier('The `uid` of the schedule.'),
});
export type ScheduleRef = z.infer<typeof scheduleRef>;

export const scheduleName = displayName(100);

/** The name of a schedule whose creator gives it none: that of its program, with a number if there is one already. */
export function freeName(command: readonly string[], taken: ReadonlySet<string>): string {
  const program =
    command[0]!
      .split('/')
      .at(-1)!
      .replace(/[^\w.-]/g, '')
      .slice(0, 60) || 'schedule';
  for (let count = 1; ; count++) {
    const name = count === 1 ? program : `${program}-${count}`;
    if (!taken.has(name)) return name;
  }
}

/** The policies for a time of a schedule when one of its runs has not ended. */
export const concurrencies = {
  forbid: 'No run is started, and the time is skipped.',
  replace: 'The runs that have not ended are cancelled, and another run is started.',
  allow: 'Another run is started in parallel.',
} as const;
export type Concurrency = keyof typeof concurrencies;
export const concurrency = z.enum(Object.keys(concurrencies) as [Concurrency, ...Concurrency[]]);

/** The reason why a time of a schedule was skipped. */
export const skipReasons = {
  ...commonSkipReasons,
  stopped: 'The component was stopped.',
  unavailable: 'The region of the component was not enabled, or has no cluster.',
  unfinished: 'A run of the schedule had not ended, and its concurrency is `FORBID`.',
  too_many: `${maxUnfinished} runs of the component had not ended.`,
} as const;
export type SkipReason = keyof typeof skipReasons;
export const skipReason = z.enum(Object.keys(skipReasons) as [SkipReason, ...SkipReason[]]);

/** The most schedules of one component. */
export const maxSchedules = 20;

export const defaults = { timeZone: defaultTimeZone, concurrency: 'forbid' } as const;

const cronField = cron.describe(
  `The times at which runs are started, as a cron expression: ${cronFields}, for example \`30 3 * * MON-FRI\`.`,
);
const concurrencyText = 'What happens if a run of the schedule has not ended when the next one is due.';

export const createSchedule = z.strictObject({
  component: componentRef.describe('The component.'),
  name: scheduleName
    .nullish()
    .describe(
      'The unique name in the component, by which manifests refer to the schedule. Defaults to the name of the program, with a number if it is taken.',
    ),
  cron: cronField,
  timeZone: timeZoneField.nullish().describe(`${timeZoneText} Defaults to \`${defaults.timeZone}\`.`),
  command: commandField,
  concurrency: concurrency.nullish().describe(`${concurrencyText} Defaults to \`FORBID\`.`),
  timeoutSeconds: timeoutField,
});
export type CreateSchedule = z.infer<typeof createSchedule>;

export const updateSchedule = z.strictObject({
  schedule: scheduleRef.describe('The schedule.'),
  name: scheduleName.nullish().describe('The unique name in the component. Unchanged if omitted.'),
  cron: cron
    .nullish()
    .describe('The times at which runs are started, as in `createSchedule`. Unchanged if omitted.'),
  timeZone: timeZoneField.nullish().describe(`${timeZoneText} Unchanged if omitted.`),
  command: commandField.nullish().describe('The command, as a list of words. Unchanged if omitted.'),
  concurrency: concurrency.nullish().describe(`${concurrencyText} Unchanged if omitted.`),
  timeoutSeconds: timeoutField.describe(
    'The time limit of a run, in seconds. A run that exceeds it is ended. Unchanged if omitted.',
  ),
  isPaused: z
    .boolean()
    .nullish()
    .describe(
      'Whether the schedule is paused. No runs are started until it is set to false. Unchanged if omitted.',
    ),
  expectedRevision: expectedRevision('the schedule'),
});
export type UpdateSchedule = z.infer<typeof updateSchedule>;

export const deleteSchedule = z.strictObject({
  schedule: scheduleRef.describe('The schedule.'),
  ...plannedChange('the schedule'),
});
export type DeleteSchedule = z.infer<typeof deleteSchedule>;
