import type { ComponentIdentity } from '../../desired.ts';
import { backendName } from '../../object-names.ts';
import { filledQuery, type GatewayQueries, type TrafficSeries } from '../../traffic.ts';
import type { UsageWindow } from '../../usage-history.ts';
import { rangeSeconds } from './usage-queries.ts';

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
