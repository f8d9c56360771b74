import { AsyncResource } from 'node:async_hooks';
import { TurnClock } from '../kernel/event-loop.ts';
import { type Holder, Limiter } from '../kernel/limiter.ts';
import { CallerTurns } from './caller-turns.ts';

/** How long work counts as active. Work that takes longer waits for something else, such as a store. */
const activeMs = 250;

/** Runs work in the order in which it was added, with a limit for how much is active at the same time. */
export class WorkQueue {
  readonly #active: Limiter;
  readonly #turn = new TurnClock();
  readonly #turnsOfCallers = new CallerTurns();
  readonly #starting: (() => void)[] = [];
  #isStarting = false;
  #running = 0;
  #waiting: (() => void)[] = [];

  /** @param maxActive how much work is active at the same time */
  constructor(maxActive: number) {
    this.#active = new Limiter({
      most: maxActive,
      // A caller takes no more than half of the places, and none waits for one because of others.
      mostOfGroup: Math.ceil(maxActive / 2),
      reserved: maxActive,
      longAfterMs: activeMs,
    });
  }

  /** Begins work whose caller is not known yet: it is not active before `enter`. */
  begin(work: (own: Holder) => Promise<void>): void {
    this.#running++;
    const own: Holder = {};
    const start = () => {
      work(own).finally(() => {
        this.#active.leave(own);
        this.#ended();
      });
    };
    if (this.#starting.length > 0 || this.#turn.isOver()) this.#startSoon(start);
    else start();
  }

  /**
   * Resolves when the work of a caller may go on: when it can be active, and it is the turn of the caller. Undefined if it may now.
   * Where it has to wait, it rejects as soon as the signal of `closed` is aborted.
   */
  enter(own: Holder, caller: string, closed?: () => AbortSignal): Promise<void> | undefined {
    own.group = caller;
    return this.resume(own, closed);
  }

  /**
   * Runs work to its end. It begins after the work that was added before, when enough of that is done, and of a caller with less than
   * half of the places.
   */
  run(work: (own: Holder) => Promise<void>, caller?: string): void {
    this.#running++;
    const own: Holder = caller === undefined ? {} : { group: caller };
    const start = () => {
      own.since = performance.now();
      work(own).finally(() => {
        this.#active.leave(own);
        this.#ended();
      });
    };
    const admitted = this.#active.enter(own);
    if (admitted) admitted.then(() => this.#startSoon(start));
    else if (this.#starting.length > 0 || this.#turn.isOver()) this.#startSoon(start);
    else start();
  }

  /** Runs work that does not wait for other work. */
  runAtOnce(work: () => Promise<void>): void {
    this.#running++;
    work().finally(() => this.#ended());
  }

  /** A connection was accepted. Others may be waiting. */
  accepted(): void {
    this.#turnsOfCallers.accepted();
  }

  /** Work that waits for its client, so that other work goes on. */
  pause(own: Holder): void {
    this.#active.leave(own);
  }

  /** Resolves when paused work may go on, as for `enter`. Undefined if it may now. */
  resume(own: Holder, closed?: () => AbortSignal): Promise<void> | undefined {
    // Without a promise where nothing waits: the reads of requests that go on in one turn of the event loop are sent together.
    const active = this.#active.enter(own, this.#active.hasRoomFor(own) ? undefined : closed?.());
    const turn = active
      ? active.then(() => this.#turnsOfCallers.next(own.group, closed))
      : this.#turnsOfCallers.next(own.group, closed);
    if (turn) {
      return turn.then(() => {
        own.since = performance.now();
      });
    }
    own.since = performance.now();
    return undefined;
  }

  /** Resolves when no work is running. */
  settled(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #ended(): void {
    if (--this.#running > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Starts as much of the work that can begin as fits into a slice, and the rest in the next turns. */
  #startSoon(start: () => void): void {
    // It must not become a part of the trace of the work before it. `AsyncResource.bind` takes 50 times as long.
    const own = new AsyncResource('Request');
    this.#starting.push(() => own.runInAsyncScope(start));
    if (this.#isStarting) return;
    this.#isStarting = true;
    this.#startNext();
  }

  #startNext(): void {
    if (this.#starting.length === 0) this.#isStarting = false;
    else if (this.#turn.isOver()) setImmediate(() => this.#startNext());
    else {
      this.#starting.shift()!();
      // After what it could do at once.
      process.nextTick(() => this.#startNext());
    }
  }
}
