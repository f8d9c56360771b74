import type { Database } from '../open.ts';
import { selectRecords } from './history.ts';
import { migrationNames, migrationsDirectory } from './migration-files.ts';

/** Finds migrations that this version does not have: a later one has migrated the database while this process was running. */
export function createNewerMigrations(
  db: Pick<Database, 'query' | 'dialect'>,
): () => Promise<string | undefined> {
  let known: Promise<Set<string>> | undefined;
  return async () => {
    known ??= migrationNames(migrationsDirectory(db.dialect.kind)).then((names) => new Set(names));
    const [names, rows] = await Promise.all([known, db.query(selectRecords, [])]);
    return rows.map(([name]) => name as string).find((name) => !names.has(name));
  };
}
