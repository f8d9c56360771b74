/**
 * The longest time, in ms, that work may block the event loop. Fewer values than this never take so long, unless
 * resolvers compute much for each; then the longer time counts.
 */
const slice = { ms: 10, values: 10_000, fewValuesMs: 40 };

let startedAt: number | undefined;
let values = 0;

/**
 * Whether to yield to other requests, after so many more values in this turn of the event loop.
 * On a busy machine, the clock alone would interrupt even the smallest work.
 */
export function isTurnOver(more: number): boolean {
  const now = performance.now();
  if (startedAt === undefined) {
    startedAt = now;
    values = 0;
    setImmediate(() => {
      startedAt = undefined;
    });
  }
  values += more;
  return now - startedAt > (values >= slice.values ? slice.ms : slice.fewValuesMs);
}
