import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import {
  maxPrepared,
  type Opened,
  type OpenOptions,
  type Transaction,
  transactionOptions,
} from './database.ts';
import { postgres } from './dialect.ts';
import { PrismaClient as PostgresClient } from './generated/postgres/client.ts';
import { Pipelines } from './pipeline.ts';
import { Writers } from './writers.ts';

const pingTimeoutMs = 2_000;

/** Those of Prisma: longer ones are of many rows, and hardly come again with as many. */
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

/** Names for what Prisma sends, as long as there is room; a statement without one is planned every time. */
function writtenNames(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text);
    if (name) return name;
    if (text.length > mostWritten.characters || names.size === mostWritten.statements) return '';
    const made = `write_${names.size + 1}`;
    names.set(text, made);
    return made;
  };
}

export function openPostgres({ url, onStatement, onConnectionError, poolSize = 10 }: OpenOptions): Opened {
  const settings = {
    connectionString: url,
    query_timeout: 60_000,
    application_name: 'trellis',
  };
  const onError = (error: Error) => onConnectionError?.(error);
  // Transactions that wait for a row keep their connection: reads have their own, and never queue behind.
  const readers = new Pipelines({ ...settings, connectionTimeoutMillis: 5_000 }, poolSize, onError);
  // Its own connection: what ends a late probe must not end what others have asked.
  const probe = new pg.Pool({ ...settings, max: 1, connectionTimeoutMillis: pingTimeoutMs });
  const writers = new Writers({
    ...settings,
    max: poolSize,
    connectionTimeoutMillis: transactionOptions.maxWait,
  });
  for (const pool of [probe, writers]) pool.on('error', onError);
  const nameOf = writtenNames();
  const client = new PostgresClient({
    adapter: new PrismaPg(writers, {
      statementNameGenerator: ({ sql }) => nameOf(sql),
      ...(onConnectionError && { onConnectionError }),
    }),
    transactionOptions,
    ...(onStatement && { log: [{ emit: 'event', level: 'query' }] }),
  });
  if (onStatement) {
    (client as unknown as PostgresClient<'query'>).$on('query', (event) => onStatement(event.query));
  }
  const names = new Map<string, string>();
  let prepared = 0;
  return {
    dialect: postgres,
    // The two clients come from one definition of the models: typed once, as the smaller of the two.
    transaction: (work, signal) =>
      writers.transaction(
        () =>
          client.$transaction(async (tx) => {
            const result = await work(tx as unknown as Transaction);
            signal?.throwIfAborted();
            return result;
          }),
        signal,
      ),
    async query(text, params, signal) {
      onStatement?.(text);
      let name = names.get(text);
      if (!name) {
        if (names.size === maxPrepared) {
          // Connections keep what was prepared on them: with new ones it begins anew.
          names.clear();
          readers.renew();
        }
        name = `read_${++prepared}`;
        names.set(text, name);
      }
      const result = await readers.query({ name, text, values: params, rowMode: 'array', types }, signal);
      return result.rows as unknown[][];
    },
    async ping() {
      const late = sleep(pingTimeoutMs, undefined, { ref: false }).then(() => {
        throw new Error(`no answer within ${pingTimeoutMs} ms`);
      });
      // The pool may wait longer than that for a connection, which no setting of a query limits.
      const query = { text: 'SELECT 1', query_timeout: pingTimeoutMs };
      await Promise.race([probe.query(query as pg.QueryConfig), late]);
    },
    async close() {
      await client.$disconnect();
      await Promise.all([readers.close(), probe.end(), writers.end()]);
    },
  };
}
