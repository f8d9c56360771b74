import { z } from 'zod';
import { ApiError } from '../../../../kernel/errors.ts';
import type { QueryTarget } from '../../query-credentials.ts';
import { maxPoints, type UsagePoint, type UsageWindow } from '../../usage-history.ts';
import { createQueryServer, type QueryServerOptions, queryLimits } from '../queries/query-server.ts';

const sample = z.tuple([z.number(), z.string()]);
const matrix = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('matrix'),
    result: z.array(z.object({ values: z.array(sample).max(maxPoints) })),
  }),
});

/** Range queries of metrics servers at addresses that administrators give. */
export interface RangeQueries {
  /** The points of a query that has one series. Messages call it by its name, if it has one. Fails with REGION_UNAVAILABLE. */
  points(
    server: QueryTarget,
    query: { text: string; name?: string },
    window: UsageWindow,
    signal: AbortSignal,
  ): Promise<UsagePoint[]>;
  close(): Promise<void>;
}

/** @see https://prometheus.io/docs/prometheus/latest/querying/api/#range-queries */
export function createRangeQueries(options: QueryServerOptions): RangeQueries {
  const metrics = createQueryServer({ noun: 'metrics server', setting: 'metricsCredentials' }, options);
  return {
    async points(server, { text, name }, { from, to, stepSeconds }, signal) {
      const parameters = {
        query: text,
        start: String(from.getTime() / 1_000),
        end: String(to.getTime() / 1_000),
        step: String(stepSeconds),
        timeout: `${queryLimits.callTimeoutMs}ms`,
      };
      const path = '/api/v1/query_range';
      const { data } = await metrics.ask({ server, path, parameters, ...(name && { name }) }, matrix, signal);
      const [series, ...others] = data.result;
      if (others.length > 0) {
        throw new ApiError(
          'REGION_UNAVAILABLE',
          `The ${name ?? 'query'} returned more than one series. The query must aggregate the series, for example with sum().`,
        );
      }
      return (series?.values ?? []).flatMap(([seconds, figure]) => {
        const value = Number(figure);
        // A division by zero is no measurement.
        return Number.isFinite(value) ? { at: new Date(seconds * 1_000), value } : [];
      });
    },
    close: () => metrics.close(),
  };
}
