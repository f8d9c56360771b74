/** A queue of groups: each group with something in it has its turn, one item at a time. */
export class FairQueue<T> {
  /** Whoever has its turn next is first. */
  readonly #groups = new Map<unknown, T[]>();

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /** Adds an item after those of its group or, if it is the first, before them. */
  add(group: unknown, item: T, isFirst = false): void {
    const items = this.#groups.get(group);
    if (!items) this.#groups.set(group, [item]);
    else if (isFirst) items.unshift(item);
    else items.push(item);
  }

  /** Whether the group has something in the queue. */
  has(group: unknown): boolean {
    return this.#groups.has(group);
  }

  /** Removes the oldest item of the group whose turn it is, of those that are not busy. */
  take(busy?: ReadonlySet<unknown>): T | undefined {
    for (const [group, items] of this.#groups) {
      if (busy?.has(group)) continue;
      const item = items.shift();
      this.#groups.delete(group);
      if (items.length > 0) this.#groups.set(group, items);
      return item;
    }
    return undefined;
  }

  /** Whether a group that is not busy has something. */
  hasOther(busy: ReadonlySet<unknown>): boolean {
    for (const group of this.#groups.keys()) if (!busy.has(group)) return true;
    return false;
  }

  /** Removes an item. Returns false if it was not in the queue. */
  remove(group: unknown, item: T): boolean {
    const items = this.#groups.get(group);
    const index = items?.indexOf(item) ?? -1;
    if (index < 0) return false;
    items!.splice(index, 1);
    if (items!.length === 0) this.#groups.delete(group);
    return true;
  }
}
