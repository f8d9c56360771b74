import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { ConfigError, withSettingFiles } from './setting-file.ts';

/** A setting that holds a key. */
export const secretKey = z
  .string()
  .regex(/^([0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$/, 'must be 32 bytes, as 64 hexadecimal digits or base64');

/** The 32 bytes of such a setting. */
export const keyBytes = (text: string) => Buffer.from(text, text.length === 64 ? 'hex' : 'base64');

/** Reads a key from the setting `name` or its file: 32 bytes. Throws a ConfigError if it is invalid. */
export function readSecretKey(env: NodeJS.ProcessEnv, name: string): Buffer {
  const problems: string[] = [];
  const settings = withSettingFiles(env, [name], (text) => problems.push(text));
  const parsed = secretKey.safeParse(settings[name] || undefined);
  if (!parsed.success && problems.length === 0) {
    problems.push(settings[name] ? `${name} ${parsed.error.issues[0]!.message}` : `${name} is not set`);
  }
  if (!parsed.success || problems.length) throw new ConfigError(problems);
  return keyBytes(parsed.data);
}

/** The path of the key file next to an SQLite database, or undefined if the key is set elsewhere. */
export function keyFileOf(
  env: NodeJS.ProcessEnv,
  { databaseUrl }: { databaseUrl: string },
): string | undefined {
  const isElsewhere = env.SECRET_KEY || env.SECRET_KEY_FILE || !databaseUrl.startsWith('file:');
  return isElsewhere ? undefined : `${databaseUrl.slice('file:'.length)}.key`;
}

/** For development: reads the key from a file next to the SQLite database, which the first start creates. */
export function keyFile(databasePath: string): Buffer {
  const path = `${databasePath}.key`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (!existsSync(path)) writeOnce(path, randomBytes(32).toString('hex'));
    const text = readFileSync(path, 'utf8').trim();
    if (!/^[0-9a-f]{64}$/.test(text)) throw new Error('it does not contain 64 hexadecimal digits');
    return Buffer.from(text, 'hex');
  } catch (error) {
    throw new ConfigError([
      `SECRET_KEY is not set and the key file ${path} cannot be used: ${(error as Error).message}`,
    ]);
  }
}

/** Creates a file atomically, so that concurrent first starts use the same key. */
function writeOnce(path: string, text: string): void {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
}
