import type Sqlite from 'better-sqlite3';
import type { PoolState } from '../database.ts';
import type { CountRow } from '../query/reader.ts';
import { type ReadOwner, ReadTurns } from './read-turns.ts';
import { cachedBy } from './statements.ts';

/**
 * How long a read can block the event loop, and the number of rows between checks of the clock: the first, and the most while rows are
 * read quickly. Those with long texts are read from many pages of the file.
 */
const slice = { ms: 10, firstRows: 4, rows: 16 };

/** The maximum number of concurrent large reads, each on a connection of its own. Further ones begin again after one of them. */
const maxLarge = 32;

/** The number of idle connections that are kept for large reads. */
const maxIdle = 2;

type Prepared = Sqlite.Statement<unknown[], unknown[]>;

interface Connection {
  database: Sqlite.Database;
  prepare(text: string): Prepared;
}

interface Read {
  text: string;
  params: unknown[];
  signal: AbortSignal | undefined;
  count: CountRow | undefined;
  owner: ReadOwner;
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

  query(
    text: string,
    params: unknown[],
    signal?: AbortSignal,
    count?: CountRow,
    caller?: string,
  ): unknown[][] | Promise<unknown[][]> {
    const owner: ReadOwner = { caller, request: signal };
    return this.#turns.run(owner, () => this.#query({ text, params, signal, count, owner }));
  }

  /** Returns the rows at once if they fit into one slice. */
  #query({ text, params, signal, count, owner }: Read): unknown[][] | Promise<unknown[][]> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The database is closed.');
    const connection = this.#current;
    const rows: unknown[][] = [];
    const iterator = connection.prepare(text).iterate(params);
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
        this.query(text, params, signal, count, owner.caller),
      );
    }
    return this.#goOn(connection, finished, end, owner, signal).then(() => rows);
  }

  async #goOn(
    connection: Connection,
    finished: () => boolean,
    end: () => void,
    owner: ReadOwner,
    signal?: AbortSignal,
  ) {
    this.#large.add(connection);
    this.#current = this.#idle.pop() ?? this.#connect();
    try {
      const goOn = () => {
        signal?.throwIfAborted();
        if (this.#isClosed) throw new Error('The database is closed.');
        return finished();
      };
      while (!(await this.#turns.run(owner, goOn)));
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
