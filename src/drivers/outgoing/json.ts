/** The most values in a JSON text: far more than in the largest valid template. */
export const maxJsonValues = 250_000;

/** Whether a JSON text has more values than that. Checked first, because `JSON.parse` would block for seconds. */
export function hasTooManyValues(text: string): boolean {
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      do {
        at = text.indexOf('"', at + 1);
        if (at < 0) return false;
      } while (isEscaped(text, at));
    } else if (code === comma || code === bracket || code === brace) {
      if (++count > maxJsonValues) return true;
    }
  }
  return false;
}

const [quote, comma, bracket, brace, backslash] = [...'",[{\\'].map((each) => each.charCodeAt(0));

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === backslash) start--;
  return (at - start) % 2 === 1;
}
