import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';

/** Tracks the requests in progress, and admits as many at once as are worth having. */
export interface RequestsUnderWay {
  /** Counts a request until its response is closed. Returns false, and does not count it, if there are too many. */
  begin(res: ServerResponse): boolean;
  /** Stops counting a request whose response is a stream, which has a limit of its own. */
  release(res: ServerResponse): void;
  /**
   * Runs work to its end, even if the client disconnects. It begins after the work that was given before, when enough of
   * that is done.
   */
  run(answer: () => Promise<void>): void;
  /** Runs work that does not wait for other work. */
  runAtOnce(answer: () => Promise<void>): void;
  /** Resolves when no tracked work is running. */
  settled(): Promise<void>;
}

interface RequestLimits {
  /** The requests whose responses are not closed. */
  maxRequests: number;
  /** The requests that are handled at the same time. */
  maxActive: number;
}

/** How long a request is active. One that takes longer waits for something else, such as a store. */
const activeMs = 250;
const checkMs = 50;

/** How long requests that arrive together may block the event loop. Others begin in its next turn. */
const turnMs = 8;

export function createRequestsUnderWay({ maxRequests, maxActive }: RequestLimits): RequestsUnderWay {
  const open = new Set<ServerResponse>();
  let running = 0;
  /** The requests that count as active, in the order in which they began. */
  const active = new Set<{ since: number }>();
  const queued: (() => Promise<void>)[] = [];
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
  const start = (answer: () => Promise<void>) => {
    const own = { since: performance.now() };
    active.add(own);
    answer().finally(() => {
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
      start(queued.shift()!);
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
    begin(res) {
      if (open.size >= maxRequests) return false;
      open.add(res);
      res.once('close', () => open.delete(res));
      return true;
    },
    release: (res) => void open.delete(res),
    run(answer) {
      running++;
      if (active.size < maxActive && queued.length === 0 && !isTurnOver()) {
        start(answer);
      } else {
        // Begins in the end of another request, whose trace it must not become a part of. `AsyncResource.bind` takes 50
        // times as long.
        const own = new AsyncResource('Request');
        queued.push(() => own.runInAsyncScope(answer));
        admit();
      }
    },
    runAtOnce(answer) {
      running++;
      answer().finally(ended);
    },
    settled: () =>
      running === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
  };
}
