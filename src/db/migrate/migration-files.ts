import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedFile } from '../../kernel/files.ts';

/** A problem with a migration or the history of the database that requires manual action. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

export type DatabaseKind = 'sqlite' | 'postgres';

export interface Migration {
  name: string;
  script: string;
}

export function migrationsDirectory(kind: DatabaseKind): string {
  return fileURLToPath(installedFile(`prisma/migrations/${kind}`));
}

export async function migrationNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    unlessMissing(`there are no migrations: there is no folder ${folder}`),
  );
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  return Promise.all(
    (await migrationNames(folder)).map(async (name) => {
      const script = await readFile(join(folder, name, 'migration.sql'), 'utf8').catch(
        unlessMissing(`migration ${name} has no file migration.sql in ${folder}`),
      );
      return { name, script };
    }),
  );
}

/** Other failures, such as too many open files, are explained by themselves. */
const unlessMissing = (problem: string) => (error: NodeJS.ErrnoException) => {
  throw error.code === 'ENOENT' ? new MigrationError(problem) : error;
};

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The checksum that Prisma's engine computes. */
export const checksumOf = ({ script }: Migration): string => sha256(script);

/** Line endings are normalized, because a checkout may change them. */
export function hasChecksum({ script }: Migration, checksum: string): boolean {
  const unix = script.replaceAll('\r\n', '\n');
  return [script, unix, unix.replaceAll('\n', '\r\n')].map(sha256).includes(checksum);
}

/** Something that a migration adds to a schema: a table or an index, or a column of a table. */
export interface SchemaObject {
  name: string;
  column?: string;
}

/**
 * The objects that a migration creates. On SQLite, changing a table recreates it under another name, so that name and
 * the objects on such a table are ignored.
 */
export function createdObjects(script: string): SchemaObject[] {
  const rewritten = new Map(
    [...script.matchAll(/^ALTER TABLE "(\w+)" RENAME TO "(\w+)"/gm)].map(([, from, to]) => [from!, to!]),
  );
  const isRewritten = (table: string) => rewritten.has(table) || [...rewritten.values()].includes(table);
  const tables = [...script.matchAll(/^CREATE TABLE "(\w+)"/gm)]
    .filter(([, table]) => !isRewritten(table!))
    .map(([, name]) => ({ name: name! }));
  const indexes = [...script.matchAll(/^CREATE (?:UNIQUE )?INDEX "(\w+)" ON "(\w+)"/gm)]
    .filter(([, , table]) => !isRewritten(table!))
    .map(([, name]) => ({ name: name! }));
  const columns = [...script.matchAll(/^ALTER TABLE "(\w+)"([^;]*);/gm)].flatMap(([, name, changes]) =>
    [...changes!.matchAll(/ADD COLUMN\s+"(\w+)"/g)].map(([, column]) => ({ name: name!, column: column! })),
  );
  return [...tables, ...indexes, ...columns];
}
