import type { RequestBudget } from '../kernel/budget.ts';
import { LimitExceededError } from '../kernel/errors.ts';

/**
 * Throws LIMIT_EXCEEDED if JSON has more keys than `limit`, at all depths, or more values than the budget allows. Without
 * recursion, because it can nest as deeply as it is long. Checked before validation, which takes long for each key.
 */
export function requireFewKeys(json: unknown, limit: number, budget: RequestBudget | undefined): void {
  const { keys, values } = countJson(json, limit);
  if (keys > limit) throw tooManyKeys(limit);
  budget?.countJson(values);
}

export const tooManyKeys = (limit: number) =>
  new LimitExceededError(`The request exceeds the limit of ${limit} keys in its JSON.`, 'LIMIT_KEYS');

/** The number of keys and of values, at all depths. Ends when there are more keys than `limit`. */
export function countJson(json: unknown, limit: number): { keys: number; values: number } {
  const left: unknown[] = [json];
  let [keys, values] = [0, 0];
  while (left.length > 0 && keys <= limit) {
    const next = left.pop();
    values++;
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) for (const item of next) left.push(item);
    else {
      for (const key in next) {
        if (++keys > limit) break;
        left.push((next as Record<string, unknown>)[key]);
      }
    }
  }
  return { keys, values };
}
