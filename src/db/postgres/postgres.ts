import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { UnavailableError } from '../../kernel/errors.ts';
import { withUnavailable } from '../connection/unavailable.ts';
import {
  applicationName,
  defaultLockTimeoutMs,
  listenerName,
  maxPrepared,
  type Opened,
  type OpenOptions,
  probeWriteEveryMs,
} from '../database.ts';
import { PrismaClient as PostgresClient } from '../generated/postgres/client.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { postgres } from './dialect.ts';
import { PostgresListener } from './listener.ts';
import { Pipelines } from './pipeline.ts';
import { PooledReader } from './pooled-reader.ts';
import { nameOf, StatementNames } from './statement-names.ts';
import { TransactionPool } from './transaction-pool.ts';

const pingTimeoutMs = 2_000;
/** A write that changes nothing and locks rows that nothing else uses. */
const probeWrite = 'UPDATE _prisma_migrations SET applied_steps_count = applied_steps_count';
const connectionTimeoutMs = 5_000;
const defaultIdleTransactionTimeoutMs = 30_000;

/** The statements of transactions that stay prepared. Longer ones write many rows and are rarely repeated. */
const mostWritten = { statements: 300, characters: 5_000 };

/** Timestamps without a time zone are left as text, because the driver would parse them as local time. */
const timestampOid = 1114;
const bigintOid = 20;
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === timestampOid) return (value: string) => value;
    if (oid === bigintOid) return Number;
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as unknown as pg.CustomTypesConfig;

/** Names the statements of Prisma, up to a limit. Statements without a name are planned each time. */
function writtenNames(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text);
    if (name) return name;
    if (text.length > mostWritten.characters || names.size === mostWritten.statements) return '';
    const made = nameOf(text);
    names.set(text, made);
    return made;
  };
}

/**
 * Plans each prepared statement once. Otherwise Postgres can plan a short read again for each execution, because it expects
 * fewer rows for the actual keys than for any keys, and planning takes several times as long as the read.
 */
const plannedOnce = '-c plan_cache_mode=force_generic_plan';

/**
 * Runs each statement in one process. Otherwise a count of a long list starts more of them, and a few reads of one caller have the
 * processors that everybody needs.
 */
const inOneProcess = '-c max_parallel_workers_per_gather=0';

/** The options of the sessions. Poolers reject them. */
const sessionOptions = { options: `${plannedOnce} ${inOneProcess}` };

/** Whether a transaction was rolled back because of a deadlock or a serialization failure. */
const hasLost = (error: unknown) =>
  error instanceof UnavailableError && /^40(001|P01)$/.test((error.cause as { code?: string })?.code ?? '');

export function openPostgres(options: OpenOptions): Opened {
  const { url, onStatement, onConnectionError, poolSize = 10, pooler, telemetry } = options;
  const limits = {
    lock_timeout: options.lockTimeoutMs ?? defaultLockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleTransactionTimeoutMs ?? defaultIdleTransactionTimeoutMs,
  };
  const settings = {
    connectionString: url,
    query_timeout: 60_000,
    application_name: applicationName,
    connectionTimeoutMillis: connectionTimeoutMs,
  };
  const onError = (error: Error) => onConnectionError?.(error);
  // Reads have connections of their own, so that they do not wait for transactions.
  const readers = pooler
    ? new PooledReader(settings, poolSize, onError)
    : new Pipelines({ ...settings, ...sessionOptions, lock_timeout: limits.lock_timeout }, poolSize, onError);
  // A connection of its own, so that a probe that times out does not affect other statements.
  const probe = new pg.Pool({ ...settings, max: 1, connectionTimeoutMillis: pingTimeoutMs });
  const writtenName = writtenNames();
  const written = (text: string, values: readonly unknown[]): pg.QueryConfig => ({
    name: pooler ? '' : writtenName(text),
    text,
    values: [...values],
  });
  // Poolers reject session settings, so that each transaction sets them.
  const transactions = new TransactionPool(
    pooler ? settings : { ...settings, ...sessionOptions, ...limits, pipeline: true },
    {
      size: poolSize,
      telemetry,
      onStatement,
      ...(pooler && { local: limits }),
      methodsOf: (connection) => ({
        async $read(text, values) {
          const rows: pg.QueryArrayConfig = { ...written(text, values), rowMode: 'array', types };
          return (await connection.query(rows)).rows;
        },
        $write: async (text, values) => (await connection.query(written(text, values))).rowCount ?? 0,
      }),
    },
  );
  for (const pool of [probe, transactions]) pool.on('error', onError);
  const listenUrl = options.listenUrl ?? (pooler ? undefined : url);
  const client = new PostgresClient({
    adapter: new PrismaPg(transactions, {
      onConnectionError: onError,
      ...(!pooler && { statementNameGenerator: ({ sql }: { sql: string }) => writtenName(sql) }),
    }),
  }) as unknown as PrismaClient;
  const names = new StatementNames({
    most: maxPrepared,
    mostOfCaller: maxPrepared / 2,
    // Prepared statements are only released with their connection, so new connections are opened.
    cleared: () => (readers as Pipelines).renew(),
  });
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    dialect: postgres,
    listener: listenUrl
      ? new PostgresListener(
          { ...settings, connectionString: listenUrl, application_name: listenerName },
          onError,
        )
      : undefined,
    transaction: (work, signal, counted) =>
      transactions.transaction(client, work, signal, counted).catch((error) => {
        if (!hasLost(error)) throw error;
        return transactions.transaction(client, work, signal, counted);
      }),
    async query(text, params, options = {}) {
      onStatement?.(text);
      const name = pooler ? '' : names.of(text, options.caller);
      try {
        return await readers.query({ name, text, values: params, types }, options);
      } catch (error) {
        throw withUnavailable(error);
      }
    },
    async ping() {
      const late = sleep(pingTimeoutMs, undefined, { ref: false }).then(() => {
        throw new Error(`no answer within ${pingTimeoutMs} ms`);
      });
      const now = performance.now();
      const isWrite = now - writtenAt > probeWriteEveryMs;
      // `query_timeout` does not cover the time that the pool waits for a connection.
      const query = { text: isWrite ? probeWrite : 'SELECT 1', query_timeout: pingTimeoutMs };
      await Promise.race([probe.query(query as pg.QueryConfig), late]);
      if (isWrite) writtenAt = now;
    },
    pools: () => [readers.state(), transactions.state()],
    async close() {
      await client.$disconnect();
      await Promise.all([readers.close(), probe.end(), transactions.end()]);
    },
  };
}
