import { afterEach, expect, it, vi } from 'vitest';
import { schema } from '../../src/api.ts';
import { readOperations } from '../../src/operations/operation.ts';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
afterEach(() => vi.restoreAllMocks());

it('the first request of the operations leaves turns to others while they are made', async () => {
  let now = performance.now();
  // Whatever is made takes longer than a slice.
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 100;
    return now;
  });
  let turns = 0;
  let isAnswered = false;
  const count = () => {
    turns++;
    if (!isAnswered) setImmediate(count);
  };
  setImmediate(count);
  const { status } = await send(trellis, { path: '/api/v1/none' });
  isAnswered = true;
  expect(status).toBe(404);
  expect(turns).toBeGreaterThan(readOperations(schema).length / 2);
});
