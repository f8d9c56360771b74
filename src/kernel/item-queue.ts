import type { Memory } from './memory.ts';

/** The memory that waiting items take. */
export interface Room<T> {
  memory: Memory;
  sizeOf(item: T): number;
}

/** Items that wait for their reader. Bounded, so that a reader who never comes takes no more than its share of memory. */
export class ItemQueue<T> {
  readonly #limit: number;
  readonly #replaces: (item: T, waiting: T) => boolean;
  readonly #room: Room<T> | undefined;
  readonly #items: T[] = [];
  #end: { error: unknown } | undefined;
  #waiting: { resolve: (item: T | undefined) => void; reject: (error: unknown) => void } | undefined;

  /**
   * @param limit the maximum number of items that wait
   * @param replaces whether an item takes the place of one that waits; with a limit of 1, every item does
   * @param room the memory that they take; without room, they are too many
   */
  constructor(limit: number, replaces: (item: T, waiting: T) => boolean = () => limit === 1, room?: Room<T>) {
    this.#limit = limit;
    this.#replaces = replaces;
    this.#room = room;
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
    if (replaced < 0 && this.#items.length >= this.#limit) return this.#drop();
    if (!this.#take(item)) return this.#drop();
    if (replaced < 0) this.#items.push(item);
    else this.#give(this.#items.splice(replaced, 1, item));
    return true;
  }

  #take(item: T): boolean {
    return this.#room?.memory.take(this.#room.sizeOf(item)) ?? true;
  }

  #give(items: readonly T[]): void {
    for (const item of items) this.#room?.memory.give(this.#room.sizeOf(item));
  }

  #drop(): false {
    this.#give(this.#items.splice(0));
    return false;
  }

  /** The next item, if one waits. */
  take(): T | undefined {
    const [item] = this.#items.splice(0, 1);
    if (item !== undefined) this.#give([item]);
    return item;
  }

  /** Resolves with the next item, or with undefined at the end. Rejects with the error of the end. One call at a time. */
  async next(): Promise<T | undefined> {
    if (this.#end?.error !== undefined) throw this.#end.error;
    const item = this.take();
    if (item !== undefined || this.#end) return item;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Ends the queue, and drops what waits. */
  end(error?: unknown): void {
    if (this.#end) return;
    this.#end = { error };
    this.#drop();
    if (error === undefined) this.#waiting?.resolve(undefined);
    else this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
