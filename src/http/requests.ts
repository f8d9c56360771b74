import type { ServerResponse } from 'node:http';

/** Tracks the requests in progress. */
export interface RequestsUnderWay {
  /** Counts a request until its response is closed. Returns false, and does not count it, if there are too many. */
  begin(res: ServerResponse): boolean;
  /** Tracks work that runs to its end even if the client disconnects. `settled` waits for it. */
  run(answer: () => Promise<void>): void;
  /** Resolves when no tracked work is running. */
  settled(): Promise<void>;
}

export function createRequestsUnderWay(limit: number): RequestsUnderWay {
  let open = 0;
  let running = 0;
  let waiting: (() => void)[] = [];
  const ended = () => {
    running--;
    if (running > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    begin(res) {
      if (open >= limit) return false;
      open++;
      res.once('close', () => {
        open--;
      });
      return true;
    },
    run(answer) {
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
