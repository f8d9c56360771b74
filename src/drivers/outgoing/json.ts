import { countJsonText } from '../../kernel/json-text.ts';

/** The most values and different keys in a JSON text: far more than in the largest valid template. */
const most = { values: 250_000, differentKeys: 1_000 };

/** What a JSON text has too much of. Checked before it is parsed, which would block for seconds. */
export function jsonExcess(text: string): string | undefined {
  const { values, differentKeys } = countJsonText(text, most);
  if (values > most.values) return `Must have at most ${most.values} values`;
  return differentKeys > most.differentKeys
    ? `Must have at most ${most.differentKeys} different keys`
    : undefined;
}

/** Parses what another server has sent. Throws if it is too large, or not JSON. */
export function parseAnswer(text: string): unknown {
  const excess = jsonExcess(text);
  if (excess) throw new Error(excess);
  return JSON.parse(text);
}
