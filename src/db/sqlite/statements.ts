import type Sqlite from 'better-sqlite3';
import { maxPrepared } from '../database.ts';

const none: unknown[] = [];

/** The part of a statement that Prisma's adapter uses. The parameters are for one run. */
class CachedStatement {
  readonly #statement: Sqlite.Statement<unknown[], unknown>;
  readonly reader: boolean;
  #params = none;
  #columns: Sqlite.ColumnDefinition[] | undefined;

  constructor(statement: Sqlite.Statement<unknown[], unknown>) {
    this.#statement = statement.reader ? statement.raw() : statement;
    this.reader = statement.reader;
  }

  bind(params: unknown[]): this {
    this.#params = params;
    return this;
  }

  run(): Sqlite.RunResult {
    return this.#statement.run(this.#taken());
  }

  columns(): Sqlite.ColumnDefinition[] {
    this.#columns ??= this.#statement.columns();
    return this.#columns;
  }

  raw(): this {
    return this;
  }

  all(): unknown[] {
    return this.#statement.all(this.#taken());
  }

  /** The parameters, which can be large, are not cached. */
  #taken(): unknown[] {
    const params = this.#params;
    this.#params = none;
    return params;
  }
}

/**
 * Keeps prepared statements by their text. Prisma's adapter prepares a statement each time that it runs. Returns what
 * prepares statements whose rows are arrays, with numbers that are not bigints.
 */
export function cacheStatements(
  database: Sqlite.Database,
): (text: string) => Sqlite.Statement<unknown[], unknown[]> {
  const prepare = database.prepare.bind(database);
  database.prepare = cachedBy((text) => new CachedStatement(prepare(text))) as never;
  return cachedBy((text) => {
    const statement = prepare(text).safeIntegers(false) as Sqlite.Statement<unknown[], unknown[]>;
    return statement.reader ? statement.raw() : statement;
  });
}

/** Caches statements by their text. The one that was prepared first makes room for further ones. */
export function cachedBy<S>(prepare: (text: string) => S): (text: string) => S {
  const cached = new Map<string, S>();
  return (text) => {
    let statement = cached.get(text);
    if (!statement) {
      statement = prepare(text);
      if (cached.size >= maxPrepared) cached.delete(cached.keys().next().value!);
      cached.set(text, statement);
    }
    return statement;
  };
}
