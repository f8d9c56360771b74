import { FairQueue } from '../../kernel/fair-queue.ts';

/** For how long reads may block one turn of the event loop, in ms, not counting the last of them. */
const turnMs = 10;

/**
 * Runs reads on the thread of the server. Once those of a turn of the event loop have taken {@link turnMs}, the others wait for
 * a later turn, in which the requests take turns: one with hundreds of reads does not delay those of others.
 */
export class ReadTurns {
  readonly #now: () => number;
  #spentMs = 0;
  #hasBegun = false;
  /** The reads that wait, by request. */
  readonly #waiting = new FairQueue<() => void>();

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Runs a read at once if there is time left, and otherwise when it is the turn of its request. */
  run<T>(request: object | undefined, read: () => T | Promise<T>): T | Promise<T> {
    if (this.#waiting.isEmpty && this.#spentMs < turnMs) return this.#timed(read);
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add(request ?? {}, () => {
        try {
          resolve(this.#timed(read));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #timed<T>(read: () => T): T {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      setImmediate(this.#nextTurn);
    }
    const since = this.#now();
    try {
      return read();
    } finally {
      this.#spentMs += this.#now() - since;
    }
  }

  readonly #nextTurn = () => {
    this.#hasBegun = false;
    this.#spentMs = 0;
    while (this.#spentMs < turnMs && !this.#waiting.isEmpty) this.#waiting.take()!();
  };
}
