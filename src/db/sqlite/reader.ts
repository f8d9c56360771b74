import type Sqlite from 'better-sqlite3';
import { maxPrepared, type PoolState } from '../database.ts';
import { ReadTurns } from './read-turns.ts';

/** How long a read can block the event loop, and the number of rows between checks of the clock. */
const slice = { ms: 10, rows: 128 };

/** Statements that have never returned more rows, for parameters up to this length, are read at once. */
const small = { rows: 2_000, characters: 16_384 };

/** The maximum number of concurrent large reads, each on a connection of its own. Further ones begin again after one of them. */
const maxLarge = 32;

/** The number of idle connections that are kept for large reads. */
const maxIdle = 2;

interface Prepared {
  statement: Sqlite.Statement<unknown[], unknown[]>;
  /** The most rows that it has returned so far. */
  rows: number;
  isNew: boolean;
}

interface Connection {
  database: Sqlite.Database;
  prepared: Map<string, Prepared>;
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
    return { database: this.#open(), prepared: new Map() };
  }

  query(text: string, params: unknown[], signal?: AbortSignal): unknown[][] | Promise<unknown[][]> {
    return this.#turns.run(signal, () => this.#query(text, params, signal));
  }

  #query(text: string, params: unknown[], signal?: AbortSignal): unknown[][] | Promise<unknown[][]> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The database is closed.');
    const connection = this.#current;
    const prepared = prepare(connection, text);
    if (!prepared.isNew && prepared.rows <= small.rows && isShort(params)) {
      const rows = prepared.statement.all(params);
      if (rows.length > prepared.rows) prepared.rows = rows.length;
      return rows;
    }
    return this.#inSlices(connection, prepared, { text, params, signal });
  }

  /** Returns the rows at once if they fit into one slice. */
  #inSlices(
    connection: Connection,
    prepared: Prepared,
    { text, params, signal }: { text: string; params: unknown[]; signal: AbortSignal | undefined },
  ): unknown[][] | Promise<unknown[][]> {
    const rows: unknown[][] = [];
    const iterator = prepared.statement.iterate(params);
    const hasRoom = () => this.#large.size < maxLarge || this.#large.has(connection);
    const finished = (): boolean => {
      const end = performance.now() + slice.ms;
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        rows.push(next.value);
        if (rows.length % slice.rows === 0 && performance.now() > end) return false;
      }
      prepared.isNew = false;
      if (rows.length > prepared.rows) prepared.rows = rows.length;
      return true;
    };
    if (finished()) return rows;
    if (!hasRoom()) {
      iterator.return?.();
      return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() =>
        this.query(text, params, signal),
      );
    }
    return this.#goOn(connection, finished, () => iterator.return?.(), signal).then(() => rows);
  }

  async #goOn(connection: Connection, finished: () => boolean, end: () => void, signal?: AbortSignal) {
    this.#large.add(connection);
    this.#current = this.#idle.pop() ?? this.#connect();
    try {
      const goOn = () => {
        signal?.throwIfAborted();
        if (this.#isClosed) throw new Error('The database is closed.');
        return finished();
      };
      while (!(await this.#turns.run(signal, goOn)));
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

/** The length of the parameters, which grows with the number of keys in them. */
function isShort(params: unknown[]): boolean {
  let characters = 0;
  for (const param of params) if (typeof param === 'string') characters += param.length;
  return characters <= small.characters;
}
