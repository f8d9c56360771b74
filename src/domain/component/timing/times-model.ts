import { Cron } from 'croner';
import { mapInTransaction } from '../../../kernel/event-loop.ts';
import { createBoundedCache } from '../../../kernel/memo.ts';
import { plainCron } from './cron-model.ts';
import { offsetsOf, skippedAfter } from './skipped-model.ts';

/** When a schedule does something. */
export interface Timing {
  cron: string;
  timeZone: string;
  /** Whether it does nothing meanwhile, for schedules that can be paused. */
  isPaused?: boolean;
}

export const timedFields = ['cron', 'timeZone', 'isPaused'] as const;

const earliest = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one < other ? one : other) : (one ?? other);

/**
 * The next times after this one, of a valid expression. Fewer than asked for if there are no more. A time that the clocks
 * leave out is the moment at which they are set, also at the end of a day, where the library leaves it out.
 */
export function timesAfter({ cron, timeZone }: Timing, after: Date, count: number): Date[] {
  const pattern = plainCron(cron);
  const zoned = new Cron(pattern, { timezone: timeZone, paused: true });
  const local = new Cron(pattern, { timezone: 'UTC', paused: true });
  const offsetAt = offsetsOf(timeZone);
  const times: Date[] = [];
  while (times.length < count) {
    const last = times.at(-1) ?? after;
    const skipped = skippedAfter(last, offsetAt, (time) => local.nextRun(time));
    const next = earliest(zoned.nextRun(last), skipped);
    if (!next) break;
    times.push(next);
  }
  return times;
}

/** All times after one, up to the last of them. */
interface Upcoming {
  after: Date;
  times: readonly Date[];
  /** Whether there are no more. */
  isAll: boolean;
}

/**
 * Next times, by zone and expression. Each takes a third of a millisecond, an application can have ten thousand, and a change
 * computes them when it is planned and when it is made. Pages of schedules show ten of each.
 */
const upcoming = createBoundedCache<string, Upcoming>({ size: 4 * 2 ** 20 });

/** The estimated memory of an entry, in bytes, with a character of its key and a time. */
const ofEntry = { bytes: 200, character: 2, time: 50 };

/** The next times after this one, as `timesAfter` has them. */
export function nextTimes(timing: Timing, after: Date, count: number): Date[] {
  const key = `${timing.timeZone} ${timing.cron}`;
  const stored = upcoming.get(key);
  const left = stored && stored.after <= after ? stored.times.filter((time) => time > after) : [];
  const isLeft = left.length > 0 || (stored?.isAll && stored.after <= after);
  if (isLeft && (left.length >= count || stored?.isAll)) return left.slice(0, count);
  const wanted = count - left.length;
  const more = timesAfter(timing, left.at(-1) ?? after, wanted);
  const times = [...left, ...more];
  const size = ofEntry.bytes + key.length * ofEntry.character + times.length * ofEntry.time;
  upcoming.set(key, { after, times, isAll: more.length < wanted }, size);
  return times;
}

/** The next time after this one. Null if there is none. */
export function nextTime(timing: Timing, after: Date): Date | null {
  const [next = null] = nextTimes(timing, after, 1);
  return next;
}

/** Computes the next times of many in slices, so that `nextTime` has them. */
export async function prepareTimes(
  timings: readonly Timing[],
  after: Date,
  signal?: AbortSignal,
): Promise<void> {
  const active = timings.filter(({ isPaused }) => !isPaused);
  await mapInTransaction(active, (timing) => nextTime(timing, after), signal);
}

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
