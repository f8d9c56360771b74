import { UnavailableError } from '../../kernel/errors.ts';

/** A transaction that needs a place. */
export interface Turn {
  /** The start of its current statement. Undefined between statements. */
  runningSince: number | undefined;
  abort(reason: unknown): void;
}

interface Waiter {
  turn: Turn;
  admit(): void;
}

/** A statement that takes longer is considered to be waiting for a lock. */
const stalledAfterMs = 250;
/** When too many are waiting, a statement that takes longer is aborted. */
const givesWayAfterMs = 1_000;
const watchEveryMs = 100;

/** The transactions that can wait for locks, in addition to each place. */
export const stalledPerPlace = 2;

/**
 * Limits concurrent transactions. A transaction that waits for a lock gives its place to the next, so that transactions
 * that do not need the lock continue. When too many are waiting for locks, further ones fail. Statements are only
 * checked while a transaction waits for a place.
 */
export class Admission {
  readonly places: number;
  readonly #maxWaitMs: number;
  readonly #running = new Set<Turn>();
  readonly #stalled = new Set<Turn>();
  readonly #queue: Waiter[] = [];
  #watch: NodeJS.Timeout | undefined;

  constructor(places: number, maxWaitMs: number) {
    this.places = places;
    this.#maxWaitMs = maxWaitMs;
  }

  /** The transactions that wait for a place. */
  get waiting(): number {
    return this.#queue.length;
  }

  enter(turn: Turn, signal?: AbortSignal): Promise<void> | undefined {
    if (this.#running.size < this.places) {
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
        () =>
          refuse(
            new UnavailableError('Too many changes are in progress. Try again later.', {
              limit: 'DATABASE_POOL',
            }),
          ),
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
    while (this.#queue.length && this.#running.size < this.places) {
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
      if (forMs > stalledAfterMs && this.#stalled.size < this.places * stalledPerPlace) {
        this.#running.delete(turn);
        this.#stalled.add(turn);
      } else if (forMs > givesWayAfterMs) {
        turn.abort(
          new UnavailableError('Too many changes are waiting for a lock. Try again later.', {
            limit: 'DATABASE_POOL',
          }),
        );
      }
    }
    this.#admitNext();
  }
}
