import type { ComponentIdentity } from '../../desired.ts';
import { backendName } from '../../object-names.ts';
import { filledQuery, type GatewayQueries, type TrafficSeries } from '../../traffic.ts';
import type { UsageSeries, UsageWindow } from '../../usage-history.ts';
import { podMatchers } from '../queries/pod-matchers.ts';

/** The shortest time over which a rate is computed, in seconds: several scrapes. */
const leastRangeSeconds = 120;

/** The time that a rate is computed over, in seconds: no shorter than the time between two points. */
const rangeSeconds = ({ stepSeconds }: Pick<UsageWindow, 'stepSeconds'>) =>
  Math.max(leastRangeSeconds, stepSeconds);

/** The query of each series. Each has one series as its answer. */
export function queriesOf(
  namespace: string,
  { clusterName }: { clusterName: string },
  window: Pick<UsageWindow, 'stepSeconds'>,
): Record<UsageSeries, string> {
  const pods = podMatchers(namespace, clusterName);
  // Sums over a whole pod have no container, and the one that holds its network is called POD.
  const containers = `{${pods},container!="",container!="POD"}`;
  const range = `[${rangeSeconds(window)}s]`;
  return {
    cpuMillicores: `sum(rate(container_cpu_usage_seconds_total${containers}${range})) * 1000`,
    memoryMiB: `sum(container_memory_working_set_bytes${containers}) / 1048576`,
    restarts: `sum(kube_pod_container_status_restarts_total{${pods}})`,
  };
}

/** The query of the region that each series is read with, and what its values are multiplied by. */
const sources: Record<TrafficSeries, { name: keyof GatewayQueries; factor: number }> = {
  requestsPerSecond: { name: 'requests', factor: 1 },
  errorsPerSecond: { name: 'errors', factor: 1 },
  latencyP95Ms: { name: 'latencyP95', factor: 1_000 },
};

/** The query of a series, and how messages name it. Null if the region has none. */
export function trafficQuery(
  series: TrafficSeries,
  queries: GatewayQueries,
  namespace: string,
  { clusterName }: Pick<ComponentIdentity, 'clusterName'>,
  window: Pick<UsageWindow, 'stepSeconds'>,
): { text: string; name: string; factor: number } | null {
  const { name, factor } = sources[series];
  const query = queries[name];
  if (query === null) return null;
  const text = filledQuery(query, {
    namespace,
    service: backendName({ clusterName }),
    workload: clusterName,
    range: `${rangeSeconds(window)}s`,
  });
  return { text, name: `query \`${name}\` of the region`, factor };
}
