import { randomUUID } from 'node:crypto';
import type { Database } from '../open.ts';
import { columnOf, type Model, tableOf } from '../tables.ts';
import { DatabaseClock } from './clock.ts';

/** A process that takes work, and until when it holds it unless it renews the lease. By the clock of the database. */
export interface Lease {
  owner: string;
  /** From when the lease counts, by the monotonic clock of the process. */
  heldFromMs: number;
  now: Date;
  until: Date;
  /** Later than anything waits for: what is due after this was written before the clock was set back. */
  latest: Date;
}

/** Rows that become due: all whose column `due` is set, or of these the ones with some values. */
export interface DueRows {
  model: Model;
  due: string;
  where?: { [field: string]: string };
}

/** When the first row is due: never, if there is none. `isLost` if one waits for longer than anything does. */
interface DueTimes {
  firstMs: number;
  isLost: boolean;
}

type Reading = Pick<Database, 'query' | 'dialect'>;

/** The leases of one worker of this process. */
export class Leases {
  readonly owner = randomUUID();
  readonly #leaseMs: number;
  readonly #latestMs: number;
  readonly #clock: DatabaseClock;

  /** `longestWaitMs` is how long work can wait for its next attempt. */
  constructor({ leaseMs, longestWaitMs }: { leaseMs: number; longestWaitMs: number }) {
    this.#leaseMs = leaseMs;
    this.#latestMs = 2 * Math.max(leaseMs, longestWaitMs);
    this.#clock = new DatabaseClock(leaseMs);
  }

  /** The time of the database. */
  get now(): Date {
    return this.#clock.read().now;
  }

  /** A lease that begins now. */
  next(): Lease {
    const { now, heldFromMs } = this.#clock.read();
    const later = (ms: number) => new Date(now.getTime() + ms);
    return {
      owner: this.owner,
      heldFromMs,
      now,
      until: later(this.#leaseMs),
      latest: later(this.#latestMs),
    };
  }

  /** Reads the time of the database, unless it was read before. */
  ready(db: Reading): Promise<void> {
    return this.#clock.ready(db);
  }

  /** The rows of a statement whose first column is the time of the database. */
  async read(db: Reading, text: string): Promise<unknown[][]> {
    const askedAtMs = performance.now();
    const rows = await db.query(text, []);
    if (rows.length > 0) this.#clock.set(Number(rows[0]![0]), askedAtMs);
    return rows;
  }

  /** Reads when work is due: two entries of an index for each table, however many rows it has. */
  async times(db: Reading, ...sources: readonly DueRows[]): Promise<DueTimes[]> {
    const { nowMs, milliseconds } = db.dialect;
    const ends = sources.flatMap(({ model, due, where = {} }) => {
      const { column } = columnOf(model, due);
      const conditions = Object.entries(where).map(
        ([field, value]) => `${columnOf(model, field).column} = '${value}'`,
      );
      const from = `FROM ${tableOf(model).table} WHERE ${[...conditions, `${column} IS NOT NULL`].join(' AND ')}`;
      return ['ASC', 'DESC'].map((order) =>
        milliseconds(`(SELECT ${column} ${from} ORDER BY ${column} ${order} LIMIT 1)`),
      );
    });
    const [[now, ...times] = []] = await this.read(db, `SELECT ${[nowMs, ...ends].join(', ')}`);
    const latestMs = Number(now) + this.#latestMs;
    return sources.map((_, index) => {
      const [first, last] = [times[2 * index], times[2 * index + 1]];
      return { firstMs: Number(first ?? Infinity), isLost: Number(last ?? 0) > latestMs };
    });
  }
}
