import { useSyncExternalStore } from 'react';
import type { Client, Operation, RequestPolicy } from 'urql';
import { Costs } from './costs.ts';
import type { StreamState } from './event-stream.ts';

/**
 * How long changes are collected, how often views are read again at most, and how often what no stream reports is polled.
 * Together with two requests less than a second, after which no window shows what another one does not.
 */
const [collectMs, pauseMs] = [40, 200];
export const lookMs = 500;

/** How long it takes until what could not be read again is read once more. */
const retryMs = 2_000;

/**
 * Reads the views again when a subscription reports a change: every query that is on the screen, with one request each,
 * through the normalised cache.
 */
export class Live {
  readonly queries = new Map<number, Operation>();
  readonly costs = new Costs();
  /** Reads the views again whenever one of these objects changes. Returns a function that ends it. */
  follow: (ids: readonly string[]) => () => void = () => () => {};
  /** How often the views were read again. */
  refreshes = 0;
  readonly #streams = new Map<object, StreamState>();
  readonly #listeners = new Set<() => void>();
  #client: Client | undefined;
  /** The queries whose response has not arrived, and those of them that have to be read again after it. */
  readonly #underWay = new Set<number>();
  readonly #again = new Set<number>();
  /** The queries that were read, and those of them that could not be read again. */
  readonly #known = new Set<number>();
  readonly #failed = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastRefresh = 0;

  attach(client: Client, follow: Live['follow']): void {
    this.#client = client;
    this.follow = follow;
  }

  /** Reads the views again, soon. Those of a hidden tab are read again when it is shown. */
  refresh = (): void => {
    if (this.#timer !== undefined || document.hidden) return;
    const waitMs = Math.max(collectMs, this.#lastRefresh + pauseMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#lastRefresh = performance.now();
      this.refreshes++;
      this.#read('network-only');
    }, waitMs);
  };

  /** Reads the views again from the cache, which has a further page of a list. */
  reread = (): void => this.#read('cache-first');

  #read(requestPolicy: RequestPolicy): void {
    for (const operation of this.queries.values()) {
      // Of two requests at once, the older response could arrive last and replace the newer one.
      if (requestPolicy === 'network-only' && this.#underWay.has(operation.key))
        this.#again.add(operation.key);
      else this.#execute(operation, requestPolicy);
    }
  }

  #execute(operation: Operation, requestPolicy: RequestPolicy): void {
    // The cache drops an operation that it cannot answer after another one has failed. The client waits for its result
    // then, and ignores `network-only`. Any other policy ends that, and `network-only` replaces it in the queue.
    const policies =
      requestPolicy === 'network-only' ? (['cache-first', requestPolicy] as const) : [requestPolicy];
    for (const policy of policies) {
      const context = { ...operation.context, requestPolicy: policy };
      this.#client?.reexecuteOperation({ ...operation, context });
    }
  }

  /** Notes that the request of a query is sent. */
  sent(key: number): void {
    this.#underWay.add(key);
  }

  /** Notes that the response has arrived, or that there is none, which can change. */
  received(key: number, hasFailed: boolean): void {
    if (!hasFailed) this.#known.add(key);
    if (hasFailed && this.#known.has(key)) {
      this.#failed.add(key);
      setTimeout(() => this.#failed.has(key) && this.refresh(), retryMs);
    } else this.#failed.delete(key);
    this.#end(key);
    this.#tell();
  }

  /** Notes that the query is not on the screen any more. */
  left(key: number): void {
    this.queries.delete(key);
    this.#known.delete(key);
    this.#failed.delete(key);
    this.#end(key);
    this.#tell();
  }

  #end(key: number): void {
    this.#underWay.delete(key);
    const operation = this.queries.get(key);
    if (this.#again.delete(key) && operation) this.#execute(operation, 'network-only');
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Notes the state of a connection. One that opens has missed what happened since the page was read. */
  note(stream: object, state: StreamState | undefined): void {
    const before = this.#streams.get(stream);
    if (state) this.#streams.set(stream, state);
    else this.#streams.delete(stream);
    if (before !== 'open' && state === 'open') this.refresh();
    this.#tell();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The worst state of all connections, `lost` if a query could not be read again, `idle` if there are none. */
  state = (): StreamState | 'idle' => {
    if (this.#failed.size > 0) return 'lost';
    const states = [...this.#streams.values()];
    return (['lost', 'connecting', 'open'] as const).find((state) => states.includes(state)) ?? 'idle';
  };
}

export const useLiveState = (live: Live) => useSyncExternalStore(live.subscribe, live.state);
