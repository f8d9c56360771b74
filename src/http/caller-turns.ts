import { noteSlice, rests } from '../kernel/event-loop.ts';
import { FairQueue } from '../kernel/fair-queue.ts';

/** For how long requests may block one turn of the event loop, in ms, not counting the last of them. */
const turnMs = 8;

/**
 * After a request that has blocked a turn for longer, this many turns have none, unless they take as long. A turn accepts one
 * connection: otherwise, a new one would wait for a slow request on each of those that were opened before it.
 */
const rest = { afterMs: 40, turns: 32, ms: 40 };

/** How long requests wait, in ms, after those of a turn have used up its time, while connections are being accepted. */
const acceptingMs = 40;

/**
 * The turns of requests. Parsing and validating can take a hundred times as long as other requests: once the requests of a turn of the
 * event loop have used up its time, the others go on one in each further turn, and callers take turns however many each has.
 */
export class CallerTurns {
  readonly #waiting = new FairQueue<() => void>();
  /** When the first request of this turn went on. */
  #since: number | undefined;
  #rest = { turns: 0, until: 0 };
  #hasAccepted = false;
  #acceptsUntil = 0;
  #isResting = false;
  #isScheduled = false;

  /** Undefined if there is time left now. Rejects with the reason of the signal if that is aborted before the turn. */
  next(caller: string | undefined, closed?: () => AbortSignal): Promise<void> | undefined {
    const isOver = this.#since !== undefined && performance.now() - this.#since > turnMs;
    if (this.#waiting.isEmpty && !this.#isResting && !isOver) {
      this.#begin();
      return undefined;
    }
    this.#schedule();
    return new Promise((resolve, reject) => {
      const signal = closed?.();
      if (signal?.aborted) return reject(signal.reason);
      this.#waiting.add(caller, resolve);
      signal?.addEventListener('abort', () => {
        if (this.#waiting.remove(caller, resolve)) reject(signal.reason);
      });
    });
  }

  /** A connection was accepted in this turn. */
  accepted(): void {
    this.#hasAccepted = true;
  }

  #begin(): void {
    this.#since ??= performance.now();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = () => {
    this.#isScheduled = false;
    const now = performance.now();
    const blockedMs = this.#since === undefined ? 0 : now - this.#since;
    this.#since = undefined;
    noteSlice(blockedMs);
    if (blockedMs > rest.afterMs) this.#rest = { turns: rest.turns, until: now + rest.ms };
    else if (this.#rest.turns > 0) this.#rest.turns = now < this.#rest.until ? this.#rest.turns - 1 : 0;
    if (blockedMs > turnMs) this.#acceptsUntil = now + acceptingMs;
    const isAccepting = this.#hasAccepted && now < this.#acceptsUntil;
    this.#hasAccepted = false;
    this.#isResting = this.#rest.turns > 0 || isAccepting;
    if (this.#isResting) return this.#schedule();
    if (rests(this.#endTurn)) {
      this.#isResting = true;
      this.#isScheduled = true;
      return;
    }
    if (this.#waiting.isEmpty) return;
    this.#begin();
    this.#waiting.take()!();
  };
}
