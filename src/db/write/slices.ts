import type { Dialect } from '../query/dialect.ts';

/** The size of a slice, which takes a few milliseconds of this thread. Postgres works beside it, and others wait for each answer. */
const sizes = {
  onThread: { rows: 250, characters: 262_144 },
  beside: { rows: 1_000, characters: 1_048_576 },
};

/** The encoded values of rows, in slices. There is one slice at least. */
export function* slicesOf<T>(
  dialect: Dialect,
  rows: readonly T[],
  valuesOf: (row: T) => readonly unknown[],
): Generator<unknown[][]> {
  const size = dialect.isOnThread ? sizes.onThread : sizes.beside;
  let slice: unknown[][] = [];
  let characters = 0;
  for (const row of rows) {
    const values: unknown[] = [];
    let length = 0;
    for (const value of valuesOf(row)) {
      const encoded = value === undefined ? null : dialect.encode(value);
      if (typeof encoded === 'string') length += encoded.length;
      values.push(encoded);
    }
    if (slice.length === size.rows || (slice.length > 0 && characters + length > size.characters)) {
      yield slice;
      slice = [];
      characters = 0;
    }
    slice.push(values);
    characters += length;
  }
  yield slice;
}
