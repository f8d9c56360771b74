/** Items that wait for their reader. Bounded, so that a reader who never comes takes no more than its share of memory. */
export class ItemQueue<T> {
  readonly #limit: number;
  readonly #replaces: (item: T, waiting: T) => boolean;
  #items: T[] = [];
  #end: { error: unknown } | undefined;
  #waiting: { resolve: (item: T | undefined) => void; reject: (error: unknown) => void } | undefined;

  /**
   * @param limit the maximum number of items that wait
   * @param replaces whether an item takes the place of one that waits; with a limit of 1, every item does
   */
  constructor(limit: number, replaces: (item: T, waiting: T) => boolean = () => limit === 1) {
    this.#limit = limit;
    this.#replaces = replaces;
  }

  /** Returns false, and drops all items, if too many wait. */
  push(item: T): boolean {
    if (this.#end) return true;
    if (this.#waiting) {
      this.#waiting.resolve(item);
      this.#waiting = undefined;
      return true;
    }
    const replaced = this.#items.findIndex((waiting) => this.#replaces(item, waiting));
    if (replaced >= 0) this.#items[replaced] = item;
    else if (this.#items.length < this.#limit) this.#items.push(item);
    else {
      this.#items = [];
      return false;
    }
    return true;
  }

  /** Resolves with the next item, or with undefined at the end. Rejects with the error of the end. One call at a time. */
  async next(): Promise<T | undefined> {
    if (this.#end?.error !== undefined) throw this.#end.error;
    if (this.#items.length > 0 || this.#end) return this.#items.shift();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Ends the queue, and drops what waits. */
  end(error?: unknown): void {
    if (this.#end) return;
    this.#end = { error };
    this.#items = [];
    if (error === undefined) this.#waiting?.resolve(undefined);
    else this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
