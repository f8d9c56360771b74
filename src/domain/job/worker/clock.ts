import type { Database } from '../../../db/open.ts';

/**
 * The clock of the database, by which the leases of all processes are compared, and how it relates to the monotonic clock of
 * this process, which cannot be set back.
 */
export class DatabaseClock {
  readonly #db: Database;
  readonly #leaseMs: number;
  #offsetMs: number | undefined;
  /** How much later it can be by the clock of the database than is assumed. */
  #errorMs = 0;
  #setAtMs = Number.NEGATIVE_INFINITY;

  constructor(db: Database, leaseMs: number) {
    this.#db = db;
    this.#leaseMs = leaseMs;
  }

  /** Takes over an answer of the database. One that was slow is less exact than an earlier one that was not. */
  set(nowMs: number, askedAtMs: number): void {
    const answeredAtMs = performance.now();
    const errorMs = answeredAtMs - askedAtMs;
    const isRecent = answeredAtMs - this.#setAtMs < this.#leaseMs;
    if (isRecent && errorMs > this.#errorMs && errorMs > this.#leaseMs / 12) return;
    this.#setAtMs = answeredAtMs;
    this.#offsetMs = nowMs - answeredAtMs;
    this.#errorMs = errorMs;
  }

  /** Reads the time of the database, unless it was read before. */
  async ready(): Promise<void> {
    if (this.#offsetMs !== undefined) return;
    const askedAtMs = performance.now();
    const [[nowMs]] = (await this.#db.query(`SELECT ${this.#db.dialect.nowMs}`, [])) as [[number]];
    this.set(nowMs, askedAtMs);
  }

  /** The time of the database, and from when a lease that begins now counts by the clock of this process. */
  read(): { now: Date; heldFromMs: number } {
    const atMs = performance.now();
    return { now: new Date(atMs + (this.#offsetMs ?? 0)), heldFromMs: atMs - this.#errorMs };
  }
}
