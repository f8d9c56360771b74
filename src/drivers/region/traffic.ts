import { gaps } from './gaps.ts';
import type { UsagePoint } from './usage-history.ts';

/** Why there is no history of HTTP traffic. */
export const trafficGaps = {
  no_cluster: gaps.noCluster,
  no_metrics_url: 'The region has no `cluster.metricsUrl`: there is no metrics server to query.',
  no_gateway_queries: 'The region has no `cluster.gatewayQueries` for the metrics of its gateway.',
  shared_name: gaps.sharedName,
} as const;
export type TrafficGap = keyof typeof trafficGaps;

/** The recorded figures of the HTTP requests that a gateway sends to a component. */
export const trafficSeries = ['requestsPerSecond', 'errorsPerSecond', 'latencyP95Ms'] as const;
export type TrafficSeries = (typeof trafficSeries)[number];

/**
 * The points of each series, oldest first. There is none at times of which nothing is recorded. Null if the region has no
 * query for the series.
 */
export type TrafficHistory =
  | { gap: TrafficGap }
  | ({ gap: null } & { [series in TrafficSeries]: UsagePoint[] | null });

/** The queries of a region for the metrics of its gateway. Null for what is not recorded. */
export interface GatewayQueries {
  requests: string | null;
  errors: string | null;
  /** Its values are in seconds. */
  latencyP95: string | null;
}

/** The values of placeholders in a query. */
export const gatewayPlaceholders = {
  namespace: 'the namespace of the component',
  service: 'the name of the Service that HTTP rules of the component send requests to',
  workload: 'the name of the Deployment or StatefulSet of the component',
  range: 'the time that a rate is computed over, such as `120s`',
} as const;
export type GatewayPlaceholder = keyof typeof gatewayPlaceholders;

export const gatewayQueryLimits = { length: 1_000 };

const placeholder = /\{\{([^{}]*)\}\}/g;

/** The names of the placeholders in a query, as they are written. */
export const placeholdersIn = (query: string): string[] =>
  [...query.matchAll(placeholder)].map(([, name]) => name!.trim());

/** Values: DNS labels and durations. Nothing in them ends a string or means something in a pattern. */
const plain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** A query with values for its placeholders. Throws if a value could change what the query means. */
export function filledQuery(query: string, values: Readonly<Record<GatewayPlaceholder, string>>): string {
  return query.replace(placeholder, (_, name: string) => {
    const value = values[name.trim() as GatewayPlaceholder];
    if (value === undefined || !plain.test(value)) throw new Error(`No value for {{${name}}} in a query.`);
    return value;
  });
}
