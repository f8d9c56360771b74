import { z } from 'zod';
import { line } from '../../../kernel/validate.ts';
import { cronProblem, hasDay, maxCronLength } from './cron-model.ts';
import { isTimeZone } from './times-model.ts';

/** A time that has passed by more than this is skipped. */
export const mostLateMs = 60_000;

/** Why a time of a schedule has passed, whatever the schedule does. Those that are stopped say what is. */
export const commonSkipReasons = {
  late: 'The time had passed by more than a minute when a gateway noticed it, for example because no gateway was running. It is not made up.',
  not_deployed: 'The component was never deployed.',
} as const;
export type CommonSkipReason = keyof typeof commonSkipReasons | 'stopped' | 'unavailable';

export const defaultTimeZone = 'UTC';

export const nextRunCounts = { usual: 3, most: 10 };
export const nextRunCount = z.int32().min(1).max(nextRunCounts.most).nullish();

export const cronFields = 'minute, hour, day of the month, month and day of the week, as in Kubernetes';

export const cron = line(maxCronLength).superRefine((value, check) => {
  if (value.length > maxCronLength) return;
  const problem = cronProblem(value) ?? (hasDay(value) ? undefined : 'There is no such day');
  if (problem) check.addIssue({ code: 'custom', message: problem });
});

export const timeZoneField = line(64).refine(
  isTimeZone,
  'Must be the name of a time zone, such as Europe/Berlin',
);
export const timeZoneText = 'The time zone of the expression, for example `Europe/Berlin`.';
