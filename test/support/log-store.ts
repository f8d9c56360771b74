import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closerOf } from './close-server.ts';

/** A line that the store has, with the labels of its stream. */
interface StoredLine {
  labels: Record<string, string>;
  /** In nanoseconds. */
  at: bigint;
  text: string;
}

/** A log store on loopback, as far as range queries of lines go. */
export interface LogStore {
  url: string;
  lines: StoredLine[];
  /** The parameters of every request so far. */
  queries: Record<string, string>[];
  /** The headers that requests must have. Others are unauthorized. */
  requires: Record<string, string>;
  /** Answers instead, until it is unset. */
  respond: ((response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

const string = /"(?:[^"\\]|\\.)*"/.source;
const matcher = new RegExp(`(\\w+)(=~|=)(${string})`, 'g');

/** The text of a quoted string. Throws for escapes that there are not. */
const textOf = (quoted: string) => JSON.parse(quoted) as string;

/** `{a="b",c=~"d"}` and `{…} |~ "(?i)e"`, as a test of lines. Throws for other queries. */
function selects(query: string): (line: StoredLine) => boolean {
  const parsed = new RegExp(`^\\{((?:\\w+=~?${string},?)+)\\}(?: \\|~ (${string}))?$`).exec(query);
  const found = [...(parsed?.[1] ?? '').matchAll(matcher)];
  if (!parsed || found.map(([text]) => text).join(',') !== parsed[1]) throw new Error('syntax error');
  const filter = parsed[2] && textOf(parsed[2]);
  if (filter && !filter.startsWith('(?i)')) throw new Error('unexpected filter');
  const pattern = filter ? new RegExp(filter.slice(4), 'i') : undefined;
  return ({ labels, text }) =>
    found.every(([, name, operator, value]) => {
      const wanted = textOf(value!);
      const label = labels[name!] ?? '';
      return operator === '=' ? label === wanted : new RegExp(`^(?:${wanted})$`).test(label);
    }) &&
    (!pattern || pattern.test(text));
}

const compare = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0);

/** The streams of the newest lines of a time, as the store answers with them. Throws for what it rejects. */
function answer(parameters: Record<string, string>, lines: readonly StoredLine[]) {
  const { query = '', start, end, limit = '100', direction } = parameters;
  if (![start, end].every((time) => /^\d{19}$/.test(time ?? ''))) throw new Error('cannot parse a timestamp');
  const [from, to] = [BigInt(start!), BigInt(end!)];
  if (to < from) throw new Error('end timestamp must not be before or equal to start time');
  if (to - from > 721n * 3_600_000_000_000n) throw new Error('the query time range exceeds the limit');
  if (!(Number(limit) > 0 && Number(limit) <= 5_000)) throw new Error('max entries limit per query exceeded');
  if (direction !== 'backward') throw new Error(`unexpected direction ${direction}`);
  const isSelected = selects(query);
  const found = lines
    .filter((line) => line.at >= from && line.at < to && isSelected(line))
    .sort((one, other) => compare(other.at, one.at))
    .slice(0, Number(limit));
  const result = new Map<string, { stream: object; values: [string, string][] }>();
  for (const { labels, at, text } of found) {
    const key = JSON.stringify(labels);
    const stream = result.get(key) ?? { stream: labels, values: [] };
    stream.values.push([String(at), text]);
    result.set(key, stream);
  }
  return { status: 'success', data: { resultType: 'streams', result: [...result.values()], stats: {} } };
}

export async function startLogStore(): Promise<LogStore> {
  const found: LogStore = {
    url: '',
    lines: [],
    queries: [],
    requires: {},
    respond: undefined,
    close: () => close(),
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://logs');
    const parameters = Object.fromEntries(url.searchParams);
    found.queries.push(parameters);
    if (Object.entries(found.requires).some(([name, value]) => request.headers[name] !== value)) {
      response.writeHead(401, { 'content-type': 'text/plain', 'www-authenticate': 'Basic' });
      return void response.end('unauthorized\n');
    }
    if (found.respond) return found.respond(response);
    const send = (status: number, type: string, body: string) => {
      response.writeHead(status, { 'content-type': type });
      response.end(body);
    };
    if (url.pathname !== '/prefix/loki/api/v1/query_range') return send(404, 'text/plain', 'not found\n');
    try {
      send(200, 'application/json', JSON.stringify(answer(parameters, found.lines)));
    } catch (error) {
      send(400, 'text/plain', `${(error as Error).message}\n`);
    }
  });
  const close = closerOf(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  found.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`;
  return found;
}
