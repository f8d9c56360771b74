import type { ServerResponse } from 'node:http';

/** The requests that a server is answering. */
export interface RequestsUnderWay {
  /** Counts a request until its response is closed; false, with nothing counted, when there are too many. */
  begin(res: ServerResponse): boolean;
  /** What to run until its end, also when its client is gone: `settled` waits for it. */
  run(answer: () => Promise<void>): void;
  /** Resolves as soon as nothing runs. */
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
