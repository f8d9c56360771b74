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
  forbid: 'No run is started. The time is skipped.',
  replace: 'The runs that have not ended are cancelled, and another one is started.',
  allow: 'Another run is started beside them.',
} as const;
export type Concurrency = keyof typeof concurrencies;
export const concurrency = z.enum(Object.keys(concurrencies) as [Concurrency, ...Concurrency[]]);

/** Why a time of a schedule has passed without a run. */
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

const cronField = cron.describe(`When runs are started: ${cronFields}, for example \`30 3 * * MON-FRI\`.`);
const concurrencyText = 'What happens at a time at which a run of the schedule has not ended.';

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
  name: scheduleName.nullish().describe('The unique name in the component. Not changed if omitted.'),
  cron: cron.nullish().describe('When runs are started, as in `createSchedule`. Not changed if omitted.'),
  timeZone: timeZoneField.nullish().describe(`${timeZoneText} Not changed if omitted.`),
  command: commandField.nullish().describe('The words of the command. Not changed if omitted.'),
  concurrency: concurrency.nullish().describe(`${concurrencyText} Not changed if omitted.`),
  timeoutSeconds: timeoutField.describe(
    'How long a run may take before it is ended, in seconds. Not changed if omitted.',
  ),
  isPaused: z
    .boolean()
    .nullish()
    .describe('Whether no runs are started until it is set to false. Not changed if omitted.'),
  expectedRevision: expectedRevision('the schedule'),
});
export type UpdateSchedule = z.infer<typeof updateSchedule>;

export const deleteSchedule = z.strictObject({
  schedule: scheduleRef.describe('The schedule.'),
  ...plannedChange('the schedule'),
});
export type DeleteSchedule = z.infer<typeof deleteSchedule>;
