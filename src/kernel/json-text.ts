/**
 * Counts the keys and values of a JSON text, at all depths, and stops when one of them exceeds `most`. Counted first:
 * `JSON.parse` would block, most of all for keys that differ, because it stores each and makes a shape of objects of it, and for
 * brackets that nest. An empty object or list counts as two values.
 */
export function countJsonText(
  text: string,
  most: { keys?: number; values?: number } = {},
): { keys: number; values: number } {
  const { keys: mostKeys = Number.POSITIVE_INFINITY, values: mostValues = Number.POSITIVE_INFINITY } = most;
  let [keys, values] = [0, 1];
  for (let at = 0; at < text.length && keys <= mostKeys && values <= mostValues; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === colon) keys++;
    else if (code === comma || code === bracket || code === brace) values++;
  }
  return { keys, values };
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
