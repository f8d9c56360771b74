import { expect, it } from 'vitest';
import { batched, createLoaders } from '../../src/kernel/batch.ts';

it('a key that is loaded many times for one batch has few promises', async () => {
  const reads: number[][] = [];
  const load = batched(async (_: object, keys: number[]) => {
    reads.push(keys);
    return new Map(keys.map((key) => [key, `row ${key}`]));
  }, null);
  const context = { loaders: createLoaders() };
  const loads = (...keys: number[]) => keys.map((key) => load(context, key));
  const first = loads(1, 1, 2, 1, 1);
  // One of the first load, and one of all that follow it.
  expect(new Set(first).size).toBe(3);
  expect(await Promise.all(first)).toEqual(['row 1', 'row 1', 'row 2', 'row 1', 'row 1']);
  // A loaded key waits for the batch as well, so that what follows from its rows is read together.
  const second = loads(1, 3, 1);
  expect(new Set(second).size).toBe(2);
  expect(await Promise.all(second)).toEqual(['row 1', 'row 3', 'row 1']);
  expect(reads).toEqual([[1, 2], [3]]);
});
