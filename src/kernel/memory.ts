/** A part of a shared memory budget, in bytes. */
export interface Memory {
  /** Reserves the bytes and returns true, or returns false if too few are left. */
  take(size: number): boolean;
  give(size: number): void;
}

/** A shared memory budget, in bytes. */
export class SharedMemory implements Memory {
  readonly #limit: number;
  readonly #ofCaller = new Map<unknown, number>();
  #taken = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  take(size: number): boolean {
    if (this.#taken + size > this.#limit) return false;
    this.#taken += size;
    return true;
  }

  give(size: number): void {
    this.#taken -= size;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * For one request of a caller: all of the caller together take at most half. While the others take little, as subscriptions do, it
   * can take everything.
   */
  of(caller: unknown): Memory {
    let own = 0;
    return {
      take: (size) => {
        const all = this.#ofCaller.get(caller) ?? 0;
        if (all - own > this.#limit / 8 && all + size > this.#limit / 2) return false;
        if (!this.take(size)) return false;
        own += size;
        this.#ofCaller.set(caller, all + size);
        return true;
      },
      give: (size) => {
        this.give(size);
        own -= size;
        const left = (this.#ofCaller.get(caller) ?? 0) - size;
        if (left > 0) this.#ofCaller.set(caller, left);
        else this.#ofCaller.delete(caller);
      },
    };
  }
}
