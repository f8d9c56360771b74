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

/** The rows of one run of an insert. More save no time. */
const rowsOfInsert = 25;

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

  /** Inserts rows of parameters, some of them with each run of a statement. */
  insert(into: string, rows: readonly (readonly unknown[])[]): Promise<number> {
    const [first] = rows;
    if (!first) return Promise.resolve(0);
    const tuple = `(${first.map(() => '?').join(', ')})`;
    const one = `${into} VALUES ${tuple}`;
    return this.#run(one, () => {
      const together = rows.length - (rows.length % rowsOfInsert);
      if (together > 0) {
        const some = this.#prepare(`${one}${`, ${tuple}`.repeat(rowsOfInsert - 1)}`);
        for (let at = 0; at < together; at += rowsOfInsert) {
          const params: unknown[] = [];
          for (let row = at; row < at + rowsOfInsert; row++) params.push(...rows[row]!);
          some.run(params);
        }
      }
      if (together === rows.length) return rows.length;
      const single = this.#prepare(one);
      for (let row = together; row < rows.length; row++) single.run(rows[row]! as unknown[]);
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
