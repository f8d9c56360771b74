import type { Claims } from '../../drivers/token-issuer/driver.ts';
import type { ClaimPattern } from './model.ts';

/** Longer values match no pattern, and of longer lists the further values do not count. */
const maxValueLength = 4_096;
const maxValues = 200;

/**
 * Whether a text matches the parts of a pattern between its `*`, each of which stands for any text. In time proportional to
 * the text for each part, because whoever chooses the text or the pattern must not be able to keep the process busy.
 */
function matchesParts(parts: readonly string[], text: string): boolean {
  if (parts.length === 1) return text === parts[0];
  const [first, last] = [parts[0]!, parts.at(-1)!];
  const end = text.length - last.length;
  if (first.length > end || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

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
  const parts = pattern.split('*');
  return (Array.isArray(value) ? value.slice(0, maxValues) : [value]).some((each) => {
    const text = textOf(each);
    return text !== undefined && matchesParts(parts, text);
  });
}

/** Whether the claims of a token match all patterns of a trust. */
export const matchesClaims = (patterns: readonly ClaimPattern[], claims: Claims): boolean =>
  patterns.every((pattern) => matchesClaim(pattern, claims));

export const parseClaims = (json: string): ClaimPattern[] => JSON.parse(json);
