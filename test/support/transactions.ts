import type { Trellis } from './trellis.ts';

/** The statements of the transactions that work takes. */
export async function transactionsOf(trellis: Trellis, work: () => Promise<unknown>): Promise<string[][]> {
  const { db } = trellis.services;
  const { transaction } = db;
  const transactions: string[][] = [];
  db.transaction = (within, ...rest) => {
    const statements: string[] = [];
    transactions.push(statements);
    return transaction(
      (tx) => {
        trellis.statements.length = 0;
        return within(tx).finally(() => statements.push(...trellis.statements));
      },
      ...rest,
    );
  };
  await work().finally(() => {
    db.transaction = transaction;
  });
  return transactions;
}
