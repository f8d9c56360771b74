/** A part of a shared memory budget, in bytes. */
export interface Memory {
  /** Reserves the bytes and returns true, or returns false if too few are left. */
  take(size: number): boolean;
  give(size: number): void;
}

/** A shared memory budget, in bytes. */
export class SharedMemory implements Memory {
  readonly #limit: number;
  readonly #ofCaller = new Map<unknown, { taken: number }>();
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
    // The entry stays in the map as long as something of it is taken.
    let all: { taken: number } | undefined;
    return {
      take: (size) => {
        if (size === 0) return true;
        if (own === 0) all = this.#ofCaller.get(caller);
        const taken = all?.taken ?? 0;
        if (taken - own > this.#limit / 8 && taken + size > this.#limit / 2) return false;
        if (!this.take(size)) return false;
        if (!all) {
          all = { taken: 0 };
          this.#ofCaller.set(caller, all);
        }
        own += size;
        all.taken += size;
        return true;
      },
      give: (size) => {
        if (size === 0) return;
        this.give(size);
        own -= size;
        all!.taken -= size;
        if (all!.taken === 0) this.#ofCaller.delete(caller);
      },
    };
  }
}
