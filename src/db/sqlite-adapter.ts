import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type Sqlite from 'better-sqlite3';
import { isSliceOver, nextTurn } from '../kernel/slices.ts';
import type { RequestStatements } from '../kernel/statements.ts';
import type { Telemetry } from '../kernel/telemetry.ts';
import type { PoolState } from './database.ts';
import { keptBytes, pagesBeforeCommitsCopy } from './sqlite-checkpoints.ts';
import { keepStatements } from './sqlite-statements.ts';

/** The settings of each connection. */
export const pragmas =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; ' +
  `PRAGMA wal_autocheckpoint = ${pagesBeforeCommitsCopy}; PRAGMA journal_size_limit = ${keptBytes};`;

/** Prisma's adapter, with the same pragmas as all other connections. */
export class SqliteAdapter extends PrismaBetterSqlite3 {
  readonly telemetry: Telemetry | undefined;
  /** Gets the statements of the transaction in progress, of which there is one at a time. */
  statements: RequestStatements | undefined;
  #client: Sqlite.Database | undefined;
  #prepare: ReturnType<typeof keepStatements> | undefined;
  #end = () => {};
  /** Counts the beginnings and ends of transactions. */
  #place = 0;

  constructor(path: string, telemetry: Telemetry | undefined) {
    // Waiting for a lock in the driver would block the process, so `withTurn` waits instead.
    super({ url: path, timeout: 0 });
    this.telemetry = telemetry;
  }

  override async connect() {
    const adapter = await super.connect();
    await adapter.executeScript(pragmas);
    const { client } = adapter as unknown as { client: Sqlite.Database };
    this.#client = client;
    this.#prepare = keepStatements(client);
    // The transaction of Prisma goes on when one of the database ends, and has no statements of its own.
    adapter.startTransaction = async () => {
      let isOver = false;
      const over = async () => {
        isOver = true;
      };
      const run = <T>(sql: string, work: () => Promise<T>) => {
        if (isOver) throw new Error('The transaction is over.');
        return this.#run(sql, work);
      };
      this.#end = over;
      return {
        provider: adapter.provider,
        adapterName: adapter.adapterName,
        options: { usePhantomQuery: true },
        queryRaw: async (query) => run(query.sql, () => adapter.queryRaw(query)),
        executeRaw: async (query) => run(query.sql, () => adapter.executeRaw(query)),
        commit: over,
        rollback: over,
      };
    };
    return adapter;
  }

  /** The rows of a read in the transaction in progress, without Prisma. */
  read(text: string, params: readonly unknown[]): Promise<unknown[][]> {
    return this.#run(text, () => this.#prepare!(text).all([...params]));
  }

  write(text: string, params: readonly unknown[]): Promise<number> {
    return this.#run(text, () => this.#prepare!(text).run([...params]).changes);
  }

  /** Takes the lock for writing. Fails if another process has it. */
  begin(): void {
    this.#prepare!('BEGIN IMMEDIATE').run();
    this.#place++;
  }

  async commit(): Promise<void> {
    await this.write('COMMIT', []);
  }

  rollback(): void {
    // Statements of the transaction that are still to come must not become part of the next one.
    this.#end();
    this.#place++;
    // Some errors have rolled it back, and after others, as of a full disk, it is open.
    if (this.#client?.inTransaction) this.#client.exec('ROLLBACK');
  }

  /** Statements run on this thread, so that others have their turn between them. */
  async #run<T>(sql: string, work: () => T | Promise<T>): Promise<T> {
    if (isSliceOver()) {
      const place = this.#place;
      await nextTurn();
      if (this.#place !== place) throw new Error('The transaction is over.');
    }
    const { telemetry, statements } = this;
    const since = performance.now();
    try {
      return await (telemetry ? telemetry.measure('write', sql, async () => work()) : work());
    } finally {
      statements?.add(sql, performance.now() - since);
    }
  }

  /** Prisma's one connection, on which transactions take turns. */
  state(): PoolState {
    const inUse = this.#client?.inTransaction ? 1 : 0;
    return { pool: 'write', size: 1, open: 1, inUse, waiting: 0 };
  }
}
