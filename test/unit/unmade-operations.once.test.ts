import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import { prepareOperations, readOperations } from '../../src/operations/operation.ts';

it('makes operations anew after a failure', async () => {
  // Nothing says how to select its payload.
  const schema = buildSchema(
    'type Query { a: Int } type Payload { b: Unknown } type Unknown { c: Int } type Mutation { d: Payload }',
  );
  await expect(prepareOperations(schema)).rejects.toThrow();
  await expect(prepareOperations(schema)).rejects.toThrow();
  expect(() => readOperations(schema)).toThrow();
  expect(() => readOperations(schema)).toThrow();
});
