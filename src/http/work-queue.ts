import { AsyncResource } from 'node:async_hooks';

/** Runs work in the order in which it was given, as much at once as is worth having. */
export interface WorkQueue {
  /** Runs work to its end. It begins after the work that was given before, when enough of that is done. */
  run(work: (own: Work) => Promise<void>): void;
  /** Runs work that does not wait for other work. */
  runAtOnce(work: () => Promise<void>): void;
  /** Work that waits for its client, so that other work goes on. */
  pause(own: Work): void;
  /** Resolves when paused work may go on: after the work that was given before. */
  resume(own: Work): Promise<void>;
  /** Resolves when no work is running. */
  settled(): Promise<void>;
}

/** Work that has begun. */
export interface Work {
  since: number;
}

/** How long work is active. Work that takes longer waits for something else, such as a store. */
const activeMs = 250;
const checkMs = 50;

/** How long work that arrives together may block the event loop. The rest begins in its next turn. */
const turnMs = 8;

/** @param maxActive how much work is active at the same time */
export function createWorkQueue(maxActive: number): WorkQueue {
  let running = 0;
  /** The work that counts as active, in the order in which it began. */
  const active = new Set<Work>();
  const queued: (() => void)[] = [];
  let isChecking = false;
  let isYielding = false;
  let turnStartedAt: number | undefined;
  const isTurnOver = () => {
    const now = performance.now();
    if (turnStartedAt === undefined) {
      turnStartedAt = now;
      setImmediate(() => {
        turnStartedAt = undefined;
      });
    }
    return now - turnStartedAt > turnMs;
  };
  let waiting: (() => void)[] = [];
  const ended = () => {
    running--;
    if (running > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const start = (work: (own: Work) => Promise<void>) => {
    const own = { since: performance.now() };
    active.add(own);
    work(own).finally(() => {
      active.delete(own);
      admit();
      ended();
    });
  };
  const admit = () => {
    if (queued.length === 0) return;
    if (active.size < maxActive) admitNext();
    else if (!isChecking) {
      isChecking = true;
      setTimeout(forgetLong, checkMs);
    }
  };
  const admitNext = () => {
    if (isYielding) return;
    if (!isTurnOver()) {
      queued.shift()!();
      // After what it could do at once.
      process.nextTick(admit);
      return;
    }
    isYielding = true;
    setImmediate(() => {
      isYielding = false;
      admit();
    });
  };
  const forgetLong = () => {
    isChecking = false;
    const before = performance.now() - activeMs;
    for (const own of active) {
      if (own.since > before) break;
      active.delete(own);
    }
    admit();
  };
  return {
    run(work) {
      running++;
      if (active.size < maxActive && queued.length === 0 && !isTurnOver()) {
        start(work);
      } else {
        // Begins in the end of other work, whose trace it must not become a part of. `AsyncResource.bind` takes 50 times
        // as long.
        const own = new AsyncResource('Request');
        queued.push(() => own.runInAsyncScope(start, undefined, work));
        admit();
      }
    },
    runAtOnce(work) {
      running++;
      work().finally(ended);
    },
    pause(own) {
      active.delete(own);
      admit();
    },
    resume: (own) =>
      new Promise((resolve) => {
        queued.push(() => {
          own.since = performance.now();
          active.add(own);
          resolve();
        });
        admit();
      }),
    settled: () =>
      running === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
  };
}
