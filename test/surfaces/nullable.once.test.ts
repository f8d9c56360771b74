import {
  buildSchema,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  printSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { isNullOnError } from '../../src/graphql/schema/null-on-error.ts';
import { schemaDocument } from '../../src/graphql/schema/schema-document.ts';
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

/** The fields with `@semanticNonNull`. */
const marked = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type)
    ? Object.values(type.getFields())
        .filter(isNullOnError)
        .map(({ name }) => `${type.name}.${name}`)
    : [],
);

/** The objects of a response that have a `__typename`, with their paths. */
function objectsIn(value: any, path: (string | number)[] = []): { object: any; path: (string | number)[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = value.__typename ? [{ object: value, path }] : [];
  const steps = Array.isArray(value) ? value.map((item, index) => [index, item]) : Object.entries(value);
  return [...own, ...steps.flatMap(([step, item]) => objectsIn(item, [...path, step]))];
}

/** The marked fields of a response that have a value or an error; fails where one of them has neither. */
function readIn({ data, errors = [] }: GraphqlResult): string[] {
  expect(data, JSON.stringify(errors)).toBeTruthy();
  const failed = new Set(errors.map(({ path }) => path?.join('.')));
  return objectsIn({ __typename: 'Query', ...data }).flatMap(({ object, path }) =>
    Object.keys(object).flatMap((field) => {
      const coordinate = `${object.__typename}.${field}`;
      if (!marked.includes(coordinate)) return [];
      if (object[field] === null) {
        const at = [...path, field].join('.');
        expect(failed, `${coordinate} is null without an error at ${at}`).toContain(at);
      }
      return [coordinate];
    }),
  );
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
      'Component.trafficHistory',
      'Component.usage',
      'Component.usageHistory',
      'ComponentRun.logs',
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
    expect([...refused].filter((coordinate) => !marked.includes(coordinate))).toEqual([]);
    for (const coordinate of refused) {
      const [type, field] = coordinate.split('.') as [string, string];
      const of = (schema.getType(type) as GraphQLObjectType).getFields()[field]!.type;
      expect(isNonNullType(of), coordinate).toBe(false);
    }
  });

  it('is null only with an error if it is marked with @semanticNonNull', async () => {
    const { trellis, viewer, team, regions, installed } = world;
    const read = new Set<string>();
    const types = new Set(marked.map((coordinate) => coordinate.split('.')[0]!));
    const whole = `{ ${fieldsOf(schema.getQueryType()!)} }`;
    const others = `query($team: TeamRef!, $region: RegionRef!, $closed: RegionRef!, $application: ApplicationRef!) {
      checkImage(team: $team, image: "127.0.0.1:1/shop/web:1") { digest }
      checkRegion(region: $region) { version }
      application(by: $application) { upgrades { __typename upgradeVersions } }
      team(by: $team) {
        __typename
        resources(region: $region) { __typename }
        applications {
          nodes { components { nodes { volumes { nodes { __typename snapshots { __typename } } } } } }
        }
        serviceAccounts { nodes { __typename accessTokens { totalCount } } }
        members { nodes { user { __typename ${fieldsOf(schema.getType('User') as GraphQLObjectType)} } } }
      }
      closed: team(by: $team) { __typename resources(region: $closed) { __typename } }
    }`;
    const byRef = Object.values(schema.getQueryType()!.getFields()).filter(
      ({ args }) => args[0]?.name === 'by',
    );
    expect(byRef.filter((field) => !isNullOnError(field)).map(({ name }) => name)).toEqual([]);
    const lookups = `query($id: ID!) { ${byRef.map(({ name }) => `${name}(by: { id: $id }) { __typename }`).join(' ')} }`;
    const variables = {
      team: { teamId: team.teamId },
      region: { regionId: regions.main.regionId },
      closed: { name: 'nothing' },
      application: { appId: installed.appId },
    };
    for (const token of [viewer.token, trellis.adminToken]) {
      for (const id of ids) {
        const { data } = await trellis.graphql(
          'query($id: ID!) { node(id: $id) { __typename } }',
          { id },
          token,
        );
        const type = data?.node?.__typename;
        if (!types.has(type)) continue;
        const fields = fieldsOf(schema.getType(type) as GraphQLObjectType);
        const query = `query($id: ID!) { node(id: $id) { __typename ... on ${type} { ${fields} } } }`;
        for (const field of readIn(await trellis.graphql(query, { id }, token))) read.add(field);
      }
      for (const field of readIn(await trellis.graphql(whole, {}, token))) read.add(field);
      for (const field of readIn(await trellis.graphql(others, variables, token))) read.add(field);
      for (const id of [...ids.slice(0, 3), 'nothing']) {
        for (const field of readIn(await trellis.graphql(lookups, { id }, token))) read.add(field);
      }
    }
    expect([...read].sort()).toEqual([...marked].sort());
  });

  it('is marked in the document of the schema, and nowhere else', () => {
    const built = buildSchema(schemaDocument(schema));
    expect(built.getDirective('semanticNonNull')).toBeDefined();
    const found = Object.values(built.getTypeMap()).flatMap((type) =>
      isObjectType(type)
        ? Object.values(type.getFields())
            .filter(({ astNode }) =>
              astNode?.directives?.some(({ name }) => name.value === 'semanticNonNull'),
            )
            .map((field) => [`${type.name}.${field.name}`, isNonNullType(field.type)])
        : [],
    );
    expect(found.sort()).toEqual(marked.sort().map((coordinate) => [coordinate, false]));
    expect(schema.getDirective('semanticNonNull')).toBeUndefined();
    expect(printSchema(schema)).not.toContain('semanticNonNull');
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
