import type { Trellis } from './trellis.ts';

/** Runs `mutation`; `before` runs once it has read what it needs, immediately before its transaction. */
export async function meanwhile<T>(
  trellis: Trellis,
  before: () => Promise<unknown>,
  mutation: () => Promise<T>,
): Promise<{ result: T; hasRun: boolean }> {
  const { db } = trellis.services;
  const { transaction } = db;
  let hasRun = false;
  db.transaction = async (work, signal) => {
    // Only what belongs to a request has a signal.
    if (signal && !hasRun) {
      hasRun = true;
      await before();
    }
    return transaction(work, signal);
  };
  try {
    return { result: await mutation(), hasRun };
  } finally {
    db.transaction = transaction;
  }
}
