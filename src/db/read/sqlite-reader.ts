import { setImmediate as nextTurn } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { maxPrepared } from '../database.ts';

/** For how long a read may hold the event loop, and after how many rows it looks at the clock. */
const slice = { ms: 10, rows: 128 };

/** A statement that never gave more rows than this, for parameters of at most this length, is read in one go. */
const small = { rows: 2_000, characters: 16_384 };

/** Large reads that may be under way at once, each on a connection of its own; further ones do not yield. */
const maxLarge = 32;

/** Connections of large reads that are kept for the next ones. */
const maxIdle = 2;

interface Prepared {
  statement: Sqlite.Statement<unknown[], unknown[]>;
  /** The most rows that it gave so far. */
  rows: number;
  isNew: boolean;
}

interface Connection {
  database: Sqlite.Database;
  prepared: Map<string, Prepared>;
}

/**
 * Reads on connections of their own: one on the writing connection would see an open transaction.
 *
 * SQLite works in the process's one thread. A read that takes long therefore stops every {@link slice}, lets
 * others go on, and ends there when its signal is aborted. While it is under way its connection keeps to the
 * state of the database at its start, which other reads must not see: the connection becomes its own, and
 * another one takes the other reads. What SQLite does before the first row (sorting) cannot be interrupted.
 */
export class SqliteReader {
  readonly #open: () => Sqlite.Database;
  readonly #idle: Connection[] = [];
  readonly #large = new Set<Connection>();
  #current: Connection;
  #isClosed = false;

  constructor(open: () => Sqlite.Database) {
    this.#open = open;
    this.#current = this.#connect();
  }

  #connect(): Connection {
    return { database: this.#open(), prepared: new Map() };
  }

  query(text: string, params: unknown[], signal?: AbortSignal): unknown[][] | Promise<unknown[][]> {
    const connection = this.#current;
    const prepared = prepare(connection, text);
    if (!prepared.isNew && prepared.rows <= small.rows && isShort(params)) {
      const rows = prepared.statement.all(params);
      if (rows.length > prepared.rows) prepared.rows = rows.length;
      return rows;
    }
    return this.#inSlices(connection, prepared, params, signal);
  }

  /** Whatever fits into one slice is answered at once. */
  #inSlices(
    connection: Connection,
    prepared: Prepared,
    params: unknown[],
    signal?: AbortSignal,
  ): unknown[][] | Promise<unknown[][]> {
    const rows: unknown[][] = [];
    const iterator = prepared.statement.iterate(params);
    const finished = (): boolean => {
      const end = performance.now() + slice.ms;
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        rows.push(next.value);
        const isLate = rows.length % slice.rows === 0 && performance.now() > end;
        if (isLate && (this.#large.size < maxLarge || this.#large.has(connection))) return false;
      }
      prepared.isNew = false;
      if (rows.length > prepared.rows) prepared.rows = rows.length;
      return true;
    };
    if (finished()) return rows;
    return this.#goOn(connection, finished, () => iterator.return?.(), signal).then(() => rows);
  }

  async #goOn(connection: Connection, finished: () => boolean, end: () => void, signal?: AbortSignal) {
    this.#large.add(connection);
    this.#current = this.#idle.pop() ?? this.#connect();
    try {
      do {
        await nextTurn();
        signal?.throwIfAborted();
        if (this.#isClosed) throw new Error('The database is closed.');
      } while (!finished());
    } finally {
      end();
      this.#large.delete(connection);
      if (this.#isClosed || this.#idle.length === maxIdle) connection.database.close();
      else this.#idle.push(connection);
    }
  }

  /** Large reads under way fail. */
  close(): void {
    this.#isClosed = true;
    for (const { database } of [this.#current, ...this.#idle]) database.close();
  }
}

function prepare({ database, prepared }: Connection, text: string): Prepared {
  let known = prepared.get(text);
  if (!known) {
    const statement = database.prepare<unknown[], unknown[]>(text).raw(true);
    known = { statement, rows: 0, isNew: true };
    prepared.set(text, known);
    if (prepared.size > maxPrepared) prepared.delete(prepared.keys().next().value!);
  }
  return known;
}

/** Keys come as one text: how long it is says how many there are. */
function isShort(params: unknown[]): boolean {
  let characters = 0;
  for (const param of params) if (typeof param === 'string') characters += param.length;
  return characters <= small.characters;
}
