import { gaps } from './gaps.ts';

/** Where lines come from. */
export const logSources = {
  instances: 'The nodes, for current instances and runs.',
  log_store: 'The log store of the region, also for former instances.',
  saved: 'The saved log of a run that was cancelled or timed out.',
} as const;
export type LogSource = keyof typeof logSources;

/** Why a log store was not read. */
export const logGaps = {
  no_cluster: gaps.noCluster,
  no_logs_url: 'The region has no `cluster.logsUrl`: only the logs of current instances are available.',
  shared_name: gaps.sharedName,
} as const;
export type LogGap = keyof typeof logGaps;
