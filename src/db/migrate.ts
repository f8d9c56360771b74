import { createHash } from 'node:crypto';
import { access, constants, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import pg from 'pg';

/** A migration, or the history of the database, needs a person to look at it. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

export interface MigrateOptions {
  /** `file:<path>` or `postgres://…`. */
  url: string;
  /** The migrations of that kind of database; by default the ones that Trellis comes with. */
  directory?: string;
  log?: (message: string) => void;
}

/**
 * Brings the database up to date and gives the names of the migrations that it applied. Several processes may
 * do so at once: they take turns.
 *
 * The history is kept in Prisma's own table, so that `prisma migrate deploy` can take over.
 *
 * @throws MigrationError when the history of the database does not fit the migrations, or one fails
 */
export async function migrate({ url, directory, log }: MigrateOptions): Promise<string[]> {
  const folder = directory ?? migrationsDirectory(kindOf(url));
  const migrations = await readMigrations(folder);
  const history = await (kindOf(url) === 'sqlite' ? openSqlite(url) : openPostgres(url));
  try {
    // The common case takes no lock. What looks wrong here may be the work of another process, half done.
    const now = compare(migrations, await history.records());
    if (!now.problem && now.pending.length === 0) return [];

    if (!(await history.tryLock())) {
      log?.('waiting for another process that migrates the database');
      while (!(await history.tryLock())) await sleep(lockRetryMs);
    }
    const { problem, pending } = compare(migrations, await history.records());
    if (problem) throw new MigrationError(problem);
    if (pending.length === 0) return [];

    log?.(`applying migrations: ${pending.join(', ')}`);
    return await apply(url, folder, migrations, history);
  } finally {
    await history.close();
  }
}

const lockRetryMs = 50;

export type DatabaseKind = 'sqlite' | 'postgres';

function kindOf(url: string): DatabaseKind {
  if (url.startsWith('file:')) return 'sqlite';
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgres';
  throw new Error('the database url must start with file: or postgres://');
}

/** Two levels below the project's root, from its sources as from what they are built to. */
export function migrationsDirectory(kind: DatabaseKind): string {
  return fileURLToPath(new URL(`../../prisma/migrations/${kind}`, import.meta.url));
}

interface Migration {
  name: string;
  script: string;
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw new MigrationError(`there are no migrations: ${folder} cannot be read`);
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const script = await readFile(join(folder, name, 'migration.sql'), 'utf8').catch(() => {
        throw new MigrationError(`migration ${name} has no file migration.sql in ${folder}`);
      });
      return { name, script };
    }),
  );
}

/** A migration that the database has seen. */
interface HistoryRecord {
  name: string;
  checksum: string;
  finished: boolean | number;
}

function compare(migrations: Migration[], records: HistoryRecord[]): { problem?: string; pending: string[] } {
  const scripts = new Map(migrations.map(({ name, script }) => [name, script]));
  const applied = new Set<string>();
  for (const { name, checksum, finished } of records) {
    if (!finished) return { problem: failed(name), pending: [] };
    const script = scripts.get(name);
    if (script === undefined) return { problem: missing(name), pending: [] };
    if (!checksums(script).includes(checksum)) return { problem: edited(name), pending: [] };
    applied.add(name);
  }
  return { pending: migrations.map(({ name }) => name).filter((name) => !applied.has(name)) };
}

/** Line ends are not part of what a migration says: a checkout may change them. */
function checksums(script: string): string[] {
  const unix = script.replaceAll('\r\n', '\n');
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  return [sha256(script), sha256(unix), sha256(unix.replaceAll('\n', '\r\n'))];
}

const failed = (name: string) =>
  `migration ${name} was started on this database and did not end well. A migration is applied as a whole or ` +
  'not at all: remove the cause, then run ' +
  `UPDATE _prisma_migrations SET rolled_back_at = CURRENT_TIMESTAMP WHERE migration_name = '${name}' ` +
  'AND finished_at IS NULL (or prisma migrate resolve --rolled-back) and start again';
const missing = (name: string) =>
  `migration ${name} has been applied to this database and is not among the migrations of this version. ` +
  'Start the version that applied it, or a later one, or restore a backup from before it';
const edited = (name: string) =>
  `migration ${name} was edited after it had been applied to this database. ` +
  'Restore its migration.sql, and make the change in a new migration';

async function apply(
  url: string,
  folder: string,
  migrations: Migration[],
  history: History,
): Promise<string[]> {
  const { applyMigrations } = await import('./schema-engine.ts');
  const lock = 'migration_lock.toml';
  try {
    return await applyMigrations(url, {
      baseDir: folder,
      lockfile: { path: lock, content: await readFile(join(folder, lock), 'utf8').catch(() => null) },
      shadowDbInitScript: '',
      migrationDirectories: migrations.map(({ name, script }) => ({
        path: name,
        migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
      })),
    });
  } catch (error) {
    // The engine adds a numbered trace of its own insides.
    const reason = (error as Error).message.split(/\n\s+0: /)[0]!.trim();
    const broken = (await history.records()).find(({ finished }) => !finished);
    throw new MigrationError(broken ? `migration ${broken.name} failed: ${reason}` : reason);
  }
}

/** What a database knows of its migrations, through a connection of its own that may hold the lock. */
interface History {
  records(): Promise<HistoryRecord[]>;
  /** Whether it has the lock, which nobody else has until `close`, or until the process dies. */
  tryLock(): Promise<boolean>;
  close(): Promise<void>;
}

const selectRecords =
  'SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished ' +
  'FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at';

async function openSqlite(url: string): Promise<History> {
  const path = url.slice('file:'.length);
  let database: Sqlite.Database;
  try {
    await mkdir(dirname(path), { recursive: true });
    database = new Sqlite(path);
    database.pragma('schema_version');
    await access(path, constants.W_OK);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    throw new Error(`cannot open the database ${path}: ${code === 'EACCES' ? 'it is read-only' : message}`);
  }
  let lock: Sqlite.Database | undefined;
  return {
    async records() {
      const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_prisma_migrations'").get();
      return table ? (database.prepare(selectRecords).all() as HistoryRecord[]) : [];
    },
    async tryLock() {
      // A database beside the real one, that nothing else ever waits for. Its file stays: were it removed, a
      // process that already waits on it and one that makes it anew would both hold the lock.
      lock ??= new Sqlite(`${path}-migrate.lock`, { timeout: 0 });
      try {
        lock.exec('BEGIN EXCLUSIVE');
      } catch (error) {
        if ((error as { code?: string }).code === 'SQLITE_BUSY') return false;
        throw error;
      }
      // Kept in the file. Done under the lock, since two connections cannot both change it at once.
      database.pragma('journal_mode = WAL');
      return true;
    },
    async close() {
      database.close();
      lock?.close();
    },
  };
}

/** "trellis" in ASCII, so that it is no one else's lock; Prisma's own is 72707369. */
const advisoryLock = '32776877234743667';
const connectionTimeoutMs = 10_000;

async function openPostgres(url: string): Promise<History> {
  let client: pg.Client;
  try {
    client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectionTimeoutMs,
      keepAlive: true,
      application_name: 'trellis-migrate',
    });
    // A connection that breaks makes the next statement fail, which says so.
    client.on('error', () => undefined);
    await client.connect();
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    throw new Error(`cannot connect to the database${placeOf(url)}: ${message || code}`);
  }
  return {
    async records() {
      const table = await client.query("SELECT to_regclass('_prisma_migrations') AS name");
      return table.rows[0].name ? (await client.query(selectRecords)).rows : [];
    },
    async tryLock() {
      // Asking again and again, rather than waiting inside one statement, leaves no open snapshot behind that
      // a concurrent index build would wait for in turn.
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [advisoryLock]);
      return rows[0].locked;
    },
    close: () => client.end(),
  };
}

/** Where the database is, without the password. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { host, pathname } = new URL(url);
  return ` ${host}${pathname}`;
}
