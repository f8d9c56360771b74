import { type Model, tableOf } from '../tables.ts';
import type { Reader } from './reader.ts';

/**
 * Finds up to which id the rows of a table are complete, so that no row with a lower id can appear any more. On Postgres,
 * ids are given before the commit: the rows up to the last id that was given out are complete when all transactions are
 * over that may have been given one of them. They are known by their locks, which they hold before the first id is taken and
 * until their rows can be seen.
 */
export class SettledIds {
  readonly #reader: Reader;
  readonly #table: string;
  #settled = 0;
  /** Complete as soon as these transactions are over. */
  #next: { id: number; writers: ReadonlySet<unknown> } | undefined;

  constructor(reader: Reader, model: Model) {
    this.#reader = reader;
    this.#table = tableOf(model).table;
  }

  /** The id up to which the rows are complete, as far as it is known. Does not wait. */
  async read(): Promise<number> {
    const { dialect } = this.#reader;
    const next = this.#next;
    if (next) {
      const open = await this.#writers();
      if ([...next.writers].some((writer) => open.has(writer))) return this.#settled;
      this.#settled = Math.max(this.#settled, next.id);
      // Another call can have begun to wait for others.
      if (this.#next === next) this.#next = undefined;
    }
    // Before the locks: who takes a lower id has its lock by now.
    const [row] = await this.#reader.query(`SELECT ${dialect.lastId(this.#table)}`, []);
    const id = Number(row![0]);
    const writers = await this.#writers();
    if (writers.size === 0) this.#settled = Math.max(this.#settled, id);
    else this.#next = { id, writers };
    return this.#settled;
  }

  /** Whether transactions are open that decide whether there is more. */
  get isWaiting(): boolean {
    return this.#next !== undefined;
  }

  async #writers(): Promise<Set<unknown>> {
    const text = this.#reader.dialect.writersOf?.(this.#table);
    return new Set(text === undefined ? [] : (await this.#reader.query(text, [])).map(([id]) => id));
  }
}
