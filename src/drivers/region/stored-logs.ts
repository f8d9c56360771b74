import { gaps } from './gaps.ts';

/** Where lines come from. */
export const logSources = {
  instances: 'What the nodes have of instances and runs.',
  log_store: 'The log store of the region, also of instances that are gone.',
  saved: 'The saved log of a run that was cancelled or timed out.',
} as const;
export type LogSource = keyof typeof logSources;

/** Why a log store was not read. */
export const logGaps = {
  no_cluster: gaps.noCluster,
  no_logs_url: 'The region has no `cluster.logsUrl`: only lines of the present instances are known.',
  shared_name: gaps.sharedName,
} as const;
export type LogGap = keyof typeof logGaps;
