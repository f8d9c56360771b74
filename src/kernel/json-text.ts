/** How much a JSON text has, at all depths. An empty object or list counts as two values. */
export interface JsonSize {
  keys: number;
  values: number;
  /** Only counted if they are limited. */
  differentKeys: number;
}

/**
 * Counts what a JSON text has, and stops when one of the numbers exceeds `most`. Counted first: `JSON.parse` would block, most of
 * all for keys that differ, because it stores each and makes a shape of objects of it, and for brackets that nest.
 */
export function countJsonText(text: string, most: Partial<JsonSize>): JsonSize {
  const seen = most.differentKeys === undefined ? undefined : new Set<string>();
  const [mostKeys, mostValues, mostDifferent] = [most.keys, most.values, most.differentKeys].map(
    (each) => each ?? Number.POSITIVE_INFINITY,
  ) as [number, number, number];
  let [keys, values, differentKeys] = [0, 1, 0];
  let start = 0;
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      start = at;
      at = endOfString(text, at);
      end = at;
    } else if (code === colon) {
      keys++;
      if (seen) differentKeys = seen.add(text.slice(start + 1, end)).size;
      if (keys > mostKeys || differentKeys > mostDifferent) break;
    } else if (code === comma || code === bracket || code === brace) {
      if (++values > mostValues) break;
    }
  }
  return { keys, values, differentKeys };
}

const [quote, colon, comma, bracket, brace, backslash] = [...'":,[{\\'].map((each) => each.charCodeAt(0));

/** Where the string that begins at an index ends: its closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start;
  do {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
  } while (isEscaped(text, at));
  return at;
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === backslash) start--;
  return (at - start) % 2 === 1;
}
