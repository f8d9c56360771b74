import type Sqlite from 'better-sqlite3';
import type { PoolState } from '../database.ts';
import type { ReadOptions } from '../query/reader.ts';
import { ReadTurns } from './read-turns.ts';
import { cachedBy } from './statements.ts';

/**
 * How long a read can block the event loop, and the number of rows between checks of the clock: the first, and the most while rows are
 * read quickly. Those with long texts are read from many pages of the file.
 */
const slice = { ms: 10, firstRows: 4, rows: 16 };

/**
 * The most rows that are read at once, of statements that cannot return more and have no long texts. It takes two thirds of the time
 * of calling the driver for each row.
 */
const maxAtOnce = 2_000;

/** The maximum number of concurrent large reads, each on a connection of its own. Further ones begin again after one of them. */
const maxLarge = 32;

/** The number of idle connections that are kept for large reads. */
const maxIdle = 2;

type Prepared = Sqlite.Statement<unknown[], unknown[]>;

interface Connection {
  database: Sqlite.Database;
  prepare(text: string): Prepared;
}

/**
 * Reads on connections of their own, because the writing connection would see its open transaction.
 *
 * SQLite runs on the thread of the server. Reads therefore take turns, a long read yields after every {@link slice}, and all
 * stop there if their signal is aborted. Until it ends, its connection sees the database as it was at its start, which other reads must
 * not. The long read therefore keeps the connection, and other reads use another one. The work of SQLite before the
 * first row, such as sorting, cannot be interrupted.
 */
export class SqliteReader {
  readonly #open: () => Sqlite.Database;
  readonly #idle: Connection[] = [];
  readonly #large = new Set<Connection>();
  readonly #turns = new ReadTurns();
  /** Large reads that wait until another one ends. */
  readonly #waiting: (() => void)[] = [];
  #current: Connection;
  #isClosed = false;

  constructor(open: () => Sqlite.Database) {
    this.#open = open;
    this.#current = this.#connect();
  }

  #connect(): Connection {
    const database = this.#open();
    return { database, prepare: cachedBy((text) => database.prepare<unknown[], unknown[]>(text).raw(true)) };
  }

  query(text: string, params: unknown[], options: ReadOptions = {}): unknown[][] | Promise<unknown[][]> {
    const { caller, signal } = options;
    return this.#turns.run({ caller, request: signal }, () => this.#query(text, params, options));
  }

  /** Returns the rows at once if they are few. */
  #query(text: string, params: unknown[], options: ReadOptions): unknown[][] | Promise<unknown[][]> {
    const { signal, count, maxRows } = options;
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The database is closed.');
    const prepared = this.#current.prepare(text);
    if (maxRows === undefined || maxRows > maxAtOnce) return this.#inSlices(prepared, text, params, options);
    const rows = prepared.all(params);
    if (count) for (const row of rows) count(row);
    return rows;
  }

  /** Returns the rows at once if they fit into one slice. */
  #inSlices(
    prepared: Prepared,
    text: string,
    params: unknown[],
    options: ReadOptions,
  ): unknown[][] | Promise<unknown[][]> {
    const { count } = options;
    const connection = this.#current;
    const rows: unknown[][] = [];
    const iterator = prepared.iterate(params);
    const end = () => iterator.return?.();
    let step: number = slice.firstRows;
    const finished = (): boolean => {
      const until = performance.now() + slice.ms;
      let check = rows.length + step;
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        count?.(next.value);
        rows.push(next.value);
        if (rows.length < check) continue;
        if (performance.now() > until) {
          step = 1;
          return false;
        }
        step = Math.min(2 * step, slice.rows);
        check = rows.length + step;
      }
      return true;
    };
    try {
      if (finished()) return rows;
    } catch (error) {
      end();
      throw error;
    }
    if (this.#large.size === maxLarge) {
      end();
      return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() =>
        this.query(text, params, options),
      );
    }
    return this.#goOn(connection, finished, end, options).then(() => rows);
  }

  async #goOn(
    connection: Connection,
    finished: () => boolean,
    end: () => void,
    { caller, signal }: ReadOptions,
  ) {
    this.#large.add(connection);
    this.#current = this.#idle.pop() ?? this.#connect();
    try {
      const goOn = () => {
        signal?.throwIfAborted();
        if (this.#isClosed) throw new Error('The database is closed.');
        return finished();
      };
      while (!(await this.#turns.run({ caller, request: signal }, goOn)));
    } finally {
      end();
      this.#large.delete(connection);
      this.#waiting.shift()?.();
      if (this.#isClosed || this.#idle.length === maxIdle) connection.database.close();
      else this.#idle.push(connection);
    }
  }

  state(): PoolState {
    const inUse = this.#large.size;
    return { pool: 'read', size: 1 + maxLarge, open: 1 + inUse + this.#idle.length, inUse, waiting: 0 };
  }

  /** Large reads in progress fail. */
  close(): void {
    this.#isClosed = true;
    for (const { database } of [this.#current, ...this.#idle]) database.close();
  }
}
