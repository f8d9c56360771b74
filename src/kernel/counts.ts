export function increase<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Takes one off the count of a key, which is forgotten at 0. */
export function decrease<K>(counts: Map<K, number>, key: K): void {
  const count = counts.get(key)! - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
