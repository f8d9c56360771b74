import type { Context } from '../../../context.ts';
import { derived } from '../../../kernel/derived.ts';
import { nextRunCounts } from './model.ts';
import { nextTimes, type Timing } from './times-model.ts';

/** The cost of finding a time, compared with decoding a text. */
const timeWeight = 200;

/** The next times of a cron expression, up to the most that can be requested. None while it is paused. */
export const nextRunsOf = derived(
  (timing: Timing, _context: Context) =>
    timing.isPaused ? [] : nextTimes(timing, new Date(), nextRunCounts.most),
  (_, times) => times.length * timeWeight,
);
