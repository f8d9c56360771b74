import { amountOf } from '../../../../formats/quantities.ts';
import type { KubernetesRegion } from '../../clusters.ts';
import type { QueryTarget } from '../../query-credentials.ts';
import type { TrafficHistory, TrafficSeries } from '../../traffic.ts';
import type { ComponentUsage, InstanceUsage, MeasuredComponent, UsageAccess, UsageGap } from '../../usage.ts';
import { type UsagePoint, usageSeries } from '../../usage-history.ts';
import { ClusterError } from '../cluster/answers.ts';
import type { Client } from '../cluster/client.ts';
import { turnsByRegion } from '../cluster/shares.ts';
import { instanceOf } from '../instances/status.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { type KubernetesObject, labels } from '../objects/objects.ts';
import type { FromConnection } from '../write/scopes.ts';
import { queriesOf, trafficQuery } from './queries.ts';
import type { RangeQueries } from './range-queries.ts';

/** The most components whose pods are asked for at once, so that the address of a request is not too long. */
const maxNamed = 100;

/** @see https://github.com/kubernetes/metrics/blob/master/pkg/apis/metrics/v1beta1/types.go */
interface PodMetrics {
  metadata: { name: string; namespace?: string };
  timestamp?: string;
  containers?: { usage?: { cpu?: string; memory?: string } }[];
}

/** Why the cluster returns no measurements, by status code. */
const gaps: Record<number, UsageGap> = { 403: 'not_allowed', 404: 'no_metrics', 503: 'not_responding' };

const keyOf = ({ metadata: { namespace, name } }: Pick<KubernetesObject, 'metadata'> | PodMetrics) =>
  `${namespace}/${name}`;

/** The measurements of the pods of components, or why there are none. */
async function measured(
  client: Client,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, PodMetrics> | UsageGap> {
  const metrics = new Map<string, PodMetrics>();
  try {
    for (let from = 0; from < ids.length; from += maxNamed) {
      const labelSelector = `${labels.component} in (${ids.slice(from, from + maxNamed).join(',')})`;
      const query = new URLSearchParams({ labelSelector });
      const path = `/apis/metrics.k8s.io/v1beta1/pods?${query}`;
      const { items } = await client.get<{ items: PodMetrics[] }>(path, signal);
      for (const each of items) metrics.set(keyOf(each), each);
    }
    return metrics;
  } catch (error) {
    const gap = error instanceof ClusterError ? gaps[error.code] : undefined;
    if (gap) return gap;
    throw error;
  }
}

/** The usage of a pod. Measurements of an earlier pod with the same name do not count. */
function usageOf(pod: KubernetesObject, metrics: PodMetrics | undefined): InstanceUsage {
  const { name, restarts, startedAt } = instanceOf(pod);
  const measuredAt = new Date(metrics?.timestamp ?? Number.NaN);
  const isOwn = !Number.isNaN(measuredAt.getTime()) && !(startedAt && measuredAt < startedAt);
  const containers = metrics?.containers ?? [];
  if (!isOwn || containers.length === 0) {
    return { name, cpuMillicores: null, memoryMiB: null, restarts, measuredAt: null };
  }
  const sum = (resource: 'cpu' | 'memory') =>
    containers.reduce((total, { usage }) => total + amountOf(usage?.[resource]), 0);
  return {
    name,
    cpuMillicores: sum('cpu') * 1_000,
    memoryMiB: sum('memory') / 2 ** 20,
    restarts,
    measuredAt,
  };
}

/** The points since a component was created. */
const since = ({ createdAt }: Pick<MeasuredComponent, 'createdAt'>, points: readonly UsagePoint[]) =>
  points.filter(({ at }) => at >= createdAt);

const metricsServerOf = ({ cluster, queryCredentials }: KubernetesRegion): QueryTarget | null =>
  cluster.metricsUrl === null ? null : { url: cluster.metricsUrl, credentials: queryCredentials.metrics };

const byName = (one: InstanceUsage, other: InstanceUsage) => (one.name < other.name ? -1 : 1);

/** The present usage of components from the metrics API, and that over time from the metrics server of the region. */
export function usageAccess(
  fromConnection: FromConnection,
  regionOf: (regionId: string, signal: AbortSignal) => Promise<KubernetesRegion>,
  ranges: RangeQueries,
): UsageAccess {
  /** The histories that are read of the metrics server of each region. It is asked even if the cluster does not respond. */
  const turnsOf = turnsByRegion({ all: 12, ofTeam: 6, ofUser: 3 });
  return {
    now: (regionId, components, signal) =>
      fromConnection(regionId, signal, async ({ client, instances }) => {
        const podsOf = new Map(components.map(({ id }) => [id, instances.podsOf(id)]));
        const running = components.flatMap(({ id }) => (podsOf.get(id)!.length > 0 ? id : []));
        const answer = await measured(client, running, signal);
        const [gap, metrics] = typeof answer === 'string' ? [answer, undefined] : [null, answer];
        return new Map(
          [...podsOf].map(([id, pods]): [string, ComponentUsage] => [
            id,
            { gap, instances: pods.map((pod) => usageOf(pod, metrics?.get(keyOf(pod)))).sort(byName) },
          ]),
        );
      }),
    async history(component, reader, window, signal) {
      const region = await regionOf(component.regionId, signal);
      const server = metricsServerOf(region);
      if (!server) return { gap: 'no_metrics_url' };
      const queries = queriesOf(namespaceIn(region, component), component, window);
      const readSeries = () =>
        Promise.all(
          usageSeries.map(async (series) =>
            since(component, await ranges.points(server, { text: queries[series] }, window, signal)),
          ),
        );
      const [cpuMillicores, memoryMiB, restarts] = await turnsOf(region.id).run(reader, readSeries, signal);
      return { gap: null, cpuMillicores: cpuMillicores!, memoryMiB: memoryMiB!, restarts: restarts! };
    },
    async traffic(component, reader, window, signal) {
      const region = await regionOf(component.regionId, signal);
      const { gatewayQueries } = region.cluster;
      const server = metricsServerOf(region);
      if (!server) return { gap: 'no_metrics_url' };
      if (gatewayQueries === null) return { gap: 'no_gateway_queries' };
      const namespace = namespaceIn(region, component);
      const pointsOf = async (series: TrafficSeries): Promise<UsagePoint[] | null> => {
        const query = trafficQuery(series, gatewayQueries, namespace, component, window);
        if (query === null) return null;
        const points = since(component, await ranges.points(server, query, window, signal));
        return points.map(({ at, value }) => ({ at, value: value * query.factor }));
      };
      const readTraffic = async (): Promise<TrafficHistory> => {
        const [requestsPerSecond, errorsPerSecond, latencyP95Ms] = await Promise.all([
          pointsOf('requestsPerSecond'),
          pointsOf('errorsPerSecond'),
          pointsOf('latencyP95Ms'),
        ]);
        return { gap: null, requestsPerSecond, errorsPerSecond, latencyP95Ms };
      };
      return turnsOf(region.id).run(reader, readTraffic, signal);
    },
  };
}
