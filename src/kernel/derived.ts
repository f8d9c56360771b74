import type { RequestBudget } from './budget.ts';
import { responses } from './event-loop.ts';

/**
 * A value that is computed from a row: parsed, decrypted or put together. It is computed once per row, however often a
 * document selects it, and its size counts against the budget of the request. Rows belong to one request, and so do the
 * values. `sizeOf` is the length of the text that a value is made from or has.
 */
export function derived<R extends object, V, C extends { budget?: RequestBudget | undefined }>(
  make: (row: R, context: C) => V,
  sizeOf: (row: R, value: Awaited<V>) => number,
): (row: R, context: C) => V {
  const values = new WeakMap<R, { value: V }>();
  return (row, context) => {
    const stored = values.get(row);
    if (stored) return stored.value;
    const { budget } = context;
    const counted = <T>(value: T) => {
      budget?.countDerived(sizeOf(row, value as Awaited<V>));
      return value;
    };
    // The time that it takes counts from here.
    responses.isOver();
    const began = performance.now();
    let value = make(row, context);
    responses.countComputed(performance.now() - began);
    if (value instanceof Promise) value = value.then(counted) as V;
    values.set(row, { value });
    return value instanceof Promise ? value : counted(value);
  };
}

/** The length of a text, or of all texts of a list. */
export const lengthOf = (value: string | readonly string[] | null): number =>
  value === null
    ? 0
    : typeof value === 'string'
      ? value.length
      : value.reduce((sum, each) => sum + each.length, 0);
