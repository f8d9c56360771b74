/** A shared memory budget, in bytes. */
export class SharedMemory {
  readonly #limit: number;
  #taken = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** Reserves the bytes and returns true, or returns false if too few are left. */
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
}
