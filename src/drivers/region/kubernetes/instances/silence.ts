const waitMs = { min: 2_000, max: 60_000 };

/**
 * How long nothing was heard of objects. A watch whose connection is dead says nothing either, so that the cluster is asked
 * after a while, later each time.
 */
export class Silence {
  #heard: string | undefined;
  #askAtMs = 0;
  #waitMs = waitMs.min;

  /** Whether to ask. `versions` changes when something is heard. */
  isLong(versions: string, nowMs = performance.now()): boolean {
    const isNew = versions !== this.#heard;
    if (!isNew && nowMs < this.#askAtMs) return false;
    this.#heard = versions;
    this.#waitMs = isNew ? waitMs.min : Math.min(waitMs.max, this.#waitMs * 2);
    this.#askAtMs = nowMs + this.#waitMs;
    return !isNew;
  }
}
