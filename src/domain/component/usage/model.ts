import { z } from 'zod';
import type { UsageWindow } from '../../../drivers/region/usage-history.ts';

/** The times that a history can be of. */
export const usagePeriods = {
  hour: 'The last hour, with a point every minute.',
  six_hours: 'The last six hours, with a point every two minutes.',
  day: 'The last 24 hours, with a point every five minutes.',
  week: 'The last seven days, with a point every hour.',
  month: 'The last 30 days, with a point every three hours.',
} as const;
export const usagePeriod = z.enum(Object.keys(usagePeriods) as [keyof typeof usagePeriods]);
export type UsagePeriod = keyof typeof usagePeriods;

/** The length of each, and the time between two points, in seconds. */
const periodSeconds: Record<UsagePeriod, { length: number; step: number }> = {
  hour: { length: 3_600, step: 60 },
  six_hours: { length: 6 * 3_600, step: 120 },
  day: { length: 24 * 3_600, step: 300 },
  week: { length: 7 * 24 * 3_600, step: 3_600 },
  month: { length: 30 * 24 * 3_600, step: 3 * 3_600 },
};

/** A period up to now. It ends at a multiple of the step, so that the points of two reads are at the same times. */
export function windowOf(period: UsagePeriod, nowMs: number): UsageWindow {
  const { length, step } = periodSeconds[period];
  const toMs = Math.floor(nowMs / (step * 1_000)) * step * 1_000;
  return { from: new Date(toMs - length * 1_000), to: new Date(toMs), stepSeconds: step };
}
