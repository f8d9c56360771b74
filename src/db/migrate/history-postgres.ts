import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { runningGateways } from '../gateways.ts';
import { postgres } from '../postgres/dialect.ts';
import { type History, selectRecords } from './history.ts';
import { checksumOf } from './migration-files.ts';

/** The table as Prisma's schema engine creates it. */
const createTable = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
)`;

/** "trellis" in ASCII, which differs from Prisma's own lock, 72707369. */
const advisoryLock = '32776877234743667';
const connectionTimeoutMs = 10_000;

/**
 * The lock belongs to an idle transaction on a connection of its own and not to a session, because a pooler can assign
 * each transaction to another session. It is released when the process ends.
 */
export async function openPostgresHistory(url: string): Promise<History> {
  const client = await connect(url);
  let lock: pg.Client | undefined;
  const record = (assignment: string, name: string) =>
    client.query(
      `UPDATE _prisma_migrations SET ${assignment} WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
      [name],
    );
  const has: History['has'] = async ({ name, column }) => {
    const { rows } = await client.query(
      column === undefined
        ? 'SELECT to_regclass(quote_ident($1)) IS NOT NULL AS found, $2::text'
        : 'SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(quote_ident($1)) AND attname = $2 AND NOT attisdropped) AS found',
      [name, column],
    );
    return rows[0].found;
  };
  return {
    async records() {
      const table = await client.query("SELECT to_regclass('_prisma_migrations') AS name");
      return table.rows[0].name ? (await client.query(selectRecords)).rows : [];
    },
    async tryLock() {
      lock ??= await connect(url);
      // The server's idle transaction timeout would release the lock.
      await lock.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
      // Polls instead of waiting in a statement, which would hold a snapshot that a concurrent index build waits for,
      // and a session of the pooler.
      const { rows } = await lock.query('SELECT pg_try_advisory_xact_lock($1) AS locked', [advisoryLock]);
      if (!rows[0].locked) await lock.query('ROLLBACK');
      return rows[0].locked;
    },
    async apply(migration) {
      const startedAt = new Date();
      try {
        await client.query('BEGIN');
        // Suppresses the notice that the table exists.
        await client.query('SET LOCAL client_min_messages = warning');
        await client.query(createTable);
        // The server accepts several statements at once if they have no parameters.
        await client.query(migration.script);
        await client.query(
          'INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count) VALUES ($1, $2, $3, $4, $5, 1)',
          [randomUUID(), checksumOf(migration), migration.name, startedAt, new Date()],
        );
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    },
    finish: async ({ name }) => void (await record('finished_at = now(), applied_steps_count = 1', name)),
    rollBack: async ({ name }) => void (await record('rolled_back_at = now()', name)),
    async gateways() {
      if (!(await has({ name: 'gateway' }))) return [];
      return runningGateways(async (text) => (await client.query({ text, rowMode: 'array' })).rows, postgres);
    },
    has,
    close: async () => void (await Promise.all([client.end(), lock?.end()])),
  };
}

async function connect(url: string): Promise<pg.Client> {
  try {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectionTimeoutMs,
      keepAlive: true,
      application_name: 'trellis-migrate',
    });
    // If the connection breaks, the next statement fails and reports it.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    throw new Error(`cannot connect to the database${placeOf(url)}: ${message || code}`);
  }
}

/** The URL of the database without the password. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { host, pathname } = new URL(url);
  return ` ${host}${pathname}`;
}
