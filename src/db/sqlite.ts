import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { RequestStatements } from '../kernel/statements.ts';
import {
  defaultLockTimeoutMs,
  type Opened,
  type OpenOptions,
  type Transaction,
  transactionOptions,
  untilClosed,
} from './database.ts';
import { sqlite } from './dialect-sqlite.ts';
import { PrismaClient as SqliteClient } from './generated/sqlite/client.ts';
import { SqliteReader } from './read/sqlite-reader.ts';
import { pragmas, SqliteAdapter } from './sqlite-adapter.ts';
import { Checkpoints } from './sqlite-checkpoints.ts';
import { isBusy, Writable } from './sqlite-writable.ts';
import { withUnavailable } from './unavailable.ts';
import { Admission } from './write/admission.ts';
import { inTime, isEndOfKept, isWornOut, type KeptClient, keepClient } from './write/kept-client.ts';

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
    (client as unknown as SqliteClient<'query'>).$on('query', (event) => {
      if (!isEndOfKept(event.query)) onStatement(event.query);
    });
  }
  const reader = new SqliteReader(() => new Sqlite(path).exec(pragmas));
  // A connection of its own, because the writing one can have an open transaction.
  const probe = new Sqlite(path, { timeout: 0 }).exec(pragmas);
  const checkpoints = new Checkpoints(path, probe);
  const writable = new Writable(probe, checkpoints);
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
  const admission = new Admission(1, transactionOptions.maxWait);
  let kept: KeptClient | undefined;
  const drop = () => {
    kept?.end();
    kept = undefined;
  };
  const inTransaction = async <T>(
    work: (tx: Transaction) => Promise<T>,
    begun: () => void,
    signal?: AbortSignal,
    statements?: RequestStatements,
  ): Promise<T> => {
    const turn = { runningSince: undefined, abort() {} };
    await admission.enter(turn, signal);
    try {
      if (kept && isWornOut(kept)) drop();
      kept ??= await keepClient(client, { ...direct, $later: { ...direct, $run: (write) => write } });
      const room = checkpoints.room();
      if (room) await room;
      signal?.throwIfAborted();
      adapter.begin();
      begun();
      adapter.statements = statements;
      const open = untilClosed(kept.tx);
      try {
        const result = await inTime(work(open.tx), () => {});
        signal?.throwIfAborted();
        open.close();
        onStatement?.('COMMIT');
        await adapter.commit();
        return result;
      } catch (error) {
        open.close();
        onStatement?.('ROLLBACK');
        adapter.rollback();
        drop();
        throw error;
      } finally {
        adapter.statements = undefined;
      }
    } finally {
      admission.leave(turn);
    }
  };
  return {
    client,
    dialect: sqlite,
    transaction: (work, signal, statements) =>
      withTurn((begun) => inTransaction(work, begun, signal, statements), lockTimeoutMs, signal).then(
        (result) => {
          writable.committed();
          return result;
        },
        (error) => {
          writable.failed(error);
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
      writable.check();
    },
    pools: () => [reader.state(), { ...adapter.state(), waiting: admission.waiting }],
    async close() {
      await checkpoints.close();
      reader.close();
      probe.close();
      // Prisma ends it.
      kept = undefined;
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
