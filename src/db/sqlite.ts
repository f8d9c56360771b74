import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { Transaction as DriverTransaction } from '@prisma/driver-adapter-utils';
import Sqlite from 'better-sqlite3';
import { isSliceOver, nextTurn } from '../kernel/slices.ts';
import type { RequestStatements } from '../kernel/statements.ts';
import type { Telemetry } from '../kernel/telemetry.ts';
import {
  defaultLockTimeoutMs,
  type Opened,
  type OpenOptions,
  type PoolState,
  probeWriteEveryMs,
  transactionOptions,
  withMethods,
} from './database.ts';
import { sqlite } from './dialect-sqlite.ts';
import { PrismaClient as SqliteClient } from './generated/sqlite/client.ts';
import { SqliteReader } from './read/sqlite-reader.ts';
import { Checkpoints, pagesBeforeCommitsCopy } from './sqlite-checkpoints.ts';
import { keepStatements } from './sqlite-statements.ts';
import { withUnavailable } from './unavailable.ts';

const pragmas =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; ' +
  `PRAGMA wal_autocheckpoint = ${pagesBeforeCommitsCopy};`;

/** Prisma's adapter, with the same pragmas as all other connections. */
class SqliteAdapter extends PrismaBetterSqlite3 {
  readonly telemetry: Telemetry | undefined;
  /** Gets the statements of the transaction in progress, of which there is one at a time. */
  statements: RequestStatements | undefined;
  #client: Sqlite.Database | undefined;
  #prepare: ReturnType<typeof keepStatements> | undefined;

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
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolation) => {
      const transaction = this.#yielding(await start(isolation));
      const rollback = transaction.rollback.bind(transaction);
      transaction.rollback = () => {
        // After a commit that failed because of disk space or a lock, the transaction can still be open.
        if (client.inTransaction) client.exec('ROLLBACK');
        return rollback();
      };
      return transaction;
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

  /**
   * A transaction that yields to the event loop between its statements. They run on this thread, and Prisma would
   * otherwise run statements and waiting transactions one after the other without yielding.
   */
  #yielding(transaction: DriverTransaction): DriverTransaction {
    const [query, execute] = [transaction.queryRaw, transaction.executeRaw];
    transaction.queryRaw = (statement) => this.#run(statement.sql, () => query.call(transaction, statement));
    transaction.executeRaw = (statement) =>
      this.#run(statement.sql, () => execute.call(transaction, statement));
    return transaction;
  }

  async #run<T>(sql: string, work: () => T | Promise<T>): Promise<T> {
    if (isSliceOver()) await nextTurn();
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

export function openSqlite({
  url,
  onStatement,
  telemetry,
  lockTimeoutMs = defaultLockTimeoutMs,
}: OpenOptions): Opened {
  const path = url.slice('file:'.length);
  const adapter = new SqliteAdapter(path, telemetry);
  const client = new SqliteClient({
    adapter,
    transactionOptions,
    ...(onStatement && { log: [{ emit: 'event', level: 'query' }] }),
  });
  if (onStatement) {
    (client as unknown as SqliteClient<'query'>).$on('query', (event) => onStatement(event.query));
  }
  const reader = new SqliteReader(() => new Sqlite(path).exec(pragmas));
  // A connection of its own, because the writing one can have an open transaction.
  const probe = new Sqlite(path, { timeout: 0 }).exec(pragmas);
  const checkpoints = new Checkpoints(path, probe);
  const direct = {
    $read(text: string, params: readonly unknown[]) {
      onStatement?.(text);
      return adapter.read(text, params);
    },
    $write(text: string, params: readonly unknown[]) {
      onStatement?.(text);
      return adapter.write(text, params);
    },
  };
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    client,
    dialect: sqlite,
    transaction: (work, signal, statements) =>
      withTurn(
        (begun) =>
          client.$transaction(async (tx) => {
            signal?.throwIfAborted();
            // A transaction that starts with a read cannot always be upgraded to a write. A first statement that
            // writes, even if it changes nothing, gets the lock or fails because another process has it. After a
            // `BEGIN IMMEDIATE` that fails, the adapter would not start another transaction.
            await adapter.write('DELETE FROM enterprise WHERE 0', []);
            begun();
            adapter.statements = statements;
            try {
              const result = await work(withMethods(tx, { ...direct, $later: direct }));
              signal?.throwIfAborted();
              return result;
            } finally {
              adapter.statements = undefined;
            }
          }),
        lockTimeoutMs,
        signal,
      ).then(
        (result) => {
          checkpoints.committed();
          return result;
        },
        (error) => {
          throw signal?.aborted ? signal.reason : withUnavailable(error);
        },
      ),
    async query(text, params, signal) {
      signal?.throwIfAborted();
      onStatement?.(text);
      try {
        return await reader.query(text, params, signal);
      } catch (error) {
        throw withUnavailable(error);
      }
    },
    async ping() {
      await reader.query('SELECT 1 FROM enterprise LIMIT 1', []);
      const now = performance.now();
      if (now - writtenAt <= probeWriteEveryMs) return;
      try {
        // An unused number in the file header. It must change, because otherwise nothing is written.
        probe.pragma(`user_version = ${Math.floor(Date.now() / 1000)}`);
      } catch (error) {
        // Another connection is writing, so the database is writable.
        if (!isBusy(error)) throw error;
      }
      writtenAt = now;
    },
    pools: () => [reader.state(), adapter.state()],
    async close() {
      await checkpoints.close();
      reader.close();
      probe.close();
      await client.$disconnect();
    },
  };
}

/** The interval at which a write retries while another process has the lock. */
const retryMs = 20;

const isBusy = (error: unknown) => {
  const { code, meta } = error as {
    code?: string;
    meta?: { driverAdapterError?: { cause?: { originalCode?: string } } };
  };
  return /^SQLITE_BUSY/.test(meta?.driverAdapterError?.cause?.originalCode ?? code ?? '');
};

/** Retries while another process has the write lock, which is safe until the transaction has started. */
async function withTurn<T>(
  attempt: (begun: () => void) => Promise<T>,
  waitMs: number,
  signal?: AbortSignal,
): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    let hasBegun = false;
    try {
      return await attempt(() => {
        hasBegun = true;
      });
    } catch (error) {
      if (hasBegun || !isBusy(error) || performance.now() > deadline) throw error;
    }
    signal?.throwIfAborted();
    await sleep(retryMs);
  }
}
