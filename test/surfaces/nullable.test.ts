import { type GraphQLObjectType, getNamedType, isLeafType, isNonNullType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { knownOf } from '../support/known.ts';
import { createWorld, type World } from '../support/surfaces-world.ts';
import type { GraphqlResult } from '../support/trellis.ts';

let world: World;
/** Global ids of objects of every kind. */
let ids: string[];
beforeAll(async () => {
  world = await createWorld();
  const known = await knownOf(world);
  ids = [...new Set(known.ID as string[])].filter((id) => id.length > 8);
}, 240_000);
afterAll(() => world?.trellis.close());

/** Refusals, and drivers that fail: what a caller can meet at a field without having done anything wrong. */
const expected = [
  'FORBIDDEN',
  'REGION_UNAVAILABLE',
  'STORE_REFUSED',
  'STORE_UNAVAILABLE',
  'REGISTRY_UNAVAILABLE',
];

/** Every field of a type that takes no argument by force, each with as little below it as there can be. */
function fieldsOf(type: GraphQLObjectType): string {
  return Object.values(type.getFields())
    .filter(({ args }) =>
      args.every(({ type, defaultValue }) => !isNonNullType(type) || defaultValue !== undefined),
    )
    .map((field) => `${field.name}: ${field.name}${selectionOf(getNamedType(field.type))}`)
    .join('\n');
}

function selectionOf(type: ReturnType<typeof getNamedType>): string {
  if (isLeafType(type)) return '';
  const { totalCount } = (type as GraphQLObjectType).getFields?.() ?? {};
  return totalCount ? '{ __typename totalCount nodes { __typename } }' : '{ __typename }';
}

/** The fields that were refused, `Type.field`; fails where one of them took what is above it along. */
function refusedIn(
  { data, errors = [] }: GraphqlResult,
  typeOf: (path: (string | number)[]) => string,
): string[] {
  return errors.flatMap(({ path = [], extensions, message }) => {
    if (!expected.includes(extensions.code)) return [];
    let parent: any = data;
    for (const step of path.slice(0, -1)) parent = parent?.[step];
    expect(parent, `${path.join('.')}: ${message}`).toBeTypeOf('object');
    expect(parent, `${path.join('.')}: ${message}`).not.toBeNull();
    return [`${typeOf(path)}.${path.at(-1)}`];
  });
}

describe('a field that the caller may not read, or whose driver fails,', () => {
  it('is null, and the rest of the response is returned', async () => {
    const objects = Object.values(schema.getTypeMap()).filter(
      (type): type is GraphQLObjectType =>
        'getInterfaces' in type &&
        (type as GraphQLObjectType).getInterfaces().some(({ name }) => name === 'Node'),
    );
    const { trellis, viewer } = world;
    const seen = new Set<string>();
    const refused = new Set<string>();
    for (const id of ids) {
      const { data } = await trellis.graphql(
        'query($id: ID!) { node(id: $id) { __typename } }',
        { id },
        viewer.token,
      );
      const type = objects.find(({ name }) => name === data?.node?.__typename);
      if (!type) continue;
      seen.add(type.name);
      const query = `query($id: ID!) { node(id: $id) { ... on ${type.name} { ${fieldsOf(type)} } } }`;
      const result = await trellis.graphql(query, { id }, viewer.token);
      for (const field of refusedIn(result, () => type.name)) refused.add(field);
    }
    const whole = await trellis.graphql(`{ ${fieldsOf(schema.getQueryType()!)} }`, {}, viewer.token);
    for (const field of refusedIn(whole, () => 'Query')) refused.add(field);
    // A colleague, who is visible and whose own things are not.
    const colleagues = await trellis.graphql(
      `query($team: String!) { team(by: { teamId: $team }) { members { nodes { user { ${fieldsOf(schema.getType('User') as GraphQLObjectType)} } } } } }`,
      { team: world.team.teamId },
      viewer.token,
    );
    for (const field of refusedIn(colleagues, () => 'User')) refused.add(field);
    expect([...refused].sort()).toEqual([
      'Component.clusterEvents',
      'Component.instances',
      'Component.logs',
      'Component.state',
      'Component.status',
      'Enterprise.registryCredentials',
      'Enterprise.users',
      'Query.administrators',
      'Query.events',
      'Query.users',
      'Region.orphans',
      'Region.usage',
      'User.accessTokens',
      'User.clientIp',
      'User.phone',
      'User.sessions',
    ]);
    expect([...seen].sort()).toContain('Region');
    for (const coordinate of refused) {
      const [type, field] = coordinate.split('.') as [string, string];
      const of = (schema.getType(type) as GraphQLObjectType).getFields()[field]!.type;
      expect(isNonNullType(of), coordinate).toBe(false);
    }
  });

  it('does not affect the fields beside it', async () => {
    const { trellis, viewer, team } = world;
    const result = await trellis.graphql(
      '{ teams { nodes { name } } events { totalCount } administrators { totalCount } }',
      {},
      viewer.token,
    );
    expect(result.data).toEqual({
      teams: { nodes: [{ name: team.name }] },
      events: null,
      administrators: null,
    });
    expect(result.errors!.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['events'], 'FORBIDDEN'],
      [['administrators'], 'FORBIDDEN'],
    ]);
  });
});
