/** A statement that takes longer delays those behind it. */
const slowMs = 50;

/** For how long a caller is avoided after such a statement, and how many callers are remembered. */
const [avoidedMs, mostCallers] = [5_000, 1_000];

/**
 * The callers whose statements have taken long lately. A connection responds between two of them, so that the statements of others would
 * get behind the next ones.
 */
export class SlowCallers {
  readonly #until = new Map<string, number>();

  /** Notes how long a statement of the caller has taken, which ends at `now`. */
  note(caller: string | undefined, ms: number, now: number): void {
    if (caller === undefined || ms < slowMs) return;
    if (this.#until.size >= mostCallers) this.#until.clear();
    this.#until.set(caller, now + avoidedMs);
  }

  /** Whether another caller that is slow has statements in progress. */
  areIn(callers: ReadonlyMap<string, number>, own: string | undefined, now: number): boolean {
    if (this.#until.size === 0) return false;
    for (const caller of callers.keys()) {
      if (caller === own) continue;
      const until = this.#until.get(caller);
      if (until === undefined) continue;
      if (until > now) return true;
      this.#until.delete(caller);
    }
    return false;
  }
}
