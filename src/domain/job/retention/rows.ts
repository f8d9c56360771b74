import type { Database } from '../../../db/open.ts';
import { type Bulk, deleteByIds } from '../../../db/write/bulk.ts';

const inTransaction = (db: Database, work: (write: Bulk) => Promise<void>): Promise<void> =>
  db.transaction((tx) => work({ context: { db }, tx }));

export const deleteParts = (db: Database, ids: readonly number[]): Promise<void> =>
  inTransaction(db, (write) => deleteByIds(write, 'JobComponent', ids));

/** Deletes jobs whose parts were deleted before. */
export const deleteJobs = (db: Database, ids: readonly number[]): Promise<void> =>
  inTransaction(db, (write) => deleteByIds(write, 'Job', ids));
