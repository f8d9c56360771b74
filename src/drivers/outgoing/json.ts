import { countJsonText } from '../../kernel/json-text.ts';

/** The most values in a JSON text: far more than in the largest valid template. */
export const maxJsonValues = 250_000;

/** Whether a JSON text has more values than that. */
export const hasTooManyValues = (text: string): boolean =>
  countJsonText(text, { values: maxJsonValues }).values > maxJsonValues;
