import { EventEmitter, once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FollowQuery, type InspectedComponent, instanceLimits, type LogLine } from '../../instances.ts';
import { hasCode } from '../cluster/answers.ts';
import type { Connection } from '../cluster/connection.ts';
import type { KubernetesObject } from '../objects/objects.ts';
import { linesOf, sizeOf } from './lines.ts';
import { hasNoLog, logPath } from './read.ts';

/** How long a log that has ended is not reopened unless its pod changes. */
const pauseMs = { min: 250, max: 10_000 };

/** Whether a container has written something that can be read. */
const hasStarted = ({ status }: KubernetesObject, container: string) =>
  [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(
    ({ name, state, lastState }) =>
      name === container && (state?.running || state?.terminated || lastState?.terminated),
  );

/** The logs of the instances of a component, followed together. */
class LogFollower {
  readonly #connection: Connection;
  readonly #component: InspectedComponent;
  readonly #query: FollowQuery;
  readonly #ended = new AbortController();
  /** Emits `pods` when they have changed, `lines` when there are lines to take, and `room` when there is room for more. */
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #lines: LogLine[] = [];
  #bytes = 0;
  #failure: unknown;
  /** The time of the last line of each pod. */
  readonly #positions: Map<string, string>;
  /** The uids of the pods whose logs are followed. */
  readonly #followed = new Set<string>();

  constructor(connection: Connection, component: InspectedComponent, query: FollowQuery) {
    this.#connection = connection;
    this.#component = component;
    this.#query = query;
    this.#positions = new Map(query.after);
    setMaxListeners(0, this.#ended.signal);
  }

  async *run(signal: AbortSignal): AsyncGenerator<LogLine[]> {
    const stop = () => this.#ended.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const leave = this.#connection.changes.listen(this.#component.id, () => this.#start());
    try {
      this.#start();
      while (!this.#ended.signal.aborted) {
        if (this.#lines.length > 0) yield this.#take();
        else if (this.#failure) throw this.#failure;
        else if (this.#isOver()) return;
        else await once(this.#changes, 'lines', { signal: this.#ended.signal }).catch(() => {});
      }
    } finally {
      leave();
      signal.removeEventListener('abort', stop);
      this.#ended.abort();
    }
  }

  #take(): LogLine[] {
    const lines = this.#lines.splice(0, instanceLimits.lines);
    for (const line of lines) this.#bytes -= sizeOf(line);
    this.#changes.emit('room');
    return lines;
  }

  /** Nothing will follow: the instance is gone, or the component is no longer in the cluster. */
  #isOver(): boolean {
    if (this.#followed.size > 0) return false;
    return this.#query.instance !== null || !this.#connection.instances.workloadOf(this.#component.id);
  }

  #pods(): KubernetesObject[] {
    const { instance } = this.#query;
    const pods = this.#connection.instances.podsOf(this.#component.id);
    return instance ? pods.filter(({ metadata }) => metadata.uid === instance.uid) : pods;
  }

  /** Follows the pods that are new, and lets the others know that something has changed. */
  #start(): void {
    for (const { metadata } of this.#pods()) {
      const uid = metadata.uid!;
      if (this.#followed.has(uid) || this.#followed.size >= instanceLimits.instances) continue;
      let giveBack: () => void;
      try {
        giveBack = this.#connection.readers.followed.take(this.#query.reader);
      } catch (error) {
        // A subscription that left out an instance would look complete.
        this.#failure ??= error;
        break;
      }
      this.#followed.add(uid);
      void this.#follow(uid)
        .catch((error) => {
          this.#failure ??= error;
        })
        .finally(() => {
          giveBack();
          this.#followed.delete(uid);
          this.#changes.emit('lines');
        });
    }
    this.#changes.emit('pods');
    this.#changes.emit('lines');
  }

  /** Follows the log of a pod, through restarts of its container and of the server, until the pod is gone. */
  async #follow(uid: string): Promise<void> {
    const { signal } = this.#ended;
    for (let waitMs = pauseMs.min; ; waitMs = Math.min(pauseMs.max, waitMs * 2)) {
      const pod = this.#pods().find(({ metadata }) => metadata.uid === uid);
      if (!pod || signal.aborted) return;
      const container = this.#query.container ?? pod.spec.containers[0].name;
      if (hasStarted(pod, container)) {
        try {
          if (await this.#read(pod, container)) waitMs = pauseMs.min;
        } catch (error) {
          if (signal.aborted) return;
          if (hasCode(error, 401, 403)) throw error;
          if (hasNoLog(error)) waitMs = pauseMs.min;
        }
      }
      // Changes since then were reported before anything subscribed.
      if (!this.#pods().includes(pod)) continue;
      await this.#pause(waitMs);
    }
  }

  /** Waits until a pod changes, or for a time. */
  async #pause(waitMs: number): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#ended.signal]);
    await Promise.race([once(this.#changes, 'pods', { signal }), sleep(waitMs, undefined, { signal })]).catch(
      () => {},
    );
    over.abort();
  }

  /** Reads a log to its end. Returns whether there was something new. */
  async #read(pod: KubernetesObject, container: string): Promise<boolean> {
    const { signal } = this.#ended;
    const { name } = pod.metadata;
    const after = this.#positions.get(name);
    // All of an instance that started after the last look.
    const tail = this.#query.after.size > 0 ? instanceLimits.lines : this.#query.tail;
    const path = logPath(pod, container, { follow: true, ...(after ? { since: after } : { tail }) });
    let isNew = false;
    for await (const { at, text } of linesOf(await this.#connection.client.stream(path, signal))) {
      if (at !== null && after !== undefined && at <= after) continue;
      if (at !== null) this.#positions.set(name, at);
      isNew = true;
      const line = { instance: name, container, at, text };
      this.#lines.push(line);
      this.#bytes += sizeOf(line);
      this.#changes.emit('lines');
      while (this.#bytes > instanceLimits.bytes) await once(this.#changes, 'room', { signal });
    }
    return isNew;
  }
}

/** Lines as they are written. */
export const followLogs = (
  connection: Connection,
  component: InspectedComponent,
  query: FollowQuery,
  signal: AbortSignal,
): AsyncGenerator<LogLine[]> => new LogFollower(connection, component, query).run(signal);
