import { LimitExceededError } from '../kernel/errors.ts';

/**
 * Throws LIMIT_EXCEEDED if JSON has more keys than `limit`, at all depths. Without recursion, because it can nest as
 * deeply as it is long. Checked before validation, which takes long for each key.
 */
export function requireFewKeys(json: unknown, limit: number): void {
  if (countKeys(json, limit) <= limit) return;
  throw new LimitExceededError(`The request exceeds the limit of ${limit} keys in its JSON.`, 'LIMIT_KEYS');
}

/** The number of keys, at all depths; one more than `limit` if there are more. */
export function countKeys(json: unknown, limit: number): number {
  if (!isContainer(json)) return 0;
  const left: object[] = [json];
  let keys = 0;
  for (let next = left.pop(); next; next = left.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) if (isContainer(item)) left.push(item);
      continue;
    }
    for (const key in next) {
      if (++keys > limit) return keys;
      const value = (next as Record<string, unknown>)[key];
      if (isContainer(value)) left.push(value);
    }
  }
  return keys;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
