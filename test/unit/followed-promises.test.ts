import { expect, it } from 'vitest';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();

it('promises have no context of their own after a transaction, which would make each of them slower', async () => {
  await trellis.createPlace();
  // Node.js adds symbols to each promise while it follows them for an `AsyncLocalStorage`, before version 24.
  expect(Object.getOwnPropertySymbols(Promise.resolve())).toEqual([]);
});
