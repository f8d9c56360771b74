import type { RequestBudget } from './budget.ts';

/** The memory of a JSON text and of what is parsed from it, in bytes for each character. Letters beyond Latin have two bytes. */
const bytesOf = { both: 4, parsed: 2 };

/** Charges a request with a JSON text that can have megabytes, and what is parsed from it. */
export function countJson(budget: Pick<RequestBudget, 'reserve'> | undefined, characters: number): void {
  budget?.reserve(characters * bytesOf.both);
}

/**
 * Parses a JSON text that can have megabytes, for a request that is charged with it. Afterwards, it is charged with what was
 * parsed alone: the text is not used any more.
 */
export function parseLarge<T>(
  { budget }: { budget?: Pick<RequestBudget, 'reserve' | 'giveBack'> },
  text: string,
): T {
  countJson(budget, text.length);
  const parsed = JSON.parse(text) as T;
  budget?.giveBack(text.length * (bytesOf.both - bytesOf.parsed));
  return parsed;
}
