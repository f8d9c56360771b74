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
