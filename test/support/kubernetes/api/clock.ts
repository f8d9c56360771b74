/**
 * The time of a cluster, in seconds. It moves from one time that something waits for to the next, so that a process that
 * is slow changes no order.
 */
export class Clock {
  now = 0;
  /** The times that something waits for, with the uids of the objects that do. */
  readonly #waits = new Map<number, Set<string>>();
  readonly #wake: (uid: string) => void;
  #asking: string | undefined;

  /** `wake` is called with the uid of each object that has waited long enough. */
  constructor(wake: (uid: string) => void = () => {}) {
    this.#wake = wake;
  }

  /** Has an object wait for the times that the work asks for. */
  asking(object: { metadata: { uid: string } }, work: () => void): void {
    this.#asking = object.metadata.uid;
    try {
      work();
    } finally {
      this.#asking = undefined;
    }
  }

  /** Asks for a step at a time. */
  wakeAt(seconds: number): void {
    if (seconds <= this.now || !Number.isFinite(seconds)) return;
    const waiting = this.#waits.get(seconds) ?? new Set();
    this.#waits.set(seconds, waiting);
    if (this.#asking !== undefined) waiting.add(this.#asking);
  }

  /** Whether as many seconds have passed since a time. If not, there will be a step when they have. */
  hasPassed(since: number, seconds: number): boolean {
    if (this.now >= since + seconds) return true;
    this.wakeAt(since + seconds);
    return false;
  }

  /** The next time that something waits for. */
  get next(): number | undefined {
    return this.#waits.size > 0 ? Math.min(...this.#waits.keys()) : undefined;
  }

  /** Moves to the next time that something waits for, but no further than this. Returns whether it was reached. */
  moveTowards(seconds: number): boolean {
    const next = Math.min(this.next ?? seconds, seconds);
    this.now = Math.max(this.now, next);
    for (const [time, uids] of [...this.#waits]) {
      if (time > this.now) continue;
      this.#waits.delete(time);
      for (const uid of uids) this.#wake(uid);
    }
    return this.now >= seconds;
  }
}
