import { accessSync, constants, existsSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Config, readConfig } from '../config.ts';
import { type Database, openDatabase } from '../db/open.ts';
import { ApiError } from '../kernel/errors.ts';
import { ConfigError } from '../kernel/setting-file.ts';

/** An error of a command for its user. */
export class CommandError extends Error {}

/** Invalid arguments. The usage is printed as well. */
export class UsageError extends CommandError {}

/** Runs a command, or with `--help` prints its usage. Errors are printed to standard error, with exit code 1. */
export async function run(work: () => Promise<void>, usage = ''): Promise<void> {
  if (usage !== '' && process.argv.slice(2).some((each) => each === '--help' || each === '-h')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${said(error)}${error instanceof UsageError ? `\n${usage}` : ''}\n`);
    process.exitCode = 1;
  }
}

function said(error: unknown): string {
  const { message, code } = error as Error & { code?: string };
  if (code === '42P01' || code === '42703' || /no such (table|column)/.test(message)) {
    return 'The database is not set up for this version: start Trellis on it once (npm start).';
  }
  if (/SQLITE_BUSY/.test(message)) return 'Another process is writing to the database: try again.';
  const plain = error instanceof CommandError || error instanceof ConfigError || error instanceof ApiError;
  return plain ? message : `The command failed: ${message || code || error}`;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Parses the command line. Throws a UsageError for unknown options and missing values. */
export function options<O extends NonNullable<ParseArgsConfig['options']>>(known: O) {
  try {
    return parseArgs({ options: known, strict: true, allowPositionals: false }).values;
  } catch (error) {
    // The rest of Node's message is redundant.
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

/** A whole number from 1 to `max`. */
export function count(name: string, text: string, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw new UsageError(`${name} must be a whole number from 1 to ${max}`);
  return value;
}

/** Opens the existing database of the settings. `before` runs before it is opened. */
export async function withDatabase(
  work: (db: Database) => Promise<void>,
  before?: (config: Config) => Promise<void>,
): Promise<void> {
  const config = readConfig(process.env);
  const [kind, path] = config.databaseUrl.split(/:(.*)/s) as [string, string];
  // Opening would create an empty database.
  if (kind === 'file' && !existsSync(path)) {
    throw new CommandError(`There is no database ${path}. Start Trellis on it once (npm start).`);
  }
  if (kind === 'file' && !isWritable(path)) throw new CommandError(`The database ${path} is read-only.`);
  await before?.(config);
  const db = await openDatabase({ url: config.databaseUrl, poolSize: 2, onConnectionError: () => {} });
  try {
    await work(db);
  } finally {
    await db.close();
  }
}
