import type { RequestBudget } from '../kernel/budget.ts';
import { memoizeByIdentity } from '../kernel/memo.ts';
import type { Database } from './open.ts';

type Scoped = Database & { budget: RequestBudget };

/** A prototype that all requests share, which uses less memory than closures per request. */
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

/** The database of one request. Its reads count towards the limits of the request and are cancelled with it. */
export function scopedTo(db: Database, budget: RequestBudget): Database {
  const scoped: Scoped = Object.create(prototypeOf(db));
  scoped.budget = budget;
  return scoped;
}
