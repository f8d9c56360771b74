/** The costs of a request on the server (docs/documents.md). */
export interface Explanation {
  objects: number;
  fields: number;
  /** Null for all but administrators, as is whatever else depends on what was read. */
  statements: number | null;
  rows: number | null;
  bytes: number;
  isDocumentCached: boolean;
  milliseconds: Record<'receive' | 'parse' | 'validate' | 'execute' | 'statements' | 'total', number | null>;
  limits: { name: string; used: number | null; max: number | null }[];
}

/** The cost of the last request of a query. */
export interface Cost {
  ms: number;
  objects: number;
  /** Absent if the request was sent before request times were shown. */
  explanation: Explanation | undefined;
}

/** The costs of queries, by the key of the operation. */
export class Costs {
  readonly #begun = new Map<number, number>();
  readonly #costs = new Map<number, Cost>();
  readonly #listeners = new Set<() => void>();

  begin(key: number): void {
    this.#begun.set(key, performance.now());
  }

  end(key: number, data: unknown, explanation: Explanation | undefined): void {
    const begun = this.#begun.get(key);
    if (begun === undefined) return;
    this.#begun.delete(key);
    const ms = Math.round(performance.now() - begun);
    this.#costs.set(key, { ms, objects: countObjects(data), explanation });
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
  const self = 'id' in value ? 1 : 0;
  return Object.values(value).reduce((sum: number, each) => sum + countObjects(each), self);
}
