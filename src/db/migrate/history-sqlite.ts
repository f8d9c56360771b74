import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { runningGateways } from '../gateways.ts';
import { sqlite } from '../sqlite/dialect.ts';
import { type History, type HistoryRecord, selectRecords } from './history.ts';
import { checksumOf } from './migration-files.ts';

/** The table as Prisma's schema engine creates it. */
const createTable = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
)`;

/** The format in which Prisma stores times. */
const now = () => new Date().toISOString().replace('Z', '+00:00');

/** Only the owner may read the file. SQLite creates its other files with the same mode. */
function createPrivately(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

export async function openSqliteHistory(url: string): Promise<History> {
  const path = url.slice('file:'.length);
  let database: Sqlite.Database;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    createPrivately(path);
    database = new Sqlite(path);
    database.pragma('schema_version');
    await access(path, constants.W_OK);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    throw new Error(`cannot open the database ${path}: ${code === 'EACCES' ? 'it is read-only' : message}`);
  }
  let lock: Sqlite.Database | undefined;
  const has: History['has'] = async ({ name, column }) => {
    const row =
      column === undefined
        ? database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name)
        : database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(name, column);
    return row !== undefined;
  };
  return {
    async records() {
      const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_prisma_migrations'").get();
      return table ? (database.prepare(selectRecords).all() as HistoryRecord[]) : [];
    },
    async tryLock() {
      if (!lock) {
        // A separate database that is only used as a lock. Its file is kept: if it were removed, a process that waits on
        // it and one that recreates it would both get the lock.
        createPrivately(`${path}-migrate.lock`);
        lock = new Sqlite(`${path}-migrate.lock`, { timeout: 0 });
      }
      try {
        lock.exec('BEGIN EXCLUSIVE');
      } catch (error) {
        if ((error as { code?: string }).code === 'SQLITE_BUSY') return false;
        throw error;
      }
      // Stored in the file. Requires the lock, because two connections cannot change it at the same time.
      database.pragma('journal_mode = WAL');
      return true;
    },
    async apply(migration) {
      const startedAt = now();
      // In a transaction the pragma has no effect, so the one in a generated script comes too late. With foreign keys
      // on, dropping a table that is recreated would delete the rows that refer to it.
      database.pragma('foreign_keys = OFF');
      try {
        database
          .transaction(() => {
            database.exec(createTable);
            database.exec(migration.script);
            refuseBrokenReferences(database);
            const row = [randomUUID(), checksumOf(migration), migration.name, startedAt, now()];
            database
              .prepare(
                'INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count) VALUES (?, ?, ?, ?, ?, 1)',
              )
              .run(row);
          })
          .immediate();
      } catch (error) {
        const isBusy = (error as { code?: string }).code?.startsWith('SQLITE_BUSY');
        throw isBusy ? new Error('the database is locked: another process writes to it') : error;
      } finally {
        database.pragma('foreign_keys = ON');
      }
    },
    async finish({ name }) {
      database
        .prepare(
          'UPDATE _prisma_migrations SET finished_at = ?, applied_steps_count = 1 WHERE migration_name = ? AND finished_at IS NULL AND rolled_back_at IS NULL',
        )
        .run(now(), name);
    },
    async rollBack({ name }) {
      database
        .prepare(
          'UPDATE _prisma_migrations SET rolled_back_at = ? WHERE migration_name = ? AND finished_at IS NULL AND rolled_back_at IS NULL',
        )
        .run(now(), name);
    },
    async gateways() {
      if (!(await has({ name: 'gateway' }))) return [];
      return runningGateways(async (text) => database.prepare(text).raw().all() as unknown[][], sqlite);
    },
    has,
    async close() {
      database.close();
      lock?.close();
    },
  };
}

function refuseBrokenReferences(database: Sqlite.Database): void {
  const rows = database.pragma('foreign_key_check') as { table: string }[];
  if (rows.length === 0) return;
  throw new Error(`${rows.length} rows refer to rows that are missing, the first in ${rows[0]!.table}`);
}
