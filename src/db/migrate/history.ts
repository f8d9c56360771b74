import type { RunningGateway } from '../gateways.ts';
import type { Migration, SchemaObject } from './migration-files.ts';

/** A migration that is recorded in the database. */
export interface HistoryRecord {
  name: string;
  checksum: string;
  finished: boolean | number;
}

/** The migration history of a database, on a connection of its own. */
export interface History {
  records(): Promise<HistoryRecord[]>;
  /** Tries to get the lock, which is held until `close` or the end of the process. */
  tryLock(): Promise<boolean>;
  /** Runs the migration and records it, in one transaction. */
  apply(migration: Migration): Promise<void>;
  /** Records that a started migration has been applied. */
  finish(migration: Migration): Promise<void>;
  /** Records that a started migration was rolled back. */
  rollBack(migration: Migration): Promise<void>;
  has(object: SchemaObject): Promise<boolean>;
  /** The gateways that are running. None in a database without their table. */
  gateways(): Promise<RunningGateway[]>;
  close(): Promise<void>;
}

export const selectRecords =
  'SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished ' +
  'FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at';
