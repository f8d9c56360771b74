import type { Database } from './open.ts';

/** The database as one request uses it: its reads end when the signal is aborted. */
export function scopedTo(db: Database, signal: AbortSignal): Database {
  const scoped: Database = Object.create(db);
  scoped.query = async (text, params) => {
    signal.throwIfAborted();
    return db.query(text, params, signal);
  };
  return scoped;
}
