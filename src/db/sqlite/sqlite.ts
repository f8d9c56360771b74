import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { inTime, prismaOptions } from '../connection/in-time.ts';
import { transactionLimiter } from '../connection/transaction-limiter.ts';
import { withUnavailable } from '../connection/unavailable.ts';
import {
  type CountedFor,
  defaultLockTimeoutMs,
  type Opened,
  type OpenOptions,
  type Statements,
  type Transaction,
  transactionOptions,
  withMethods,
} from '../database.ts';
import { PrismaClient as SqliteClient } from '../generated/sqlite/client.ts';
import { pragmas, SqliteAdapter } from './adapter.ts';
import { Checkpoints } from './checkpoints.ts';
import { sqlite } from './dialect.ts';
import { watchFile } from './file.ts';
import { SqliteReader } from './reader.ts';
import { isBusy, Writable } from './writable.ts';

export function openSqlite({
  url,
  onStatement,
  telemetry,
  lockTimeoutMs = defaultLockTimeoutMs,
}: OpenOptions): Opened {
  const path = url.slice('file:'.length);
  const adapter = new SqliteAdapter(path, { telemetry, onStatement });
  const client = new SqliteClient({ adapter });
  const reader = new SqliteReader(() => new Sqlite(path).exec(pragmas));
  // A connection of its own, because the writing one can have an open transaction.
  const probe = new Sqlite(path, { timeout: 0 }).exec(pragmas);
  const file = watchFile(path);
  const checkpoints = new Checkpoints(path, probe);
  const writable = new Writable(probe, checkpoints);
  const limiter = transactionLimiter(1, transactionOptions.maxWait);
  const inTransaction = async <T>(
    work: (tx: Transaction) => Promise<T>,
    begun: () => void,
    signal?: AbortSignal,
    counted?: CountedFor,
  ): Promise<T> => {
    const holder = { ...(counted?.caller !== undefined && { group: counted.caller }) };
    await limiter.enter(holder, signal);
    try {
      const room = checkpoints.room();
      if (room) await room;
      signal?.throwIfAborted();
      file.check();
      return await client.$transaction(async (tx) => {
        begun();
        const transaction = adapter.transaction!;
        transaction.counted = counted;
        const methods: Statements = {
          $read: (text, params) => transaction.read(text, params),
          $write: (text, params) => transaction.write(text, params),
          $insert: (into, rows) => transaction.insert(into, rows),
        };
        const result = await inTime(work(withMethods(tx, methods)), () => {});
        signal?.throwIfAborted();
        return result;
      }, prismaOptions);
    } finally {
      limiter.leave(holder);
    }
  };
  return {
    dialect: sqlite,
    transaction: (work, signal, counted) =>
      withTurn((begun) => inTransaction(work, begun, signal, counted), lockTimeoutMs, signal).then(
        (result) => {
          writable.committed();
          return result;
        },
        (error) => {
          writable.failed(error);
          throw signal?.aborted ? signal.reason : withUnavailable(error);
        },
      ),
    async query(text, params, options = {}) {
      options.signal?.throwIfAborted();
      onStatement?.(text);
      try {
        return await reader.query(text, params, options);
      } catch (error) {
        throw withUnavailable(error);
      }
    },
    copied: () => checkpoints.copied(),
    async ping() {
      file.check();
      await reader.query('SELECT 1 FROM enterprise LIMIT 1', []);
      writable.check();
    },
    pools: () => [reader.state(), { ...adapter.state(), waiting: limiter.waiting }],
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
