import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/open.ts';

/** How long a batch should take. On SQLite, everything else waits for that long; nobody may wait longer than 50 ms. */
const aimedMs = 10;

/** The smallest size. On a busy machine, batches take long whatever their size. */
const least = 10;

/** How many times as long as a batch and the copy before it the pause after it is. What is deleted has time. */
const pauseTimes = 4;

interface Batches {
  db: Pick<Database, 'copied'>;
  /** The largest size. */
  most: number;
  signal: AbortSignal;
}

/**
 * Does work in batches, whose size follows from how long they take. `batch` gets the size, and returns whether there is
 * more. Pauses between the batches leave most of the time to requests. While what was written is copied into the database
 * file, there is no batch: with a log that is full, all writes would wait for the copy.
 */
export async function inBatches(
  { db, most, signal }: Batches,
  batch: (size: number) => Promise<boolean>,
): Promise<void> {
  let size = least;
  while (!signal.aborted) {
    const begunAt = performance.now();
    await db.copied?.();
    const startedAt = performance.now();
    const hasMore = await batch(size);
    if (!hasMore) return;
    const endedAt = performance.now();
    const tookMs = endedAt - startedAt;
    if (tookMs > aimedMs) size = Math.max(least, Math.floor(size / 2));
    else if (tookMs < aimedMs / 2) size = Math.min(most, size + 1);
    const pauseMs = Math.min(pauseTimes * (endedAt - begunAt), 1_000);
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}
