import { FairQueue } from '../../kernel/fair-queue.ts';

/** For how long reads may block one turn of the event loop, in ms, not counting the last of them. */
const turnMs = 10;

/** Whose read it is. Reads of the process have no caller. */
export interface ReadOwner {
  caller?: string | undefined;
  request?: object | undefined;
}

/**
 * Runs reads on the thread of the server. Once those of a turn of the event loop have taken {@link turnMs}, the others wait for
 * a later turn, in which the callers take turns, and the requests of each: one with hundreds of reads does not delay those of others.
 */
export class ReadTurns {
  readonly #now: () => number;
  #spentMs = 0;
  #hasBegun = false;
  /** The reads that wait: by caller, in the order of turns, and those of each by request. */
  readonly #waiting = new Map<unknown, FairQueue<() => void>>();

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Runs a read at once if there is time left, and otherwise when it is the turn of its caller and request. */
  run<T>({ caller, request = {} }: ReadOwner, read: () => T | Promise<T>): T | Promise<T> {
    if (this.#waiting.size === 0 && this.#spentMs < turnMs) return this.#timed(read);
    return new Promise<T>((resolve, reject) => {
      this.#add(caller ?? request, request, () => {
        try {
          resolve(this.#timed(read));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #add(caller: unknown, request: object, read: () => void): void {
    const own = this.#waiting.get(caller) ?? new FairQueue();
    own.add(request, read);
    this.#waiting.set(caller, own);
  }

  /** Removes the next read of the caller whose turn it is, which is the last one then. */
  #take(): () => void {
    const [first] = this.#waiting;
    const [caller, own] = first!;
    const read = own.take()!;
    this.#waiting.delete(caller);
    if (!own.isEmpty) this.#waiting.set(caller, own);
    return read;
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
    while (this.#spentMs < turnMs && this.#waiting.size > 0) this.#take()();
  };
}
