import {
  type InspectedComponent,
  type Instance,
  instanceLimits,
  type LogQuery,
  type Logs,
} from '../../instances.ts';
import { filterOf } from '../../log-filter.ts';
import { hasCode } from '../cluster/answers.ts';
import type { Client } from '../cluster/client.ts';
import type { Connection } from '../cluster/connection.ts';
import { type KubernetesObject, pathOf } from '../objects/objects.ts';
import { LastLines, lastByTime, linesOf } from './lines.ts';

/** The maximum length that a node reads of a log. Its end is returned. */
const maxReadBytes = 16 * 2 ** 20;

/** Where the log of a container is read. The time is exact to a second: lines before it are dropped by the reader. */
export function logPath(
  { metadata: { namespace, name } }: KubernetesObject,
  container: string,
  { since, tail, ...more }: { since?: string | undefined; tail?: number } & Record<string, unknown>,
): string {
  const query = new URLSearchParams({ container, timestamps: 'true' });
  if (since) query.set('sinceTime', `${since.slice(0, 19)}Z`);
  if (tail !== undefined) query.set('tailLines', String(tail));
  for (const [option, value] of Object.entries(more)) query.set(option, String(value));
  return `${pathOf('Pod', namespace, name)}/log?${query}`;
}

/** Whether there is no log to read yet or any more: the container waits, or the pod has gone. */
export const hasNoLog = (error: unknown) => hasCode(error, 400, 404);

/** The chunks of a log, and how many bytes they have. */
async function* counted(chunks: AsyncIterable<Buffer>, count: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    count.bytes += chunk.length;
    yield chunk;
  }
}

/** The last lines of a container that are asked for, of at most `searched` lines if not every line is. */
export async function lastLines(
  client: Client,
  pod: KubernetesObject,
  container: string,
  { tail, searched, ...filter }: Omit<LogQuery, 'reader' | 'container'> & { searched: number },
  signal: AbortSignal,
): Promise<Logs> {
  const from = filter.since?.toISOString().replace('Z', '000000Z');
  const isSearch = filter.search !== null || filter.until !== null;
  const isAsked = filterOf(filter);
  const last = new LastLines();
  const count = { bytes: 0, lines: 0 };
  // Whether lines from before `since` were read, and so every line after it.
  let isWhole = false;
  try {
    const most = isSearch ? searched : tail;
    const path = logPath(pod, container, { tail: most, since: from, limitBytes: maxReadBytes });
    for await (const line of linesOf(counted(await client.stream(path, signal), count))) {
      count.lines += 1;
      if (from && line.at !== null && line.at < from) isWhole = true;
      if (isAsked(line)) last.add({ instance: pod.metadata.name, container, ...line });
    }
  } catch (error) {
    if (!hasNoLog(error)) throw error;
  }
  const isCut = (count.lines >= searched && !isWhole) || count.bytes >= maxReadBytes;
  return { lines: last.lines, isTruncated: last.isTruncated || (isSearch && isCut) };
}

/** The last lines of instances, by time. */
export async function readLogs(
  connection: Connection,
  { id }: InspectedComponent,
  instances: readonly Instance[],
  query: LogQuery,
  signal: AbortSignal,
): Promise<Logs> {
  const started = ({ startedAt }: Instance) => startedAt?.getTime() ?? 0;
  const newest = [...instances].sort((one, other) => started(other) - started(one));
  const uids = new Set(newest.slice(0, instanceLimits.instances).map(({ uid }) => uid));
  const pods = connection.instances.podsOf(id).filter(({ metadata }) => uids.has(metadata.uid!));
  const searched = Math.max(instanceLimits.lines, Math.floor(instanceLimits.searched / pods.length));
  const parts = await Promise.all(
    pods.map((pod) => {
      const container = query.container ?? pod.spec.containers[0].name;
      const readLines = () => lastLines(connection.client, pod, container, { ...query, searched }, signal);
      return connection.readers.logs.run(query.reader, readLines, signal);
    }),
  );
  const { lines, isTruncated } = lastByTime(
    parts.flatMap((each) => each.lines),
    query.tail,
  );
  const isPartial = parts.some((each) => each.isTruncated) || instances.length > uids.size;
  return { lines, isTruncated: isTruncated || isPartial };
}
