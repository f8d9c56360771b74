const amount = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const cpu = (millicores: number) => `${amount.format(millicores)} m`;
const rate = (value: number) => `${amount.format(value)}/s`;
const milliseconds = (value: number) => `${amount.format(value)} ms`;
const memory = (mebibytes: number) => `${amount.format(mebibytes)} MiB`;

/** The texts of what instances use. */
export const text = {
  note: '1000 m (millicores) are one CPU core.',
  present: 'Current usage',
  cpuInUse: 'CPU in use',
  memoryInUse: 'Memory in use',
  requested: 'Requested per instance',
  restarts: 'Restarts',
  columns: {
    name: 'Instance',
    cpu: 'CPU',
    memory: 'Memory',
    restarts: 'Restarts',
    measured: 'Measured',
  },
  none: 'No instance is running.',
  /** Why nothing is measured. */
  gaps: {
    NO_CLUSTER: 'The region has no cluster, so there is no usage.',
    NO_METRICS: 'CPU and memory are not measured: the cluster has no metrics server.',
    NOT_ALLOWED:
      'CPU and memory cannot be read: the account of the region needs permission to list pods of metrics.k8s.io in the cluster.',
    NOT_RESPONDING: 'CPU and memory cannot be read: the metrics server of the cluster is not responding.',
  },
  history: 'History',
  /** Why there is no history. */
  historyGaps: {
    NO_CLUSTER: 'The region has no cluster, so there is no history.',
    NO_METRICS_URL: 'No history: no metrics server is set for the region. Only current usage is available.',
    SHARED_NAME:
      'No history: another component of the team in the region has, or had until now, the same name in the cluster.',
  },
  /** Why there are no request metrics. */
  trafficGaps: {
    NO_CLUSTER: 'The region has no cluster, so there are no request metrics.',
    NO_METRICS_URL: 'No request metrics: no metrics server is set for the region.',
    NO_GATEWAY_QUERIES: 'No request metrics: no gateway queries are set for the region.',
    SHARED_NAME:
      'No request metrics: another component of the team in the region has, or had until now, the same name in the cluster.',
  },
  noRequests: 'No requests in this period.',
  nothingRecorded: 'No data in this period.',
  period: 'Period',
  periods: {
    HOUR: 'Last hour',
    SIX_HOURS: 'Last 6 hours',
    DAY: 'Last 24 hours',
    WEEK: 'Last 7 days',
    MONTH: 'Last 30 days',
  },
  series: {
    cpuMillicores: { title: 'CPU of all instances', amount: cpu },
    memoryMiB: { title: 'Memory of all instances', amount: memory },
    requestsPerSecond: { title: 'HTTP requests', amount: rate },
    errorsPerSecond: { title: 'HTTP errors (5xx)', amount: rate },
    latencyP95Ms: { title: 'HTTP latency (95th percentile)', amount: milliseconds },
  },
  figures: (title: string) => `${title}, as a table`,
  figureColumns: { at: 'Time', value: 'Value' },
  range: (least: string, most: string, last: string) => `From ${least} to ${most}. Last: ${last}.`,
  cpu,
  memory,
} as const;
