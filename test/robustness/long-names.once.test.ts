import { describe, expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();

const long = 'k'.repeat(800_000);
/** In NFC, the second half comes before the first. */
const marks = `a${'\u0301'.repeat(200)}${'\u0316'.repeat(200)}`;
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

describe('a name with many combining marks is refused', () => {
  const token = (name: string) => ({
    query:
      'mutation($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { __typename ... on InvalidInputError { issues { message } } } }',
    variables: { input: { name } },
  });

  it.each([
    ['/graphql', token(marks)],
    ['/api/v1/create-access-token', { name: marks }],
    ['/graphql', token(`${'a'.repeat(10)}${'\u0301\u0316'.repeat(16)}`)],
  ])('by %s', async (path, body) => {
    const { text } = await send(trellis, { path, body: JSON.stringify(body) });
    expect(text).toContain('At most 30 combining marks can follow each other');
  });

  it('unless they belong to several characters', async () => {
    const name = `e${'\u0301'.repeat(15)}`.repeat(4);
    const { text } = await send(trellis, { body: JSON.stringify(token(name)) });
    expect(JSON.parse(text).data.createAccessToken.__typename).toBe('CreateAccessTokenPayload');
  });
});
