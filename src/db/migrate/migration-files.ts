import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A migration, or the history of the database, needs a person to look at it. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

export type DatabaseKind = 'sqlite' | 'postgres';

export interface Migration {
  name: string;
  script: string;
}

/** Two levels below the project's root, from its sources as from what they are built to. */
export function migrationsDirectory(kind: DatabaseKind): string {
  return fileURLToPath(new URL(`../../../prisma/migrations/${kind}`, import.meta.url));
}

export async function readMigrations(folder: string): Promise<Migration[]> {
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The checksum as Prisma's engine makes it. */
export const checksumOf = ({ script }: Migration): string => sha256(script);

/** Line ends are not part of what a migration says: a checkout may change them. */
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
 * What is there after the migration and was not before. SQLite changes a table by writing it anew under another
 * name: neither that name nor what is created on the table tells anything.
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
