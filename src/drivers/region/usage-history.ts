import { gaps } from './gaps.ts';

/** The time that a history is of. It has a point at the start, and after each step. */
export interface UsageWindow {
  from: Date;
  to: Date;
  stepSeconds: number;
}

/** Why there is no history. */
export const historyGaps = {
  no_cluster: gaps.noCluster,
  no_metrics_url: 'The region has no `cluster.metricsUrl`: only the current usage is available.',
  shared_name: gaps.sharedName,
} as const;
export type HistoryGap = keyof typeof historyGaps;

export interface UsagePoint {
  at: Date;
  value: number;
}

/** The recorded usage of a component over time, summed over its instances. */
export const usageSeries = ['cpuMillicores', 'memoryMiB', 'restarts'] as const;
export type UsageSeries = (typeof usageSeries)[number];

/** The points of each series, oldest first. There is none at times of which nothing is recorded. */
export type UsageHistory = { gap: HistoryGap } | ({ gap: null } & { [series in UsageSeries]: UsagePoint[] });

/** The most points of a series. */
export const maxPoints = 300;
