import type { UsageSeries, UsageWindow } from '../../usage-history.ts';
import { podMatchers } from '../queries/pod-matchers.ts';

/** The shortest time over which a rate is computed, in seconds: several scrapes. */
const leastRangeSeconds = 120;

/** The time that a rate is computed over, in seconds: no shorter than the time between two points. */
export const rangeSeconds = ({ stepSeconds }: Pick<UsageWindow, 'stepSeconds'>) =>
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
