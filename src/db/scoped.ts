import type { RequestBudget } from '../kernel/budget.ts';
import { memoizeByIdentity } from '../kernel/memo.ts';
import type { RequestStatements } from '../kernel/statements.ts';
import type { Database } from './open.ts';

type Scoped = Database & { budget: RequestBudget; statements: RequestStatements | undefined };

/** A prototype that all requests share, which uses less memory than closures per request. */
const prototypeOf = memoizeByIdentity((db: Database): Database => {
  const prototype: Database = Object.create(db);
  prototype.query = async function (this: Scoped, text, params) {
    const { budget, statements } = this;
    const { signal } = budget;
    signal.throwIfAborted();
    const since = statements ? performance.now() : 0;
    try {
      const rows = await db.query(text, params, signal);
      budget.countRows(rows);
      return rows;
    } finally {
      statements?.add(text, performance.now() - since);
    }
  };
  prototype.transaction = function (this: Scoped, work, signal) {
    return db.transaction(work, signal, this.statements);
  };
  return prototype;
});

/**
 * The database of one request. Its reads count towards the limits of the request and are cancelled with it. `statements`
 * gets the statements.
 */
export function scopedTo(db: Database, budget: RequestBudget, statements?: RequestStatements): Database {
  const scoped: Scoped = Object.create(prototypeOf(db));
  scoped.budget = budget;
  scoped.statements = statements;
  return scoped;
}
