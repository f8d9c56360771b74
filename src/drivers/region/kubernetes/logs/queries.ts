import { z } from 'zod';
import { instanceLimits, type LogLine, type Logs, type StoredLogQuery } from '../../instances.ts';
import { jobNameOf } from '../../object-names.ts';
import type { QueryTarget } from '../../query-credentials.ts';
import type { InspectedRun } from '../../runs.ts';
import { jobPodMatchers, podMatchers, quoted } from '../queries/pod-matchers.ts';
import { createQueryServer, type QueryServerOptions } from '../queries/query-server.ts';
import { lastByTime } from './lines.ts';

/** The most bytes of a response: each line can be longer than the part of it that is kept, and escaped. */
const bodyBytes = 8 * instanceLimits.bytes;

const streams = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('streams'),
    result: z
      .array(
        z.object({
          stream: z.record(z.string(), z.string()),
          // The time in nanoseconds, the line, and in some versions what else is known of the line.
          values: z.array(z.tuple([z.string().regex(/^\d{1,19}$/), z.string()]).rest(z.unknown())),
        }),
      )
      .refine(
        (results) => results.reduce((sum, { values }) => sum + values.length, 0) <= instanceLimits.lines,
        'Too many lines',
      ),
  }),
});

/** Characters that mean something in a regular expression of RE2. */
const special = /[\\.+*?()|[\]{}^$]/g;

/** The query of lines of a component: a selector of its streams, and a filter. */
export function logQueryOf(
  namespace: string,
  { clusterName }: { clusterName: string },
  { instance, container, search }: Pick<StoredLogQuery, 'instance' | 'container' | 'search'>,
): string {
  // Every matcher has to match: an instance is one of the component.
  const matchers = [
    podMatchers(namespace, clusterName),
    ...(instance === null ? [] : [`pod=${quoted(instance)}`]),
    ...(container === null ? [] : [`container=${quoted(container)}`]),
  ];
  return filtered(matchers, search);
}

export const runLogQueryOf = (
  namespace: string,
  run: Pick<InspectedRun, 'id' | 'component'>,
  { search }: Pick<StoredLogQuery, 'search'>,
): string => filtered([jobPodMatchers(namespace, jobNameOf(run.component, run))], search);

function filtered(matchers: readonly string[], search: string | null): string {
  const selector = `{${matchers.join(',')}}`;
  if (search === null) return selector;
  return `${selector} |~ ${quoted(`(?i)${search.replaceAll(special, '\\$&')}`)}`;
}

const nanoseconds = 1_000_000_000n;

/** The time of a line, as nodes have it. */
function timeOf(text: string): string {
  const time = BigInt(text);
  const seconds = new Date(Number(time / nanoseconds) * 1_000).toISOString().slice(0, 19);
  return `${seconds}.${String(time % nanoseconds).padStart(9, '0')}Z`;
}

function lineOf(labels: Record<string, string>, at: string, text: string): LogLine {
  const bytes = Buffer.from(text);
  const isLong = bytes.length > instanceLimits.lineBytes;
  const start = isLong ? bytes.toString('utf8', 0, instanceLimits.lineBytes) : text;
  return {
    instance: labels.pod ?? '',
    container: labels.container ?? '',
    at: timeOf(at),
    text: start.replace(/\r$/, ''),
  };
}

/** Queries of log stores at addresses that administrators give. */
export interface LogQueries {
  /** The last lines that a query finds, by time. Fails with REGION_UNAVAILABLE. */
  lines(
    server: QueryTarget,
    query: string,
    range: Pick<StoredLogQuery, 'from' | 'to' | 'tail'>,
    signal: AbortSignal,
  ): Promise<Logs>;
  close(): Promise<void>;
}

/** @see https://grafana.com/docs/loki/latest/reference/loki-http-api/#query-logs-within-a-range-of-time */
export function createLogQueries({ limits, ...options }: QueryServerOptions): LogQueries {
  const store = createQueryServer(
    { noun: 'log store', setting: 'logsCredentials' },
    { ...options, limits: { bodyBytes, ...limits } },
  );
  return {
    async lines(server, query, { from, to, tail }, signal) {
      const parameters = {
        query,
        start: `${from.getTime()}000000`,
        // The end is not part of the range.
        end: `${to.getTime() + 1}000000`,
        limit: String(tail),
        direction: 'backward',
      };
      const { data } = await store.ask(
        { server, path: '/loki/api/v1/query_range', parameters },
        streams,
        signal,
      );
      const lines = data.result.flatMap(({ stream, values }) =>
        values.map(([at, text]) => lineOf(stream, at, text)).reverse(),
      );
      return lastByTime(lines, tail);
    },
    close: () => store.close(),
  };
}
