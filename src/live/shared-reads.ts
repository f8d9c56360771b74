import type { Database } from '../db/open.ts';
import type { CountRow, ReadOptions } from '../db/query/reader.ts';
import { rowBytes } from '../kernel/budget.ts';
import type { Memory } from '../kernel/memory.ts';

/** A statement of a subscriber, with what it is counted for. */
interface Read extends Omit<ReadOptions, 'signal'> {
  text: string;
  params: unknown[];
}

/** The rows of a statement that was sent. */
interface Sent {
  rows: Promise<unknown[][]>;
  /** Whether the subscriber who sent it could not hold its rows, so that the others send it themselves. */
  isCut: boolean;
  /** How many subscribers wait for it. */
  readers: number;
  /** Cancels it. */
  ended: AbortController;
}

/** How much of what was read a process retains for subscribers that may still ask for it, of all changes together. */
export const retainedBytes = 16 * 2 ** 20;

/**
 * The reads of subscribers that are notified of the same change. Equal statements are sent once, whoever sends them, so that
 * many subscribers cost the database as much as one. A statement contains whatever its result depends on, such as the
 * teams that its caller may see. Its rows are counted for who sends it while they arrive, and for others when they get them. It is a
 * statement of the caller who sends it, and is cancelled when nobody waits for it any more.
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
    this.#shared.query = (text, params, { signal, ...options } = {}) =>
      this.#query({ text, params, ...options }, signal);
  }

  get db(): Database {
    return performance.now() < this.#until ? this.#shared : this.#db;
  }

  async #query(read: Read, signal: AbortSignal | undefined): Promise<unknown[][]> {
    const { text, params, count } = read;
    const key = JSON.stringify([text, params]);
    for (;;) {
      signal?.throwIfAborted();
      const known = this.#sent.get(key);
      const sent = known ?? this.#send(key, read);
      const rows = await this.#rowsOf(key, sent, signal).catch((error) => {
        if (known?.isCut && !signal?.aborted) return undefined;
        throw error;
      });
      if (!rows) continue;
      if (known && count) for (const row of rows) count(row);
      return rows;
    }
  }

  /** The rows of a statement, for a reader who can leave. */
  async #rowsOf(key: string, sent: Sent, signal: AbortSignal | undefined): Promise<unknown[][]> {
    sent.readers++;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        reject(signal!.reason);
        if (--sent.readers > 0) return;
        if (this.#sent.get(key) === sent) this.#sent.delete(key);
        sent.ended.abort(signal!.reason);
      };
    });
    signal?.addEventListener('abort', leave);
    try {
      return await Promise.race([sent.rows, left]);
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #send(key: string, { text, params, ...options }: Read): Sent {
    const { count } = options;
    const sent: Sent = { rows: Promise.resolve([]), isCut: false, readers: 0, ended: new AbortController() };
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
    sent.rows = this.#db.query(text, params, { ...options, signal: sent.ended.signal, count: counted });
    this.#sent.set(key, sent);
    const isCurrent = () => this.#sent.get(key) === sent;
    sent.rows.then(
      (rows) => isCurrent() && this.#retain(key, rows),
      () => isCurrent() && this.#sent.delete(key),
    );
    return sent;
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
