import type { RequestBudget } from '../kernel/budget.ts';
import type { Database } from './open.ts';

/** The database as one request uses it: what it reads is counted, and ends when the request is stopped. */
export function scopedTo(db: Database, budget: RequestBudget): Database {
  const scoped: Database = Object.create(db);
  scoped.query = async (text, params) => {
    const { signal } = budget;
    signal.throwIfAborted();
    const rows = await db.query(text, params, signal);
    budget.countRows(rows);
    return rows;
  };
  return scoped;
}
