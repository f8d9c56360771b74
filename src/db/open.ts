import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { type Dialect, postgres, sqlite } from './dialect.ts';
import { PrismaClient as PostgresClient } from './generated/postgres/client.ts';
import { type Prisma, PrismaClient as SqliteClient } from './generated/sqlite/client.ts';
import { Pipelines } from './pipeline.ts';

/** A transaction, or the client itself: the same models either way. */
export type Transaction = Prisma.TransactionClient;

/** An open database of either kind. */
export interface Database {
  dialect: Dialect;
  /** Runs `work` in one transaction that has the write lock (SQLite) from its start. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * One prepared statement, sent straight to the driver; rows are arrays in column order. Rejects with the
   * signal's reason when that is aborted.
   */
  query(text: string, params: unknown[], signal?: AbortSignal): Promise<unknown[][]>;
  /** Tells a listener of every change that this process has made, by the types of what changed. */
  onChange(listener: (types: string[]) => void): void;
  /** To be called by the door for writes, after the commit. */
  changed(types: string[]): void;
  /** Rows of which not all columns were read refuse to be asked for the others: for tests, since it costs. */
  guardsRows: boolean;
  /** Answers or throws within two seconds. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** `file:…` or `postgres://…`. */
  url: string;
  /** Told of every statement, reads and writes. */
  onStatement?: (text: string) => void;
  /** Told when an idle connection breaks; the pool replaces it by itself. */
  onConnectionError?: (error: Error) => void;
  /** @see Database.guardsRows */
  guardsRows?: boolean;
  /** Connections to Postgres for reads, and as many for writes. */
  poolSize?: number;
}

/** How long a transaction may wait for its turn, and how long it may take. */
const transactionOptions = { maxWait: 20_000, timeout: 60_000 };

const pingTimeoutMs = 2_000;

/** Statements that stay prepared: every connection to Postgres keeps each of them. */
const maxPrepared = 500;

/** Those of Prisma: longer ones are of many rows, and hardly come again with as many. */
const mostWritten = { statements: 300, characters: 2_000 };

const isFile = (url: string) => url.startsWith('file:');

export function openDatabase(options: OpenOptions): Database {
  const listeners: ((types: string[]) => void)[] = [];
  return {
    ...(isFile(options.url) ? openSqlite(options) : openPostgres(options)),
    guardsRows: options.guardsRows ?? false,
    onChange: (listener) => void listeners.push(listener),
    changed: (types) => {
      for (const listener of listeners) listener(types);
    },
  };
}

type Opened = Omit<Database, 'onChange' | 'changed' | 'guardsRows'>;

/** The adapter of Prisma, its connection set up as every connection of ours is. */
class SqliteAdapter extends PrismaBetterSqlite3 {
  override async connect() {
    const adapter = await super.connect();
    await adapter.executeScript(sqlitePragmas);
    return adapter;
  }
}

const sqlitePragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;';

function openSqlite({ url, onStatement }: OpenOptions): Opened {
  const path = url.slice('file:'.length);
  const client = new SqliteClient({
    // The driver would wait for a lock with the whole process: `withTurn` waits instead.
    adapter: new SqliteAdapter({ url: path, timeout: 0 }),
    transactionOptions,
    ...(onStatement && { log: [{ emit: 'event', level: 'query' }] }),
  });
  if (onStatement) {
    (client as unknown as SqliteClient<'query'>).$on('query', (event) => onStatement(event.query));
  }
  // Reads have a connection of their own: one on the writing connection would see an open transaction.
  const reader = new Sqlite(path);
  reader.exec(sqlitePragmas);
  const prepared = new Map<string, Sqlite.Statement>();
  return {
    dialect: sqlite,
    transaction: (work) =>
      withTurn((begun) =>
        client.$transaction(async (tx) => {
          // A transaction that begins by reading cannot always become a writing one; a first statement that
          // writes, if only nothing, takes the lock or finds that another process has it.
          await tx.$executeRawUnsafe('DELETE FROM enterprise WHERE 0');
          begun();
          return work(tx);
        }),
      ),
    async query(text, params) {
      onStatement?.(text);
      let statement = prepared.get(text);
      if (!statement) {
        statement = reader.prepare(text).raw(true);
        prepared.set(text, statement);
        if (prepared.size > maxPrepared) prepared.delete(prepared.keys().next().value!);
      }
      return statement.all(params) as unknown[][];
    },
    async ping() {
      reader.prepare('SELECT 1 FROM enterprise LIMIT 1').all();
    },
    async close() {
      reader.close();
      await client.$disconnect();
    },
  };
}

/** How long a write waits for another process that writes, and how often it looks. */
const turn = { waitMs: 5_000, retryMs: 20 };

const isBusy = (error: unknown) =>
  /^SQLITE_BUSY/.test(
    (error as { meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } }).meta
      ?.driverAdapterError?.cause?.originalCode ?? '',
  );

/** Tries again while another process has the write lock: as long as nothing has begun, nothing is done twice. */
async function withTurn<T>(attempt: (begun: () => void) => Promise<T>): Promise<T> {
  const deadline = Date.now() + turn.waitMs;
  for (;;) {
    let hasBegun = false;
    try {
      return await attempt(() => {
        hasBegun = true;
      });
    } catch (error) {
      if (hasBegun || !isBusy(error) || Date.now() > deadline) throw error;
    }
    await sleep(turn.retryMs);
  }
}

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

function openPostgres({ url, onStatement, onConnectionError, poolSize = 10 }: OpenOptions): Opened {
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
  const writers = new pg.Pool({
    ...settings,
    max: poolSize,
    connectionTimeoutMillis: transactionOptions.maxWait,
  });
  for (const pool of [probe, writers]) pool.on('error', onError);
  const nameOf = writtenNames();
  const client = new PostgresClient({
    adapter: new PrismaPg(writers, {
      disposeExternalPool: true,
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
    transaction: (work) => client.$transaction((tx) => work(tx as unknown as Transaction)),
    async query(text, params) {
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
      const result = await readers.query({ name, text, values: params, rowMode: 'array', types });
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
      // Prisma ends its pool only where it has used it.
      await Promise.all([readers.close(), probe.end(), writers.ending || writers.end()]);
    },
  };
}
