// Adds what the scripts of Prisma's schema engine omit.
import Sqlite from 'better-sqlite3';

/** Changing a column on SQLite recreates the table, which drops its triggers. */
export function lostTriggers(url: string, script: string): string[] {
  const database = new Sqlite(url.slice('file:'.length), { readonly: true });
  const triggers = database
    .prepare("SELECT tbl_name AS name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid")
    .all() as { name: string; sql: string }[];
  database.close();
  return triggers
    .filter(({ name }) => script.includes(`RENAME TO "${name}"`))
    .map(({ sql }) => `-- CreateTrigger\n${sql};\n`);
}

/**
 * Text sorts by code point on both databases, so that lists have the same order on both, and an index on a
 * column serves that order. The engine ignores collations.
 */
export function withCollation(script: string): string {
  return script
    .replace(
      /^(\s*(?:ALTER TABLE "\w+" )?(?:ADD COLUMN\s+)?"\w+" TEXT(?:\[\])?)(?=[ ,;]|$)/gm,
      '$1 COLLATE "C"',
    )
    .replace(/( ALTER COLUMN "\w+" SET DATA TYPE TEXT(?:\[\])?)(?=[ ,;]|$)/gm, '$1 COLLATE "C"');
}
