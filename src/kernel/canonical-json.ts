import { type JsonForm, piecesOf } from './json-pieces.ts';

/**
 * Equal texts for equal JSON values, whatever the order of their fields. Without a function that `JSON.stringify` would call for
 * each value, because there can be many.
 */
export const canonicalJson = (value: unknown): string => [...piecesOf(value, canonical)].join('');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether it is a list or an object that contains another one. */
const isNested = (value: unknown): value is object =>
  isObject(value) && (Array.isArray(value) ? value : Object.values(value)).some(isObject);

const canonical: JsonForm = {
  isOpened: isNested,
  keysOf: (value) => Object.keys(value).sort(),
  textOf: (value): string | undefined =>
    JSON.stringify(
      isObject(value) && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
        : value,
    ),
};
