import { setTimeout as sleep } from 'node:timers/promises';

/** How long a batch should take. On SQLite, everything else waits for that long; nobody may wait longer than 50 ms. */
const aimedMs = 15;

/**
 * Does work in batches, whose size follows from how long they take. `batch` gets the size, and returns whether there is
 * more. As much time passes between two batches as they take.
 */
export async function inBatches(
  signal: AbortSignal,
  { most }: { most: number },
  batch: (size: number) => Promise<boolean>,
): Promise<void> {
  let size = 1;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const hasMore = await batch(size);
    if (!hasMore) return;
    const tookMs = performance.now() - startedAt;
    if (tookMs > aimedMs) size = Math.max(1, Math.floor(size / 2));
    else if (tookMs < aimedMs / 2) size = Math.min(most, size + 1);
    await sleep(Math.min(Math.max(tookMs, 1), 1_000), undefined, { signal }).catch(() => {});
  }
}
