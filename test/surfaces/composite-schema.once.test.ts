import {
  buildSchema,
  type ConstDirectiveNode,
  type GraphQLField,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { elementsOf } from '../support/deprecations.ts';
import { knownOf } from '../support/known.ts';
import { send } from '../support/send.ts';
import { createWorld, type World } from '../support/surfaces-world.ts';

let world: World;
let text: string;
let composite: ReturnType<typeof buildSchema>;
let lookups: GraphQLField<unknown, unknown>[];
beforeAll(async () => {
  world = await createWorld();
  const answer = await send(world.trellis, { path: '/schema.composite.graphql', token: null });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  text = answer.text;
  composite = buildSchema(text);
  lookups = Object.values(composite.getQueryType()!.getFields()).filter(
    ({ astNode }) => directives(astNode, 'lookup').length > 0,
  );
}, 240_000);
afterAll(() => world?.trellis.close());

/** The values of the only argument of each directive with a name; an empty text for one without arguments. */
const directives = (
  node: { readonly directives?: readonly ConstDirectiveNode[] | undefined } | null | undefined,
  name: string,
): string[] =>
  (node?.directives ?? [])
    .filter((directive) => directive.name.value === name)
    .map((directive) => (directive.arguments?.[0]?.value as { value?: string } | undefined)?.value ?? '');

/** What an argument stands for: `{ email } | { userId: uid }` as the fields of the input and those of the object. */
function choicesOf(map: string): [input: string, output: string][] {
  return map.split(' | ').map((choice) => {
    const [, input, output] = /^\{ (\w+)(?:: (\w+))? \}$/.exec(choice)!;
    return [input!, output ?? input!];
  });
}

/** The keys by which a root field looks objects up. */
const keysOf = ({ args }: GraphQLField<unknown, unknown>): string[] =>
  args.flatMap((arg) => {
    const [map] = directives(arg.astNode, 'is');
    return map === undefined ? [arg.name] : choicesOf(map).map(([, output]) => output);
  });

describe('/schema.composite.graphql', () => {
  it('has what the schema has, and nothing more', () => {
    const own = ['FieldSelectionMap', 'FieldSelectionSet'];
    expect(
      elementsOf(composite)
        .map(({ coordinate }) => coordinate)
        .sort(),
    ).toEqual(
      elementsOf(schema)
        .map(({ coordinate }) => coordinate)
        .sort(),
    );
    const rest = printSchema(lexicographicSortSchema(composite))
      .replace(/"""[^"]*"""\ndirective @(is|key|lookup)\b.*\n\n/g, '')
      .replace(new RegExp(`"""[^"]*"""\\nscalar (${own.join('|')})\\n\\n`, 'g'), '');
    expect(rest).toBe(printSchema(lexicographicSortSchema(schema)));
  });

  it('looks objects up by keys of theirs', () => {
    expect(lookups.map(({ name }) => name).sort()).toEqual([
      ...['application', 'certificate', 'job', 'node', 'region', 'registryCredential', 'release'],
      ...['team', 'template', 'user'],
    ]);
    for (const lookup of lookups) {
      expect(isNonNullType(lookup.type), lookup.name).toBe(false);
      const type = lookup.type;
      if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`${lookup.name} returns no object`);
      const types = isObjectType(type) ? [type] : [type, ...composite.getPossibleTypes(type)];
      expect(keysOf(lookup).length).toBeGreaterThan(0);
      for (const each of types) {
        const keys = directives(each.astNode, 'key');
        for (const key of keysOf(lookup)) {
          expect(keys, `${lookup.name} of ${each.name}`).toContain(key);
          expect(isNonNullType(each.getFields()[key]!.type), `${each.name}.${key}`).toBe(true);
        }
      }
    }
  });

  it('maps fields of an argument to fields of the same type', () => {
    const mapped = lookups.flatMap(({ name, type, args }) =>
      args.flatMap((arg) =>
        directives(arg.astNode, 'is').flatMap((map) =>
          choicesOf(map).map(([input, output]) => {
            const reference = getNamedType(arg.type);
            const object = getNamedType(type);
            if (!isInputObjectType(reference) || !isObjectType(object)) throw new Error(name);
            expect(reference.isOneOf).toBe(true);
            return [
              `${name} ${input}`,
              getNamedType(reference.getFields()[input]!.type).name,
              getNamedType(object.getFields()[output]!.type).name,
            ];
          }),
        ),
      ),
    );
    expect(mapped.length).toBeGreaterThanOrEqual(lookups.length - 1);
    expect(mapped.filter(([, input, output]) => input !== output)).toEqual([]);
  });

  it('has one lookup for each key of a type', () => {
    const found = lookups.flatMap((lookup) => {
      const { type } = lookup;
      const names = isInterfaceType(type)
        ? [type, ...composite.getPossibleTypes(type)].map(({ name }) => name)
        : [getNamedType(type).name];
      return names.flatMap((name) => keysOf(lookup).map((key) => `${name} ${key}`));
    });
    expect(new Set(found).size).toBe(found.length);
    const keys = Object.values(composite.getTypeMap()).flatMap((type) =>
      directives(type.astNode as never, 'key').map((key) => `${type.name} ${key}`),
    );
    expect(found.sort()).toEqual(keys.sort());
  });

  it('finds each object by its keys', async () => {
    const { trellis } = world;
    const ids = [...new Set((await knownOf(world)).ID as string[])];
    const found = new Set<string>();
    for (const id of ids) {
      const { data } = await trellis.graphql('query($id: ID!) { node(id: $id) { __typename id } }', { id });
      if (!data?.node) continue;
      const type = data.node.__typename;
      for (const { name, args } of lookups.filter((each) => getNamedType(each.type).name === type)) {
        for (const [input, output] of choicesOf(directives(args[0]!.astNode, 'is')[0]!)) {
          const node = await trellis.data(
            `query($id: ID!) { node(id: $id) { ... on ${type} { ${output} } } }`,
            { id },
          );
          const again = await trellis.data(
            `query($by: ${getNamedType(args[0]!.type).name}!) { ${name}(by: $by) { id } }`,
            { by: { [input]: node.node[output] } },
          );
          expect(again[name].id).toBe(id);
          found.add(`${name} ${input}`);
        }
      }
    }
    expect([...found].sort()).toEqual(
      expect.arrayContaining(['application appId', 'region name', 'team name', 'user email', 'user userId']),
    );
  });
});
