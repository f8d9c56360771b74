import type { Database, Statements } from '../database.ts';

/** The reader of a plan: the transaction of a change, or `unlocked`. */
export interface Reading<C> {
  context: C;
  tx: Statements;
}

/** Reads outside of a transaction, which locks nothing. */
export const unlocked = <C extends { db: Pick<Database, 'query'> }>(context: C): Reading<C> => ({
  context,
  tx: {
    $read: (text, params) => context.db.query(text, [...params]),
    $write: () => Promise.reject(new Error('Nothing can be written outside of a transaction.')),
    isDryRun: true,
    isUnlocked: true,
  },
});
