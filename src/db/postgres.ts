import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { UnavailableError } from '../kernel/errors.ts';
import {
  applicationName,
  defaultLockTimeoutMs,
  maxPrepared,
  type Opened,
  type OpenOptions,
  probeWriteEveryMs,
  type Transaction,
  transactionOptions,
} from './database.ts';
import { postgres } from './dialect-postgres.ts';
import { PrismaClient as PostgresClient } from './generated/postgres/client.ts';
import { Pipelines } from './read/pipeline.ts';
import { PooledReader } from './read/pooled-reader.ts';
import { withUnavailable } from './unavailable.ts';
import { Writers } from './write/writers.ts';

const pingTimeoutMs = 2_000;
/** Goes to the disk although it changes nothing, and locks rows that nothing else ever does. */
const probeWrite = 'UPDATE _prisma_migrations SET applied_steps_count = applied_steps_count';
const connectionTimeoutMs = 5_000;
const defaultIdleTransactionTimeoutMs = 30_000;

/** Statements of Prisma that stay prepared: longer ones are of many rows, and hardly come again with as many. */
const mostWritten = { statements: 300, characters: 2_000 };

/** Timestamps without a zone are left as text: the driver would read them in the machine's zone. */
const timestampOid = 1114;
const bigintOid = 20;
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === timestampOid) return (value: string) => value;
    if (oid === bigintOid) return Number;
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as unknown as pg.CustomTypesConfig;

/** The same text has the same name in every process: where two share a session, they mean the same by a name. */
const nameOf = (text: string) => `t_${createHash('sha256').update(text).digest('base64url')}`;

/** Names for what Prisma sends, as long as there is room; a statement without one is planned every time. */
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

/** The loser of a deadlock, or of a race between serializable transactions, was rolled back whole. */
const hasLost = (error: unknown) =>
  error instanceof UnavailableError && /^40(001|P01)$/.test((error.cause as { code?: string })?.code ?? '');

export function openPostgres(options: OpenOptions): Opened {
  const { url, onStatement, onConnectionError, poolSize = 10, pooler } = options;
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
  // Transactions that wait for a row keep their connection: reads have their own, and never queue behind.
  const readers = pooler
    ? new PooledReader(settings, poolSize, onError)
    : new Pipelines({ ...settings, lock_timeout: limits.lock_timeout }, poolSize, onError);
  // Its own connection: what ends a late probe must not end what others have asked.
  const probe = new pg.Pool({ ...settings, max: 1, connectionTimeoutMillis: pingTimeoutMs });
  // A pooler refuses settings of a session: there each transaction brings them.
  const writers = new Writers(pooler ? settings : { ...settings, ...limits }, {
    size: poolSize,
    maxWaitMs: transactionOptions.maxWait,
    ...(pooler && { local: limits }),
  });
  for (const pool of [probe, writers]) pool.on('error', onError);
  const writtenName = writtenNames();
  const client = new PostgresClient({
    adapter: new PrismaPg(writers, {
      ...(!pooler && { statementNameGenerator: ({ sql }: { sql: string }) => writtenName(sql) }),
      ...(onConnectionError && { onConnectionError }),
    }),
    transactionOptions,
    ...(onStatement && { log: [{ emit: 'event', level: 'query' }] }),
  });
  if (onStatement) {
    (client as unknown as PostgresClient<'query'>).$on('query', (event) => onStatement(event.query));
  }
  const names = new Map<string, string>();
  const readName = (text: string) => {
    let name = names.get(text);
    if (!name) {
      if (names.size === maxPrepared) {
        // Connections keep what was prepared on them: with new ones it begins anew.
        names.clear();
        (readers as Pipelines).renew();
      }
      name = nameOf(text);
      names.set(text, name);
    }
    return name;
  };
  const once = <T>(work: (tx: Transaction) => Promise<T>, signal?: AbortSignal) =>
    writers.transaction(
      () =>
        client.$transaction(async (tx) => {
          const result = await work(tx as unknown as Transaction);
          signal?.throwIfAborted();
          return result;
        }),
      signal,
    );
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    client: client as unknown as Opened['client'],
    dialect: postgres,
    transaction: (work, signal) =>
      once(work, signal).catch((error) => {
        if (!hasLost(error)) throw error;
        return once(work, signal);
      }),
    async query(text, params, signal) {
      onStatement?.(text);
      const name = pooler ? '' : readName(text);
      try {
        const result = await readers.query({ name, text, values: params, rowMode: 'array', types }, signal);
        return result.rows as unknown[][];
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
      // The pool may wait longer than that for a connection, which no setting of a query limits.
      const query = { text: isWrite ? probeWrite : 'SELECT 1', query_timeout: pingTimeoutMs };
      await Promise.race([probe.query(query as pg.QueryConfig), late]);
      if (isWrite) writtenAt = now;
    },
    async close() {
      await client.$disconnect();
      await Promise.all([readers.close(), probe.end(), writers.end()]);
    },
  };
}
