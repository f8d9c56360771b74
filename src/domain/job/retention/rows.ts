import type { Database } from '../../../db/open.ts';
import { type Bulk, deleteMany } from '../../../db/write/bulk.ts';

const inTransaction = (db: Database, work: (write: Bulk) => Promise<void>): Promise<void> =>
  db.transaction((tx) => work({ context: { db }, tx }));

const keysOf = (ids: readonly number[]) => ids.map((id) => [id]);

export const deleteParts = (db: Database, ids: readonly number[]): Promise<void> =>
  inTransaction(db, (write) => deleteMany(write, 'JobComponent', ['id'], keysOf(ids)));

/** Deletes jobs whose parts were deleted before. */
export const deleteJobs = (db: Database, ids: readonly number[]): Promise<void> =>
  inTransaction(db, (write) => deleteMany(write, 'Job', ['id'], keysOf(ids)));
