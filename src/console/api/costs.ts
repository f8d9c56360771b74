/** The cost of the last request of a query. */
export interface Cost {
  ms: number;
  objects: number;
}

/** The costs of queries, by the key of the operation. */
export class Costs {
  readonly #begun = new Map<number, number>();
  readonly #costs = new Map<number, Cost>();
  readonly #listeners = new Set<() => void>();

  begin(key: number): void {
    this.#begun.set(key, performance.now());
  }

  end(key: number, data: unknown): void {
    const begun = this.#begun.get(key);
    if (begun === undefined) return;
    this.#begun.delete(key);
    this.#costs.set(key, { ms: Math.round(performance.now() - begun), objects: countObjects(data) });
    for (const listener of this.#listeners) listener();
  }

  of = (key: number): Cost | undefined => this.#costs.get(key);

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** The objects that have an id. */
function countObjects(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + countObjects(each), 0);
  if (value === null || typeof value !== 'object') return 0;
  const own = 'id' in value ? 1 : 0;
  return Object.values(value).reduce((sum: number, each) => sum + countObjects(each), own);
}
