import { UnavailableError } from '../../kernel/errors.ts';
import { Limiter } from '../../kernel/limiter.ts';

/** The transactions that can wait for locks, in addition to each other transaction. */
export const stalledPerPlace = 2;

const tooMany = (state: string) => () =>
  new UnavailableError(`Too many changes are ${state}. Try again later.`, { limit: 'DATABASE_POOL' });

/**
 * Limits concurrent transactions. A transaction whose statement waits for a lock no longer counts, so that
 * transactions that do not need the lock continue. When too many are waiting for locks, further ones fail. Callers take turns,
 * so that nobody waits for all that another one has in the queue.
 */
export const transactionLimiter = (most: number, maxWaitMs: number): Limiter =>
  new Limiter({
    most,
    inTurns: true,
    longAfterMs: 250,
    mostLong: most * stalledPerPlace,
    abortAfterMs: 1_000,
    maxWaitMs,
    refused: tooMany('in progress'),
    aborted: tooMany('waiting for a lock'),
  });
