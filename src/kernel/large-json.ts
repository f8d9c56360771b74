import type { RequestBudget } from './budget.ts';

/** The memory of a JSON text and of what is parsed from it, in bytes for each character. */
const bytesOfCharacter = 4;

/** Charges a request with a JSON text that can have megabytes, and what is parsed from it. */
export function countJson(budget: Pick<RequestBudget, 'reserve'> | undefined, characters: number): void {
  budget?.reserve(characters * bytesOfCharacter);
}

/** Parses a JSON text that can have megabytes, for a request that is charged with it. */
export function parseLarge<T>({ budget }: { budget?: Pick<RequestBudget, 'reserve'> }, text: string): T {
  countJson(budget, text.length);
  return JSON.parse(text) as T;
}
