/** How long work may keep the event loop from other requests; less than that many values never takes so long. */
const slice = { ms: 10, values: 10_000 };

let startedAt: number | undefined;
let values = 0;

/**
 * Whether others should have their turn, now that the work of this turn of the event loop has made so many more
 * values. On a machine that is busy with something else the clock alone would stop even the smallest work.
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
  return values >= slice.values && now - startedAt > slice.ms;
}
