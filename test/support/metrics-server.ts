import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closerOf } from './close-server.ts';

/** A series that the server has recorded. Counters have their rate for each second. */
interface Recorded {
  metric: string;
  labels: Record<string, string>;
  value: number;
}

/** A metrics server on loopback, as far as range queries of sums go. */
export interface MetricsServer {
  url: string;
  recorded: Recorded[];
  /** The parameters of every request so far. */
  queries: Record<string, string>[];
  /** The headers that requests must have. Others are unauthorized. */
  requires: Record<string, string>;
  /** Answers instead, until it is unset. */
  respond: ((response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

/** The most points of a series. */
const maxPoints = 11_000;

const badData = (error: string) => ({ status: 400, body: { status: 'error', errorType: 'bad_data', error } });

/** Whether labels match `{a="b",c!="d",e=~"f"}`. Patterns match the whole value. */
function matches(selector: string, labels: Record<string, string>): boolean {
  const found = [...selector.matchAll(/(\w+)(=~|!=|=)"((?:[^"\\]|\\.)*)"/g)];
  if (found.map(([text]) => text).join(',') !== selector) throw new Error(`unexpected ${selector}`);
  return found.every(([, name, operator, text]) => {
    const value = labels[name!] ?? '';
    if (operator === '=~') return new RegExp(`^(?:${text})$`).test(value);
    return (value === text) === (operator === '=');
  });
}

/** The quantile of a histogram, whose buckets have the upper bound `le`, as it is interpolated within a bucket. */
function quantileOf(share: number, buckets: readonly Recorded[]): number | undefined {
  const bounds = [...new Set(buckets.map(({ labels }) => labels.le!))];
  const counts = bounds
    .map((le) => ({
      bound: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
      count: buckets.filter(({ labels }) => labels.le === le).reduce((sum, { value }) => sum + value, 0),
    }))
    .sort((one, other) => one.bound - other.bound);
  const total = counts.at(-1);
  if (!total) return undefined;
  if (total.count === 0) return Number.NaN;
  const rank = share * total.count;
  const at = counts.findIndex(({ count }) => count >= rank);
  const { bound, count } = counts[at]!;
  const below = counts[at - 1] ?? { bound: 0, count: 0 };
  if (bound === Number.POSITIVE_INFINITY) return below.bound;
  return below.bound + ((bound - below.bound) * (rank - below.count)) / (count - below.count);
}

/** `histogram_quantile(0.95, sum by (le) (rate(metric{…}[60s])))` and sums, with what is taken instead where they have no result. */
function resultOf(query: string, recorded: readonly Recorded[]): number | undefined {
  const quantile =
    /^histogram_quantile\((0\.\d+), sum by \(le\) \(rate\((\w+)\{(.*)\}\[\d+s\]\)\)\)(?: \/ (\d+))?$/.exec(
      query,
    );
  if (quantile) {
    const [, share, metric, selector, divisor = '1'] = quantile;
    const buckets = recorded.filter((each) => each.metric === metric && matches(selector!, each.labels));
    const value = quantileOf(Number(share), buckets);
    return value === undefined ? undefined : value / Number(divisor);
  }
  for (const part of query.split(' or ')) {
    const [, factor = '1', sum = ''] = /^(?:(\d+) \* )?(.*)$/s.exec(part)!;
    const value = sumOf(sum, recorded);
    if (value !== undefined) return Number(factor) * value;
  }
  return undefined;
}

/** `sum(metric{…}) * 2` and `sum(rate(metric{…}[60s]))`. Undefined where nothing is recorded. */
function sumOf(query: string, recorded: readonly Recorded[]): number | undefined {
  const parsed = /^sum\((?:(rate)\()?(\w+)\{(.*)\}(?:\[\d+s\]\))?\)(?: ([*/]) (\d+))?$/.exec(query);
  if (!parsed) throw new Error(`unknown function or unexpected character in ${query}`);
  const [, , metric, selector, operator, operand] = parsed;
  const found = recorded.filter((each) => each.metric === metric && matches(selector!, each.labels));
  if (found.length === 0) return undefined;
  const sum = found.reduce((total, { value }) => total + value, 0);
  if (operator === '*') return sum * Number(operand);
  return operator === '/' ? sum / Number(operand) : sum;
}

function answer(parameters: Record<string, string>, recorded: readonly Recorded[]) {
  const { query = '', start, end, step } = parameters;
  const [from, to, each] = [start, end, step].map(Number) as [number, number, number];
  for (const [name, value] of [
    ['start', from],
    ['end', to],
    ['step', each],
  ] as const) {
    if (!Number.isFinite(value))
      return badData(`invalid parameter "${name}": cannot parse to a valid timestamp`);
  }
  if (to < from) return badData('invalid parameter "end": end timestamp must not be before start time');
  if ((to - from) / each > maxPoints)
    return badData('exceeded maximum resolution of 11,000 points per timeseries');
  try {
    const value = resultOf(query, recorded);
    const count = Math.floor((to - from) / each) + 1;
    const values = Array.from({ length: count }, (_, index) => [from + index * each, String(value)]);
    const result = value === undefined ? [] : [{ metric: {}, values }];
    return { status: 200, body: { status: 'success', data: { resultType: 'matrix', result } } };
  } catch (error) {
    return badData(`invalid parameter "query": ${(error as Error).message}`);
  }
}

export async function startMetricsServer(): Promise<MetricsServer> {
  const found: MetricsServer = {
    url: '',
    recorded: [],
    queries: [],
    requires: {},
    respond: undefined,
    close: () => close(),
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://metrics');
    const parameters = Object.fromEntries(url.searchParams);
    found.queries.push(parameters);
    if (Object.entries(found.requires).some(([name, value]) => request.headers[name] !== value)) {
      response.writeHead(401, { 'content-type': 'text/plain', 'www-authenticate': 'Basic' });
      return void response.end('unauthorized\n');
    }
    if (found.respond) return found.respond(response);
    if (url.pathname !== '/prefix/api/v1/query_range') {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
      return void response.end('404 page not found\n');
    }
    const { status, body } = answer(parameters, found.recorded);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  const close = closerOf(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  found.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`;
  return found;
}
