/** How long work may keep the event loop from other requests. */
const sliceMs = 10;

let startedAt: number | undefined;

/** Whether the work that looks here has kept the event loop for so long that others should have their turn. */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (startedAt === undefined) {
    startedAt = now;
    setImmediate(() => {
      startedAt = undefined;
    });
  }
  return now - startedAt > sliceMs;
}
