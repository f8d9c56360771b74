import { beforeAll, describe, expect, it } from 'vitest';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let component: { componentId: string };
beforeAll(async () => {
  ({ component } = await trellis.createAll());
});

const nameNow = async () =>
  (
    await trellis.data('query($by: ComponentRef!) { component(by: $by) { name } }', {
      by: { componentId: component.componentId },
    })
  ).component.name;

/** Renames the component, and selects something of it. */
const rename = (selection: string, variables: object = {}, parameters = '', fragments = '') =>
  trellis.graphql(
    `mutation($input: UpdateComponentInput!${parameters}) {
      renamed: updateComponent(input: $input) { ... on UpdateComponentPayload { component { ${selection} } } }
    } ${fragments}`,
    { input: { component: { componentId: component.componentId }, name: 'renamed' }, ...variables },
  );

describe('an invalid argument in the selection of a mutation', () => {
  it.each([
    ['a page that is too long', 'ports(first: 100000) { nodes { number } }', 'ports.first'],
    ['both ends of a list', 'ports(first: 1, last: 1) { nodes { number } }', 'ports.last'],
    ['a negative page', 'one: variables(last: -1) { nodes { name } }', 'one.last'],
    ['one that the field validates', 'logs(tail: -1) { source }', 'logs.tail'],
    ['one further down', 'application { jobs(first: 101) { nodes { uid } } }', 'application.jobs.first'],
  ])('changes nothing: %s', async (_, selection, path) => {
    const before = await nameNow();
    const { data, errors } = await rename(selection);
    expect(data ?? null).toBeNull();
    expect(errors![0]!.extensions).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['renamed', 'component', ...path.split('.')] }],
    });
    expect(await nameNow()).toBe(before);
  });

  it('is found in variables and fragments', async () => {
    const before = await nameNow();
    const refused = await rename(
      '...Ports',
      { first: 500 },
      ', $first: Int',
      'fragment Ports on Component { ports(first: $first) { nodes { number } } }',
    );
    expect(refused.errors![0]!.extensions).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['ports', 'first'] }],
    });
    expect(await nameNow()).toBe(before);
  });

  it('is not in one that is valid', async () => {
    const { data, errors } = await rename(
      'name ports(first: $first) { nodes { number } }',
      { first: 100 },
      ', $first: Int',
    );
    expect(errors).toBeUndefined();
    expect(data.renamed.component.name).toBe('renamed');
  });
});
