import {
  type InspectedComponent,
  type Instance,
  instanceLimits,
  type LogLine,
  type LogQuery,
  type Logs,
} from '../instances.ts';
import { ClusterError } from './answers.ts';
import type { Client } from './client.ts';
import type { Connection } from './connection.ts';
import { linesOf, sizeOf } from './log-lines.ts';
import { type KubernetesObject, pathOf } from './objects.ts';

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
export const hasNoLog = (error: unknown) =>
  error instanceof ClusterError && (error.code === 400 || error.code === 404);

/** Keeps the last lines that fit, and whether others were dropped. */
class LastLines {
  readonly lines: LogLine[] = [];
  isTruncated = false;
  #bytes = 0;

  add(line: LogLine): void {
    this.lines.push(line);
    this.#bytes += sizeOf(line);
    while (this.#bytes > instanceLimits.bytes) {
      this.#bytes -= sizeOf(this.lines.shift()!);
      this.isTruncated = true;
    }
  }
}

async function lastLines(
  client: Client,
  pod: KubernetesObject,
  container: string,
  { tail, since }: LogQuery,
  signal: AbortSignal,
): Promise<Logs> {
  const from = since?.toISOString().replace('Z', '000000Z');
  const kept = new LastLines();
  try {
    const path = logPath(pod, container, { tail, since: from, limitBytes: maxReadBytes });
    for await (const { at, text } of linesOf(await client.stream(path, signal))) {
      if (from && at !== null && at < from) continue;
      kept.add({ instance: pod.metadata.name, container, at, text });
    }
  } catch (error) {
    if (!hasNoLog(error)) throw error;
  }
  return kept;
}

const byTime = (one: LogLine, other: LogLine) => {
  const [first, second] = [one.at ?? '', other.at ?? ''];
  return first < second ? -1 : first > second ? 1 : 0;
};

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
  const pods = connection.podsOf(id).filter(({ metadata }) => uids.has(metadata.uid!));
  const found = await Promise.all(
    pods.map((pod) => {
      const container = query.container ?? pod.spec.containers[0].name;
      const read = () => lastLines(connection.client, pod, container, query, signal);
      return connection.logReads.run(query.reader, read, signal);
    }),
  );
  const all = found.flatMap(({ lines }) => lines).sort(byTime);
  const kept = new LastLines();
  for (const line of all.slice(-query.tail)) kept.add(line);
  const isTruncated =
    kept.isTruncated || found.some((each) => each.isTruncated) || instances.length > uids.size;
  return { lines: kept.lines, isTruncated };
}
