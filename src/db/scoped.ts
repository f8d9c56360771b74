import type { RequestBudget } from '../kernel/budget.ts';
import { asChange } from '../kernel/event-loop.ts';
import type { CountedFor } from './database.ts';
import type { Database } from './open.ts';

/**
 * The database of one request. Its reads, inside transactions as well, count towards the limits of the request and are
 * cancelled with it. `statements` gets the statements. Those of a caller leave room to those of others.
 */
export function scopedTo(
  db: Database,
  budget: RequestBudget,
  { statements, caller }: Pick<CountedFor, 'statements' | 'caller'> = {},
): Database {
  const scoped: Database = Object.create(db);
  scoped.searched = { rows: 0 };
  const countRow = (row: readonly unknown[]) => budget.countRow(row);
  scoped.query = async (text, params, options) => {
    const { signal } = budget;
    signal.throwIfAborted();
    const since = statements ? performance.now() : 0;
    try {
      const rows = await db.query(text, params, {
        signal,
        count: countRow,
        caller,
        maxRows: options?.maxRows,
      });
      if (statements) statements.rows += rows.length;
      return rows;
    } finally {
      statements?.add(text, performance.now() - since);
    }
  };
  scoped.transaction = (work, signal) =>
    asChange(() => db.transaction(work, signal, { statements, budget, caller }));
  return scoped;
}
