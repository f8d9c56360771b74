import { expect, it } from 'vitest';
import { findOperations } from '../../src/mcp/tools.ts';
import { operations } from '../support/operations.ts';

it('splits the descriptions of the operations only at the first search', () => {
  let reads = 0;
  const counted = operations.map((operation) => ({
    ...operation,
    get description() {
      reads++;
      return operation.description;
    },
  }));
  const search = (text: string) => {
    reads = 0;
    const { operations: found } = findOperations(counted, { search: text, first: 1 });
    return { reads, found: found.map(({ name }) => name) };
  };
  expect(search('add certificate').reads).toBeGreaterThanOrEqual(operations.length);
  // The result reads the description of the operation that it returns.
  expect(search('create team')).toEqual({ reads: 1, found: ['create_team'] });
});
