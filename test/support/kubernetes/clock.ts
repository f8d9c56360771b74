/**
 * The time of a cluster, in seconds. It moves from one time that something waits for to the next, so that a process that
 * is slow changes no order.
 */
export class Clock {
  now = 0;
  readonly #waits = new Set<number>();

  /** Asks for a step at a time. */
  wakeAt(seconds: number): void {
    if (seconds > this.now && Number.isFinite(seconds)) this.#waits.add(seconds);
  }

  /** Whether as many seconds have passed since a time. If not, there will be a step when they have. */
  hasPassed(since: number, seconds: number): boolean {
    if (this.now >= since + seconds) return true;
    this.wakeAt(since + seconds);
    return false;
  }

  /** The next time that something waits for. */
  get next(): number | undefined {
    return this.#waits.size > 0 ? Math.min(...this.#waits) : undefined;
  }

  /** Moves to the next time that something waits for, but no further than this. Returns whether it was reached. */
  moveTowards(seconds: number): boolean {
    const next = Math.min(this.next ?? seconds, seconds);
    this.now = Math.max(this.now, next);
    for (const each of this.#waits) if (each <= this.now) this.#waits.delete(each);
    return this.now >= seconds;
  }
}
