import { GraphQLSchema } from 'graphql';
import { afterEach, expect, it, vi } from 'vitest';
import { schema } from '../../src/api.ts';
import { prepareOperations, readOperations } from '../../src/operations/operation.ts';
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
  // Those of the schema itself can have been made for an earlier test in this process.
  const copy = new GraphQLSchema(schema.toConfig());
  let turns = 0;
  let isReady = false;
  const count = () => {
    turns++;
    if (!isReady) setImmediate(count);
  };
  setImmediate(count);
  await prepareOperations(copy);
  isReady = true;
  expect(turns).toBeGreaterThan(readOperations(copy).length / 2);
});

it('a path that no operation has is not found', async () => {
  expect((await send(trellis, { path: '/api/v1/none' })).status).toBe(404);
});
