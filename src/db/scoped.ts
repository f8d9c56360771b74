import type { RequestBudget } from '../kernel/budget.ts';
import { memoizeByIdentity } from '../kernel/memo.ts';
import type { Database } from './open.ts';

type Scoped = Database & { budget: RequestBudget };

/** One prototype for all requests: a closure of its own would make each request larger. */
const prototypeOf = memoizeByIdentity((db: Database): Database => {
  const prototype: Database = Object.create(db);
  prototype.query = async function (this: Scoped, text, params) {
    const { budget } = this;
    const { signal } = budget;
    signal.throwIfAborted();
    const rows = await db.query(text, params, signal);
    budget.countRows(rows);
    return rows;
  };
  return prototype;
});

/** The database as one request uses it: its reads count against the budget, and end when the request is stopped. */
export function scopedTo(db: Database, budget: RequestBudget): Database {
  const scoped: Scoped = Object.create(prototypeOf(db));
  scoped.budget = budget;
  return scoped;
}
