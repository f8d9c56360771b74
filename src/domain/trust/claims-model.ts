import type { Claims } from '../../drivers/token-issuer/driver.ts';
import { matchesPattern } from '../../kernel/text-pattern.ts';
import type { ClaimPattern } from './model.ts';

/** Longer values match no pattern, and of longer lists the further values do not count. */
const maxValueLength = 4_096;
const maxValues = 200;

/** A value as text. Undefined if it is no text, boolean or whole number that is exact. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.length <= maxValueLength ? value : undefined;
  // Larger numbers are rounded: two ids could become the same.
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return undefined;
}

/** Whether a claim matches: the value or, of a list, one of its values. */
function matchesClaim({ name, pattern }: ClaimPattern, claims: Claims): boolean {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return (Array.isArray(value) ? value.slice(0, maxValues) : [value]).some((each) => {
    const text = textOf(each);
    return text !== undefined && matchesPattern(pattern, text);
  });
}

/** Whether the claims of a token match all patterns of a trust. */
export const matchesClaims = (patterns: readonly ClaimPattern[], claims: Claims): boolean =>
  patterns.every((pattern) => matchesClaim(pattern, claims));

export const parseClaims = (json: string): ClaimPattern[] => JSON.parse(json);
