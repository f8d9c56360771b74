import type { Database } from '../open.ts';

/**
 * The clock of the database, by which the leases and due times of all processes are compared, and how it relates to the
 * monotonic clock of this process, which cannot be set back.
 */
export class DatabaseClock {
  readonly #leaseMs: number;
  #offsetMs: number | undefined;
  /** How much later it can be by the clock of the database than is assumed. */
  #errorMs = 0;
  #setAtMs = Number.NEGATIVE_INFINITY;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /**
   * Takes over an answer of the database: its time at some moment between the question and now. A slow answer that agrees
   * with what is assumed changes nothing, because it is less exact: two times would come in the wrong order.
   */
  set(nowMs: number, askedAtMs: number): void {
    const answeredAtMs = performance.now();
    const [lowest, highest] = [nowMs - answeredAtMs, nowMs - askedAtMs];
    const offsetMs = Math.min(Math.max(this.#offsetMs ?? lowest, lowest), highest);
    const errorMs = highest - offsetMs;
    const isRecent = answeredAtMs - this.#setAtMs < this.#leaseMs;
    if (isRecent && offsetMs === this.#offsetMs && errorMs > this.#errorMs && errorMs > this.#leaseMs / 12)
      return;
    this.#setAtMs = answeredAtMs;
    this.#offsetMs = offsetMs;
    this.#errorMs = errorMs;
  }

  /** Reads the time of the database, unless it was read before. */
  async ready(db: Pick<Database, 'query' | 'dialect'>): Promise<void> {
    if (this.#offsetMs !== undefined) return;
    const askedAtMs = performance.now();
    const [[nowMs]] = (await db.query(`SELECT ${db.dialect.nowMs}`, [])) as [[number]];
    this.set(nowMs, askedAtMs);
  }

  /** The time of the database, and from when a lease that begins now counts by the clock of this process. */
  read(): { now: Date; heldFromMs: number } {
    const atMs = performance.now();
    const offsetMs = this.#offsetMs ?? Date.now() - atMs;
    return { now: new Date(atMs + offsetMs), heldFromMs: atMs - this.#errorMs };
  }
}
