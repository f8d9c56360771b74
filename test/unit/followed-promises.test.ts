import { expect, it } from 'vitest';
import { useTrellis } from '../support/trellis.ts';

// Node.js adds symbols to each promise while it follows them for an `AsyncLocalStorage`, before version 24.
const symbolsOfPromises = () => Object.getOwnPropertySymbols(Promise.resolve());

/** Other tests of the process can have libraries that follow promises. */
const before = symbolsOfPromises();
const trellis = useTrellis();

it('promises have no context of their own after a transaction, which would make each of them slower', async () => {
  await trellis.createPlace();
  expect(symbolsOfPromises()).toEqual(before);
});
