import { describe, expect, it } from 'vitest';
import { useTrellis } from '../support/trellis.ts';

const input = { team: { name: 'nowhere' } };

describe.each(['planned', 'graphql-js'] as const)('a failed mutation (%s)', (executor) => {
  const trellis = useTrellis({ executor });

  const remove = (selection: string) =>
    trellis.graphql(
      `mutation ($input: DeleteTeamInput!) { gone: deleteTeam(input: $input) ${selection} }`,
      { input },
      trellis.adminToken,
    );

  it('of which the document selects nothing is reported in errors', async () => {
    const { data, errors } = await remove('{ ... on DeleteTeamPayload { plan { __typename } } }');
    expect(data).toEqual({ gone: {} });
    expect(errors).toEqual([
      {
        message: expect.stringContaining('team'),
        path: ['gone'],
        locations: [expect.anything()],
        extensions: { code: 'NOT_FOUND', requestId: expect.any(String) },
      },
    ]);
  });

  it('of which the document selects nothing has its issues', async () => {
    const { errors } = await trellis.graphql(
      'mutation { createTeam(input: { name: "" }) { ... on CreateTeamPayload { team { id } } } }',
      {},
      trellis.adminToken,
    );
    expect(errors).toMatchObject([
      { extensions: { code: 'INVALID_INPUT', issues: [{ path: ['input', 'name'] }] } },
    ]);
  });

  it.each([
    ['{ __typename }', { __typename: 'NotFoundError' }],
    ['{ ... on Error { code } }', { code: 'NOT_FOUND' }],
    ['{ ... on NotFoundError { kind: __typename } }', { kind: 'NotFoundError' }],
  ])('is data alone where the document selects %s', async (selection, data) => {
    const answer = await remove(selection);
    expect(answer).toMatchObject({ data: { gone: data } });
    expect(answer.errors).toBeUndefined();
  });

  it('leaves the answers of the other mutations of the document', async () => {
    const { data, errors } = await trellis.graphql(
      `mutation ($input: DeleteTeamInput!) {
        first: deleteTeam(input: $input) { ... on DeleteTeamPayload { __typename } }
        second: deleteTeam(input: $input) { ... on ForbiddenError { message } }
        third: deleteTeam(input: $input) { ... on Error { code } }
      }`,
      { input },
      trellis.adminToken,
    );
    expect(data).toEqual({ first: {}, second: {}, third: { code: 'NOT_FOUND' } });
    expect(errors!.map(({ path }) => path)).toEqual([['first'], ['second']]);
  });
});
