/** The longest time, in ms, that work may block the event loop. */
const sliceMs = 8;

let heldSince: number | undefined;
const waiting: (() => void)[] = [];

/** Whether the current slice has used up its time. */
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
 * Yields to the event loop. Node.js runs all immediates of one turn in a row, so waiting operations resume one
 * per turn: each turn has one slice, however many long operations are in progress.
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

/** Yields to the event loop when the slice is over. Rejects with the signal's reason once it is aborted. */
export async function yieldToLoop(signal?: AbortSignal): Promise<void> {
  if (isSliceOver()) await nextTurn();
  signal?.throwIfAborted();
}

/** Maps items in slices. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  map: (item: T) => R,
  signal?: AbortSignal,
): Promise<R[]> {
  const mapped: R[] = [];
  for (const item of items) {
    mapped.push(map(item));
    if (mapped.length % 50 === 0 && isSliceOver()) await yieldToLoop(signal);
  }
  return mapped;
}

/** Runs a generator in slices; it can be paused at each `yield`. */
export async function inSlices<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (isSliceOver()) await yieldToLoop(signal);
  }
}
