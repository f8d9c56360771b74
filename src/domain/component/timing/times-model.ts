import { Cron } from 'croner';
import { plainCron } from './cron-model.ts';

/** When a schedule does something. */
export interface Timing {
  cron: string;
  timeZone: string;
  /** Whether it does nothing meanwhile, for schedules that can be paused. */
  isPaused?: boolean;
}

export const timedFields = ['cron', 'timeZone', 'isPaused'] as const;

/** The next times after this one, of a valid expression. Fewer than asked for if there are no more. */
export const timesAfter = ({ cron, timeZone }: Timing, after: Date, count: number): Date[] =>
  new Cron(plainCron(cron), { timezone: timeZone, paused: true }).nextRuns(count, after);

/** The next time after this one. Null if there is none. */
export const nextTime = (timing: Timing, after: Date): Date | null => timesAfter(timing, after, 1)[0] ?? null;

/** The next time of a schedule that is changed. A change of other columns leaves the time, which can be due at present. */
export function timeAfterChange<T extends Timing>(
  before: T,
  data: Partial<T>,
  now: Date,
): { nextRunAt?: Date | null } {
  const after = { ...before, ...data };
  if (timedFields.every((field) => after[field] === before[field])) return {};
  return { nextRunAt: after.isPaused ? null : nextTime(after, now) };
}

/** Whether a text is the name of a time zone. Offsets such as `+02:00` are not, because Kubernetes takes none. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
