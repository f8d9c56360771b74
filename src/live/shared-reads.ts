import type { Database } from '../db/open.ts';

/** The caller of the statements that subscribers share. */
const subscribers = 'subscribers';

/**
 * The reads of subscribers that are notified of the same change. Equal statements are sent once, whoever sends them, so that
 * many subscribers cost the database as much as one. A statement contains whatever its result depends on, such as the
 * teams that its caller may see.
 */
export class SharedReads {
  readonly #db: Database;
  readonly #until: number;
  readonly #shared: Database;

  /** Results are shared for `shareMs`. Late readers get the current state. */
  constructor(db: Database, shareMs: number) {
    this.#db = db;
    this.#until = performance.now() + shareMs;
    const results = new Map<string, Promise<unknown[][]>>();
    this.#shared = Object.create(db) as Database;
    this.#shared.query = async (text, params, _, count) => {
      const key = JSON.stringify([text, params]);
      let result = results.get(key);
      if (!result) {
        result = db.query(text, params, undefined, undefined, subscribers);
        results.set(key, result);
      }
      const rows = await result;
      if (count) for (const row of rows) count(row);
      return rows;
    };
  }

  get db(): Database {
    return performance.now() < this.#until ? this.#shared : this.#db;
  }
}
