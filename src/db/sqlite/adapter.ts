import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { Transaction as AdapterTransaction } from '@prisma/driver-adapter-utils';
import type Sqlite from 'better-sqlite3';
import { yieldInTransaction } from '../../kernel/event-loop.ts';
import type { Telemetry } from '../../kernel/telemetry.ts';
import type { CountedFor, PoolState } from '../database.ts';
import { keptBytes, pagesBeforeCommitsCopy } from './checkpoints.ts';
import { cacheStatements } from './statements.ts';

/** The settings of each connection. */
export const pragmas =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; ' +
  `PRAGMA wal_autocheckpoint = ${pagesBeforeCommitsCopy}; PRAGMA journal_size_limit = ${keptBytes};`;

/** The rows of one run of an insert. Each run opens the table and its indexes. */
const rowsOfInsert = [250, 25, 1];

const tuple = (size: number) => `(${'?, '.repeat(size - 1)}?)`;

/** An insert of rows. Columns with the same value in many rows are bound once: binding them takes as long as inserting them. */
function insertOf(into: string, rows: readonly (readonly unknown[])[]) {
  const first = rows[0]!;
  const isShared = first.map(
    (value, column) => rows.length === rowsOfInsert[0] && rows.every((row) => row[column] === value),
  );
  const own = first.flatMap((_, column) => (isShared[column] ? [] : column));
  const shared = first.filter((_, column) => isShared[column]);
  const tuples = (size: number) => `VALUES ${tuple(size)}${`, ${tuple(size)}`.repeat(rows.length - 1)}`;
  if (shared.length === 0 || own.length === 0)
    return { text: `${into} ${tuples(first.length)}`, params: rows.flat() };
  const params: unknown[] = [...shared];
  for (const row of rows) for (const column of own) params.push(row[column]);
  let [ofAll, ofRow] = [0, 0];
  const columns = isShared.map((is) => (is ? `s.column${++ofAll}` : `r.column${++ofRow}`));
  const tables = `(VALUES ${tuple(shared.length)}) s CROSS JOIN (${tuples(own.length)}) r`;
  return { text: `${into} SELECT ${columns.join(', ')} FROM ${tables}`, params };
}

type Adapter = Awaited<ReturnType<PrismaBetterSqlite3['connect']>>;

/** Prisma's adapter, with the same pragmas as all other connections. There is one transaction at a time. */
export class SqliteAdapter extends PrismaBetterSqlite3 {
  /** The last transaction that has begun. */
  transaction: SqliteTransaction | undefined;
  readonly #observers: Observers;
  #client: Sqlite.Database | undefined;

  constructor(path: string, observers: Observers) {
    // Waiting for a lock in the driver would block the process, so `withTurn` waits instead.
    super({ url: path, timeout: 0 });
    this.#observers = observers;
  }

  override async connect(): Promise<Adapter> {
    const adapter = await super.connect();
    await adapter.executeScript(pragmas);
    const { client } = adapter as unknown as { client: Sqlite.Database };
    this.#client = client;
    const prepare = cacheStatements(client);
    adapter.startTransaction = async () => {
      this.transaction = new SqliteTransaction(adapter, client, prepare, this.#observers);
      return this.transaction;
    };
    return adapter;
  }

  /** Prisma's one connection, on which transactions take turns. */
  state(): PoolState {
    const inUse = this.#client?.inTransaction ? 1 : 0;
    return { pool: 'write', size: 1, open: 1, inUse, waiting: 0 };
  }
}

interface Observers {
  telemetry: Telemetry | undefined;
  onStatement: ((text: string) => void) | undefined;
}

/** A transaction that has the lock for writing from its start. */
export class SqliteTransaction implements AdapterTransaction {
  readonly provider = 'sqlite';
  readonly adapterName: string;
  /** Prisma calls `commit` and `rollback` without sending the statements itself. */
  readonly options = { usePhantomQuery: true };
  /** The request that it is part of. */
  counted: CountedFor | undefined;
  readonly #adapter: Adapter;
  readonly #client: Sqlite.Database;
  readonly #prepare: ReturnType<typeof cacheStatements>;
  readonly #observers: Observers;
  #isOver = false;

  /** Fails if another process has the lock. */
  constructor(
    adapter: Adapter,
    client: Sqlite.Database,
    prepare: ReturnType<typeof cacheStatements>,
    observers: Observers,
  ) {
    this.adapterName = adapter.adapterName;
    this.#adapter = adapter;
    this.#client = client;
    this.#prepare = prepare;
    this.#observers = observers;
    prepare('BEGIN IMMEDIATE').run();
  }

  queryRaw(query: Parameters<Adapter['queryRaw']>[0]): ReturnType<Adapter['queryRaw']> {
    return this.#counted(
      this.#run(query.sql, () => this.#adapter.queryRaw(query)),
      ({ rows }) => rows,
    );
  }

  executeRaw(query: Parameters<Adapter['executeRaw']>[0]): ReturnType<Adapter['executeRaw']> {
    return this.#run(query.sql, () => this.#adapter.executeRaw(query));
  }

  /** The rows of a read, without Prisma. */
  read(text: string, params: readonly unknown[]): Promise<unknown[][]> {
    return this.#counted(
      this.#run(text, () => this.#prepare(text).all([...params])),
      (rows) => rows,
    );
  }

  write(text: string, params: readonly unknown[]): Promise<number> {
    return this.#run(text, () => this.#prepare(text).run([...params]).changes);
  }

  /** Inserts rows of parameters, many of them with each run of a statement. */
  insert(into: string, rows: readonly (readonly unknown[])[]): Promise<number> {
    // Observers get the insert of one row.
    return this.#run(`${into} VALUES ${tuple(rows[0]!.length)}`, () => {
      let from = 0;
      for (const size of rowsOfInsert) {
        for (; from + size <= rows.length; from += size) {
          const { text, params } = insertOf(into, rows.slice(from, from + size));
          this.#prepare(text).run(params);
        }
      }
      return rows.length;
    });
  }

  async commit(): Promise<void> {
    // Statements that are still to come must not become part of this transaction or the next.
    this.#isOver = true;
    try {
      await this.#measured('COMMIT', () => this.#prepare('COMMIT').run());
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  async rollback(): Promise<void> {
    this.#isOver = true;
    this.#observers.onStatement?.('ROLLBACK');
    // Some errors have rolled it back, and after others, as of a full disk, it is open.
    if (this.#client.inTransaction) this.#client.exec('ROLLBACK');
  }

  async #counted<T>(result: Promise<T>, rowsOf: (result: T) => unknown[][]): Promise<T> {
    const answer = await result;
    this.counted?.budget?.countRows(rowsOf(answer));
    return answer;
  }

  /** Statements run on this thread, so that others have their turn between them. */
  async #run<T>(sql: string, work: () => T | Promise<T>): Promise<T> {
    await yieldInTransaction();
    if (this.#isOver) throw new Error('The transaction is over.');
    return this.#measured(sql, work);
  }

  async #measured<T>(sql: string, work: () => T | Promise<T>): Promise<T> {
    const { telemetry, onStatement } = this.#observers;
    onStatement?.(sql);
    const since = performance.now();
    try {
      return await (telemetry ? telemetry.measure('write', sql, async () => work()) : work());
    } finally {
      this.counted?.statements?.add(sql, performance.now() - since);
    }
  }
}
