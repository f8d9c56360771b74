import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { instanceLimits, type LogLine, type Logs } from '../../instances.ts';
import type { InspectedRun, RunFollowQuery, RunLogQuery } from '../../runs.ts';
import { isOver } from '../instances/trouble.ts';
import { linesOf, sizeOf } from '../logs/lines.ts';
import { hasNoLog, lastLines, logPath } from '../logs/read.ts';
import type { KubernetesObject } from '../objects/objects.ts';
import { listOf } from '../write/own-objects.ts';
import type { ClusterScope } from '../write/scope.ts';
import { selectorOfRun } from './objects.ts';

const container = 'main';

/** The pod of a run, which is listed because nothing watches it. */
const podOf = async (scope: ClusterScope, run: InspectedRun): Promise<KubernetesObject | undefined> =>
  (await listOf(scope, 'Pod', run.component, selectorOfRun(run.component, run)))[0];

/** The last lines of a run. Null if it has no pod. */
export async function readRun(
  scope: ClusterScope,
  run: InspectedRun,
  { reader, ...query }: RunLogQuery,
): Promise<Logs | null> {
  const pod = await podOf(scope, run);
  if (!pod) return null;
  const { client, readers } = scope.connection;
  const searched = { ...query, searched: instanceLimits.searched };
  const { lines, isTruncated } = await readers.logs.run(
    reader,
    () => lastLines(client, pod, container, searched, scope.signal),
    scope.signal,
  );
  const last = lines.slice(-query.tail);
  return { lines: last, isTruncated };
}

const pauseMs = { min: 250, max: 2_000 };

/** Lines of a log as they come, those that are there already together. */
async function* together(lines: AsyncIterable<LogLine>): AsyncGenerator<LogLine[]> {
  const iterator = lines[Symbol.asyncIterator]();
  const next = () => {
    const result = iterator.next();
    // Awaited later, perhaps after it has failed.
    result.catch(() => {});
    return result;
  };
  let pending = next();
  for (let first = await pending; !first.done; first = await pending) {
    const batch = [first.value];
    let bytes = sizeOf(first.value);
    pending = next();
    while (batch.length < instanceLimits.lines && bytes < instanceLimits.bytes) {
      const more = await Promise.race([pending, setImmediate()]);
      if (!more || more.done) break;
      batch.push(more.value);
      bytes += sizeOf(more.value);
      pending = next();
    }
    yield batch;
  }
}

/** Lines as they are written, until the pod of the run has ended or is gone. */
export async function* followRun(
  scope: ClusterScope,
  run: InspectedRun,
  { reader, tail, after }: RunFollowQuery,
): AsyncGenerator<LogLine[]> {
  const { connection, signal } = scope;
  const giveBack = connection.readers.followed.take(reader);
  let position = [...after.values()][0];
  async function* fresh(pod: KubernetesObject): AsyncGenerator<LogLine> {
    const path = logPath(pod, container, { follow: true, ...(position ? { since: position } : { tail }) });
    for await (const line of linesOf(await connection.client.stream(path, signal))) {
      if (line.at !== null && position !== undefined && line.at <= position) continue;
      position = line.at ?? position;
      yield { instance: pod.metadata.name, container, ...line };
    }
  }
  try {
    for (let waitMs = pauseMs.min; !signal.aborted; waitMs = Math.min(pauseMs.max, waitMs * 2)) {
      const pod = await podOf(scope, run);
      if (!pod) return;
      try {
        yield* together(fresh(pod));
      } catch (error) {
        if (!hasNoLog(error)) throw error;
      }
      // A log ends with its container, or because a connection was lost.
      if (isOver(pod)) return;
      await sleep(waitMs, undefined, { signal });
    }
  } finally {
    giveBack();
  }
}
