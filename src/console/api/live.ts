import { useSyncExternalStore } from 'react';
import type { Client, Operation, RequestPolicy } from 'urql';
import { Costs } from './costs.ts';
import type { StreamState } from './event-stream.ts';

/**
 * How long changes are collected, how often views are read again at most, and how often what no stream tells is looked at.
 * Together with two requests less than a second, after which no window shows what another one does not.
 */
export const [collectMs, pauseMs, lookMs] = [40, 200, 500];

/**
 * What the views show is read again when a subscription tells of a change: every query that is on the screen, with one
 * request each, through the normalised cache.
 */
export class Live {
  readonly queries = new Map<number, Operation>();
  readonly costs = new Costs();
  readonly #streams = new Map<object, StreamState>();
  readonly #listeners = new Set<() => void>();
  #client: Client | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastRefresh = 0;

  attach(client: Client): void {
    this.#client = client;
  }

  /** Reads the views again, soon. */
  refresh = (): void => {
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(collectMs, this.#lastRefresh + pauseMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#lastRefresh = performance.now();
      this.#read('network-only');
    }, waitMs);
  };

  /** Reads the views again from the cache, which has a further page of a list. */
  reread = (): void => this.#read('cache-first');

  #read(requestPolicy: RequestPolicy): void {
    for (const operation of this.queries.values()) {
      const context = { ...operation.context, requestPolicy };
      this.#client?.reexecuteOperation({ ...operation, context });
    }
  }

  /** Notes the state of a connection. One that was lost has missed what happened meanwhile. */
  note(stream: object, state: StreamState | undefined): void {
    const before = this.#streams.get(stream);
    if (state) this.#streams.set(stream, state);
    else this.#streams.delete(stream);
    if (before === 'lost' && state === 'open') this.refresh();
    for (const listener of this.#listeners) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The worst state of all connections; `idle` if there are none. */
  state = (): StreamState | 'idle' => {
    const states = [...this.#streams.values()];
    return (['lost', 'connecting', 'open'] as const).find((state) => states.includes(state)) ?? 'idle';
  };
}

export const useLiveState = (live: Live) => useSyncExternalStore(live.subscribe, live.state);
