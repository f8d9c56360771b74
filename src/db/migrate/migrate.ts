import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayTimes } from '../gateways.ts';
import type { History, HistoryRecord } from './history.ts';
import {
  createdObjects,
  type DatabaseKind,
  hasChecksum,
  type Migration,
  MigrationError,
  migrationsDirectory,
  readMigrations,
} from './migration-files.ts';

export { type DatabaseKind, MigrationError, migrationsDirectory };

export interface MigrateOptions {
  /** `file:<path>` or `postgres://…`. */
  url: string;
  /** The migrations of that kind of database; by default those of this version of Trellis. */
  directory?: string;
  log?: (message: string) => void;
  /** Whether gateways may be running that do not have the migrations. */
  force?: boolean;
  /** How long to wait until such gateways have ended. By default longer than those count as running that were killed. */
  waitMs?: number;
}

/**
 * Applies pending migrations and returns their names. Concurrent processes take turns. A gateway of the version before may
 * neither read nor write what it does not know, so that it has to end first.
 *
 * A migration and the row that records it are committed together, so that a process that is killed leaves both or
 * neither, and the next start continues. The history is in Prisma's own table, so that `prisma migrate deploy` can be
 * used instead.
 *
 * @throws MigrationError if the history of the database does not match the migrations, if gateways of an earlier version
 * are running, or if a migration fails
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { url, directory, log } = options;
  const kind = kindOf(url);
  const migrations = await readMigrations(directory ?? migrationsDirectory(kind));
  const history = await openHistory(kind, url);
  try {
    // The common case needs no lock. An unexpected history can be the unfinished work of another process.
    const now = compare(migrations, await history.records());
    if (!now.problem && !now.interrupted.length && !now.pending.length) return [];

    if (!(await history.tryLock())) {
      log?.('waiting for another process that migrates the database');
      while (!(await history.tryLock())) await sleep(lockRetryMs);
    }
    await settleInterrupted(migrations, history, log);
    const { problem, pending } = compare(migrations, await history.records());
    if (problem) throw new MigrationError(problem);
    if (pending.length === 0) return [];

    if (!options.force) await requireNoGateway(history, options);
    log?.(`applying migrations: ${pending.map(({ name }) => name).join(', ')}`);
    for (const migration of pending) await apply(migration, history, log);
    return pending.map(({ name }) => name);
  } finally {
    await history.close();
  }
}

/** Waits until the gateways have ended that are running: none of them has the pending migrations. */
async function requireNoGateway(
  history: History,
  { log, waitMs = gatewayTimes.lapseMs + 5_000 }: MigrateOptions,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let hasLogged = false; ; hasLogged = true) {
    const gateways = await history.gateways();
    if (gateways.length === 0) return;
    const names = gateways.map(({ name, version }) => `${name} (${version})`).join(', ');
    if (performance.now() > deadline) throw new MigrationError(inUse(names));
    if (!hasLogged) log?.(`waiting for gateways of an earlier version to end: ${names}`);
    await sleep(gatewayRetryMs);
  }
}

/** Loads the driver of the database alone. */
async function openHistory(kind: DatabaseKind, url: string): Promise<History> {
  if (kind === 'sqlite') return (await import('./history-sqlite.ts')).openSqliteHistory(url);
  return (await import('./history-postgres.ts')).openPostgresHistory(url);
}

const lockRetryMs = 50;
const gatewayRetryMs = 500;

function kindOf(url: string): DatabaseKind {
  if (url.startsWith('file:')) return 'sqlite';
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgres';
  throw new Error('the database url must start with file: or postgres://');
}

interface Comparison {
  problem?: string;
  /** Migrations that were started but not finished. */
  interrupted: Migration[];
  pending: Migration[];
}

function compare(migrations: Migration[], records: HistoryRecord[]): Comparison {
  const byName = new Map(migrations.map((migration) => [migration.name, migration]));
  const applied = new Set<string>();
  const interrupted: Migration[] = [];
  for (const { name, checksum, finished } of records) {
    const migration = byName.get(name);
    if (!migration) return { problem: missing(name), interrupted: [], pending: [] };
    if (!finished) interrupted.push(migration);
    else if (!hasChecksum(migration, checksum)) {
      return { problem: edited(name), interrupted: [], pending: [] };
    } else applied.add(name);
  }
  return { interrupted, pending: migrations.filter(({ name }) => !applied.has(name)) };
}

const missing = (name: string) =>
  `migration ${name} has been applied to this database and is not among the migrations of this version. ` +
  'Start the version that applied it, or a later one, or restore a backup from before it';
const edited = (name: string) =>
  `migration ${name} was edited after it had been applied to this database. ` +
  'Restore its migration.sql, and make the change in a new migration';
const inUse = (names: string) =>
  `gateways of an earlier version are running, which cannot use the database once it is migrated: ${names}. ` +
  'Stop them first, or run npm run migrate -- --force';
const unclear = (name: string) =>
  `migration ${name} was started on this database by another tool, and the database does not show whether it ` +
  'was applied. Find out, run prisma migrate resolve with --applied or --rolled-back, and start again';
const halfDone = (name: string) =>
  `migration ${name} was started on this database by another tool and is only partly applied. ` +
  'Restore a backup from before it, and start again';

/**
 * Earlier versions and Prisma's own tool record the start of a migration before they apply it. The objects that it
 * creates show whether it was applied. If so, it is recorded as applied; otherwise, it is applied again.
 */
async function settleInterrupted(
  migrations: Migration[],
  history: History,
  log?: (message: string) => void,
): Promise<void> {
  for (const migration of compare(migrations, await history.records()).interrupted) {
    const created = createdObjects(migration.script);
    let count = 0;
    for (const each of created) if (await history.has(each)) count++;
    if (created.length === 0) throw new MigrationError(unclear(migration.name));
    if (count > 0 && count < created.length) throw new MigrationError(halfDone(migration.name));
    log?.(
      `migration ${migration.name} was interrupted ${count ? 'after' : 'before'} its changes were committed`,
    );
    await (count ? history.finish(migration) : history.rollBack(migration));
  }
}

/** Postgres ends one of the transactions that wait for each other, for example for that of a backup. */
const deadlockCode = '40P01';
const mostDeadlocks = 5;

async function apply(migration: Migration, history: History, log?: (message: string) => void): Promise<void> {
  const { name } = migration;
  for (let deadlocks = 0; ; deadlocks++) {
    try {
      return await history.apply(migration);
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      if (code !== deadlockCode || deadlocks === mostDeadlocks) {
        throw new MigrationError(`migration ${name} failed: ${message}`);
      }
      log?.(`migration ${name} met a deadlock and is tried again`);
    }
  }
}
