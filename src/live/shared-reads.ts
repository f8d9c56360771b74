import type { Database } from '../db/open.ts';
import type { CountRow } from '../db/query/reader.ts';
import { rowBytes } from '../kernel/budget.ts';
import type { Memory } from '../kernel/memory.ts';

/** The caller of the statements that subscribers share. */
const subscribers = 'subscribers';

/** The rows of a statement that was sent. */
interface Sent {
  rows: Promise<unknown[][]>;
  /** Whether the subscriber who sent it could not hold its rows, so that the others send it themselves. */
  isCut: boolean;
}

/** How much of what was read a process retains for subscribers that may still ask for it, of all changes together. */
export const retainedBytes = 16 * 2 ** 20;

/**
 * The reads of subscribers that are notified of the same change. Equal statements are sent once, whoever sends them, so that
 * many subscribers cost the database as much as one. A statement contains whatever its result depends on, such as the
 * teams that its caller may see. Its rows are counted for who sends it while they arrive, and for others when they get them.
 */
export class SharedReads {
  readonly #db: Database;
  readonly #until: number;
  readonly #retained: Memory;
  readonly #sent = new Map<string, Sent>();
  readonly #shared: Database;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Results are shared for `shareMs`, as far as there is room to retain them. Late readers get the current state. */
  constructor(db: Database, shareMs: number, retained: Memory) {
    this.#db = db;
    this.#until = performance.now() + shareMs;
    this.#retained = retained;
    this.#shared = Object.create(db) as Database;
    this.#shared.query = (text, params, _, count) => this.#query(text, params, count);
  }

  get db(): Database {
    return performance.now() < this.#until ? this.#shared : this.#db;
  }

  async #query(text: string, params: unknown[], count: CountRow | undefined): Promise<unknown[][]> {
    const key = JSON.stringify([text, params]);
    for (;;) {
      const sent = this.#sent.get(key);
      if (!sent) return this.#send(key, text, params, count);
      const rows = await sent.rows.catch((error) => {
        if (sent.isCut) return undefined;
        throw error;
      });
      if (!rows) continue;
      if (count) for (const row of rows) count(row);
      return rows;
    }
  }

  #send(key: string, text: string, params: unknown[], count: CountRow | undefined): Promise<unknown[][]> {
    const sent: Sent = { rows: Promise.resolve([]), isCut: false };
    const counted: CountRow | undefined =
      count &&
      ((row) => {
        try {
          count(row);
        } catch (error) {
          sent.isCut = true;
          throw error;
        }
      });
    sent.rows = this.#db.query(text, params, undefined, counted, subscribers);
    this.#sent.set(key, sent);
    sent.rows.then(
      (rows) => this.#retain(key, rows),
      () => this.#sent.delete(key),
    );
    return sent.rows;
  }

  /** An item that waits for a slow client refers to these reads for as long as it waits. */
  #retain(key: string, rows: readonly unknown[][]): void {
    const size = rows.reduce((sum, row) => sum + rowBytes(row), 0);
    const leftMs = this.#until - performance.now();
    if (leftMs <= 0 || !this.#retained.take(size)) return void this.#sent.delete(key);
    this.#bytes += size;
    this.#timer ??= setTimeout(() => this.#release(), leftMs).unref();
  }

  #release(): void {
    this.#retained.give(this.#bytes);
    this.#bytes = 0;
    this.#timer = undefined;
    this.#sent.clear();
  }
}
