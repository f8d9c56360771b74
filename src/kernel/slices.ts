/** How long work may hold the event loop before it lets other requests go on. */
const sliceMs = 8;

let heldSince: number | undefined;
const waiting: (() => void)[] = [];

/** Whether the event loop has been held for a whole slice since it last turned. */
export function isSliceOver(): boolean {
  const now = performance.now();
  if (heldSince === undefined) {
    heldSince = now;
    setImmediate(() => {
      heldSince = undefined;
    });
  }
  return now - heldSince > sliceMs;
}

/**
 * Lets the event loop turn. Node.js runs all immediates of one turn in a row, so those that wait here go on one
 * in each turn: however many long operations are under way, a turn holds one slice.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  heldSince = performance.now();
  setImmediate(() => {
    heldSince = undefined;
  });
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(resumeOne);
}

/** Lets the event loop turn when a slice is over. Rejects with the signal's reason once that is aborted. */
export async function yieldToLoop(signal?: AbortSignal): Promise<void> {
  if (isSliceOver()) await nextTurn();
  signal?.throwIfAborted();
}

/** Runs synchronous work that stops at each `yield`, a slice at a time. */
export async function inSlices<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (isSliceOver()) await yieldToLoop(signal);
  }
}
