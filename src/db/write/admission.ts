import { UnavailableError } from '../../kernel/errors.ts';

/** A transaction, as far as its place among the others goes. */
export interface Turn {
  /** Since when its present statement runs; undefined between statements. */
  runningSince: number | undefined;
  abort(reason: unknown): void;
}

interface Waiter {
  turn: Turn;
  admit(): void;
}

/** A statement that runs for longer than this is taken to wait for a lock. */
const stalledAfterMs = 250;
/** One that runs for longer than this gives way, when too many wait already. */
const givesWayAfterMs = 1_000;
const watchEveryMs = 100;

/** How many transactions may wait for locks beside those that go on, for each of those. */
export const stalledPerPlace = 2;

/**
 * Places for transactions. One that waits for a lock which somebody holds (a table that is locked, a row) gives
 * its place to the next, so that those that need no such lock go on. When too many wait already, one of those
 * that would come to wait as well fails at once. Nothing is looked at unless somebody waits for a place.
 */
export class Admission {
  readonly #places: number;
  readonly #maxWaitMs: number;
  readonly #running = new Set<Turn>();
  readonly #stalled = new Set<Turn>();
  readonly #queue: Waiter[] = [];
  #watch: NodeJS.Timeout | undefined;

  constructor(places: number, maxWaitMs: number) {
    this.#places = places;
    this.#maxWaitMs = maxWaitMs;
  }

  enter(turn: Turn, signal?: AbortSignal): Promise<void> | undefined {
    if (this.#running.size < this.#places) {
      this.#running.add(turn);
      return undefined;
    }
    this.#watch ??= setInterval(() => this.#makeRoom(), watchEveryMs).unref();
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        turn,
        admit: () => {
          settle();
          resolve();
        },
      };
      const refuse = (reason: unknown) => {
        settle();
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(reason);
      };
      const abort = () => refuse(signal!.reason);
      const timer = setTimeout(
        () => refuse(new UnavailableError('Too many changes are in progress. Try again later.')),
        this.#maxWaitMs,
      );
      signal?.addEventListener('abort', abort);
      this.#queue.push(waiter);
    });
  }

  leave(turn: Turn): void {
    this.#running.delete(turn);
    this.#stalled.delete(turn);
    this.#admitNext();
  }

  #admitNext(): void {
    while (this.#queue.length && this.#running.size < this.#places) {
      const { turn, admit } = this.#queue.shift()!;
      this.#running.add(turn);
      admit();
    }
    if (this.#queue.length === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
  }

  #makeRoom(): void {
    const now = performance.now();
    for (const turn of this.#running) {
      if (turn.runningSince === undefined) continue;
      const forMs = now - turn.runningSince;
      if (forMs > stalledAfterMs && this.#stalled.size < this.#places * stalledPerPlace) {
        this.#running.delete(turn);
        this.#stalled.add(turn);
      } else if (forMs > givesWayAfterMs) {
        turn.abort(new UnavailableError('Too many changes are waiting for a lock. Try again later.'));
      }
    }
    this.#admitNext();
  }
}
