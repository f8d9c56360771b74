/** The value of a key, which is computed and added if the map has none. */
export function getOrCompute<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  compute: () => V,
): V {
  let value = map.get(key);
  if (value === undefined) {
    value = compute();
    map.set(key, value);
  }
  return value;
}

/**
 * Computes a value once per object and keeps it as long as the object lives. The key is the object's identity: two
 * equal objects have two values, so pass the same object again, and never mutate what the value was computed from.
 * An `undefined` result is not kept.
 */
export function memoizeByIdentity<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = compute(key);
      known.set(key, value);
    }
    return value;
  };
}

export interface CacheBounds {
  /** The largest number of entries; unlimited by default. */
  entries?: number;
  /** The largest sum of the sizes of all entries, in a unit that the caller chooses. */
  size: number;
  /** The largest size of one entry; `size` by default. */
  entrySize?: number;
  /** How long an entry can be read after it was set, in ms; unlimited by default. */
  lifeMs?: number;
}

/**
 * A cache that never grows beyond its bounds. When it is full, the entry that was set or read longest ago makes
 * room. An entry that is too large, from the start or because it grew, is removed. `onRemove` is called once for
 * every entry that leaves the cache, whatever the reason, and for one that is refused by `set`.
 */
export function createBoundedCache<K, V>(
  { entries = Number.POSITIVE_INFINITY, size: maxSize, entrySize = maxSize, lifeMs }: CacheBounds,
  onRemove: (key: K, value: V) => void = () => {},
) {
  const cache = new Map<K, { value: V; size: number; until: number }>();
  let total = 0;
  const remove = (key: K) => {
    const entry = cache.get(key);
    if (!entry) return;
    cache.delete(key);
    total -= entry.size;
    onRemove(key, entry.value);
  };
  const makeRoom = () => {
    for (const oldest of cache.keys()) {
      if (cache.size <= entries && total <= maxSize) break;
      remove(oldest);
    }
  };
  /** Nothing has to make room soon, so that it does not matter yet which entry was read. */
  const isRoomy = () => 2 * cache.size < entries && 2 * total < maxSize;
  return {
    /** The sum of the sizes of all entries. */
    get size() {
      return total;
    },
    has: (key: K) => cache.has(key),
    get(key: K): V | undefined {
      const entry = cache.get(key);
      if (!entry) return undefined;
      if (lifeMs !== undefined && entry.until <= performance.now()) {
        remove(key);
        return undefined;
      }
      if (!isRoomy()) {
        cache.delete(key);
        cache.set(key, entry);
      }
      return entry.value;
    },
    set(key: K, value: V, size: number): void {
      remove(key);
      if (size > entrySize) {
        onRemove(key, value);
        return;
      }
      const until = lifeMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + lifeMs;
      cache.set(key, { value, size, until });
      total += size;
      makeRoom();
    },
    /** Tells that an entry has become larger; nothing happens when it is not in the cache. */
    grow(key: K, by: number): void {
      const entry = cache.get(key);
      if (!entry) return;
      if (entry.size + by > entrySize) {
        remove(key);
        return;
      }
      entry.size += by;
      total += by;
      makeRoom();
    },
    delete: remove,
    clear(): void {
      for (const key of [...cache.keys()]) remove(key);
    },
    deleteWhere(isMeant: (value: V) => boolean): void {
      for (const [key, { value }] of [...cache]) if (isMeant(value)) remove(key);
    },
  };
}
