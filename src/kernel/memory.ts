/** Memory that many may reserve parts of, up to a limit. */
export class SharedMemory {
  readonly #limit: number;
  #taken = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** Whether so much was left; if it was, it is reserved now. */
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
