import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

let trellis: Trellis;
beforeAll(async () => {
  trellis = await startTrellis();
});
afterAll(() => trellis.close());

const long = 'k'.repeat(800_000);
const mutation =
  'mutation($input: CreateTeamInput!) { createTeam(input: $input) { __typename ... on InvalidInputError { message issues { path message } } } }';

describe('a name of 800 KB', () => {
  it.each([
    [
      'of a field of a variable',
      '/graphql',
      { query: mutation, variables: { input: { name: 'x', [long]: 1 } } },
    ],
    [
      'of a variable',
      '/graphql',
      { query: mutation, variables: { input: { name: [{ [long]: { [long.slice(0, 9_000)]: 1 } }] } } },
    ],
    ['of a field', '/graphql', { query: `{ ${long} }` }],
    ['of an argument', '/graphql', { query: `{ teams(${long}: 1) { totalCount } }` }],
    ['of a parameter', '/graphql', { query: '{ __typename }', [long]: 1 }],
    ['of a field of a body of REST', '/openapi/v1/teams/resource', [{ [long]: 1 }]],
  ])('%s is cut in the error', async (_, path, body) => {
    const { text } = await send(trellis, { path, body: JSON.stringify(body) });
    expect(text).toContain('INVALID_INPUT');
    expect(text.length).toBeLessThan(20_000);
  });
});
