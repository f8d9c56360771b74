import { describe, expect, it } from 'vitest';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const secret = 'MY-PRIVATE; KEY" at "x"; {}';

const asks: [name: string, query: string, input: object][] = [
  [
    'an unknown field beside it',
    'addCertificate',
    { team: { name: 'x' }, chain: 'x', key: secret, wrong: 1 },
  ],
  ['a list in its place', 'addCertificate', { team: { name: 'x' }, chain: 'x', key: [secret] }],
  ['a missing field', 'addCertificate', { key: secret }],
  ['credentials of a wrong shape', 'createRegion', { name: 'x', credentials: { token: { a: secret } } }],
  ['an unknown credential', 'createRegion', { name: 'x', credentials: { password: secret } }],
  ['an access key that is a number', 'installApplication', { store: { accessKey: { k: secret } } }],
  ['a wrong enum value', 'addPort', { protocol: secret }],
];

describe('an error message', () => {
  it.each(asks)('does not repeat the input: %s', async (_, mutation, input) => {
    const title = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
    const { errors } = await trellis.graphql(
      `mutation M($input: ${title}Input!) { ${mutation}(input: $input) { __typename } }`,
      { input },
    );
    expect(errors?.length).toBeGreaterThan(0);
    expect(JSON.stringify(errors)).not.toContain('PRIVATE');
    expect(errors?.every((error) => error.extensions.code === 'INVALID_INPUT')).toBe(true);
    expect(errors?.every((error) => error.extensions.issues[0].path[0] === 'input')).toBe(true);
    expect(JSON.stringify(trellis.logged)).not.toContain('PRIVATE');
  });

  it('does not repeat a literal of the query', async () => {
    const { errors } = await trellis.graphql(
      'mutation { addCertificate(input: { team: { name: "x" }, chain: "x", key: ["MY-PRIVATE-KEY"] }) { __typename } }',
    );
    expect(errors?.[0]?.extensions.issues[0].path).toEqual(['addCertificate', 'input', 'key']);
    expect(JSON.stringify(errors)).not.toContain('PRIVATE');
  });
});
