const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const numberOf = new Map([...digits].map((digit, value) => [digit, value]));

/** The numbers of a segment, in base 64 with variable lengths. */
function decode(segment) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = numberOf.get(digit);
    value |= (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}

function encode(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const bits = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? bits | 32 : bits];
  } while (rest > 0);
  return text;
}

/**
 * A source map without the positions within a line. Node.js keeps each position as an object from the first error on:
 * those of whole maps take 24 MB, and 80 ms in which no request is answered.
 */
export function lineMap(json) {
  const { sources, mappings } = JSON.parse(json);
  // The position in the source that the last segment has, and the last one that is kept. Segments are relative.
  const at = [0, 0, 0];
  const kept = [0, 0, 0];
  const lines = mappings.split(';').map((line) => {
    if (line === '') return '';
    const segments = [];
    let [column, keptColumn] = [0, 0];
    let place = '';
    for (const segment of line.split(',')) {
      const [columns, ...position] = decode(segment);
      column += columns;
      for (const [index, number] of position.slice(0, 3).entries()) at[index] += number;
      const [source, sourceLine] = at;
      if (position.length === 0 || place === `${source}:${sourceLine}`) continue;
      place = `${source}:${sourceLine}`;
      segments.push([column - keptColumn, ...at.map((number, index) => number - kept[index])]);
      keptColumn = column;
      kept.splice(0, 3, ...at);
    }
    return segments.map((segment) => segment.map(encode).join('')).join(',');
  });
  return JSON.stringify({ version: 3, sources, names: [], mappings: lines.join(';') });
}
