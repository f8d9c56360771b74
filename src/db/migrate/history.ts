import type { Migration, SchemaObject } from './migration-files.ts';

/** A migration that the database has seen. */
export interface HistoryRecord {
  name: string;
  checksum: string;
  finished: boolean | number;
}

/** What a database knows of its migrations, through a connection of its own. */
export interface History {
  records(): Promise<HistoryRecord[]>;
  /** Whether it has the lock, which nobody else has until `close`, or until the process dies. */
  tryLock(): Promise<boolean>;
  /** Runs the migration and records it, in one transaction. */
  apply(migration: Migration): Promise<void>;
  /** Records that a migration that was begun has been applied. */
  finish(migration: Migration): Promise<void>;
  /** Records that a migration that was begun has left nothing behind. */
  rollBack(migration: Migration): Promise<void>;
  has(object: SchemaObject): Promise<boolean>;
  close(): Promise<void>;
}

export const selectRecords =
  'SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished ' +
  'FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at';
