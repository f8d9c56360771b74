import { buildSchema, type GraphQLInputObjectType, getOperationAST, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { builder } from '../../src/graphql/schema/builder.ts';
import { inputOf } from '../../src/graphql/schema/input.ts';
import { deprecatedUses } from '../../src/graphql/server/deprecated-uses.ts';
import { deprecated, deprecations } from '../../src/kernel/deprecated.ts';

const schema = buildSchema(`
  type Query {
    item(by: ItemFilter, kind: Kind, kinds: [[Kind!]], old: Int @deprecated, new: Int): Item
    plain(by: Plain): Int
  }
  interface Named { name: String, title: String @deprecated }
  type Item implements Named { name: String, title: String, alias: String @deprecated, item: Item }
  enum Kind { NEW OLD @deprecated }
  input ItemFilter { name: String, title: String @deprecated, kind: Kind, any: [ItemFilter!], plain: Plain }
  input Plain { name: String }
`);

function uses(text: string, values: Record<string, unknown> = {}): string[] {
  const document = parse(text);
  return [...deprecatedUses(schema, document, getOperationAST(document)!, values)].sort();
}

describe('the deprecated uses of an operation', () => {
  it.each<[string, string, string[], Record<string, unknown>?]>([
    ['nothing', 'query($by: Plain) { plain(by: $by) item(new: 1) { name } }', [], { by: { name: 'a' } }],
    [
      'fields, each once, also in fragments and where they are left out',
      '{ item { alias again: alias ...F } } fragment F on Item { item { alias @skip(if: true) } }',
      ['Item.alias'],
    ],
    [
      'fields by the type that they are selected on',
      '{ item { title ... on Named { title } } }',
      ['Named.title'],
    ],
    ['arguments', '{ item(old: 1) { name } }', ['Query.item(old:)']],
    [
      'input fields and values in the document',
      '{ item(by: { any: [{ title: "a", kind: OLD }] }, kinds: [[OLD]]) { name } }',
      ['ItemFilter.title', 'Kind.OLD'],
    ],
    [
      'input fields and values in variables, at any depth',
      'query($by: ItemFilter, $kinds: [[Kind!]]) { item(by: $by, kinds: $kinds) { name } }',
      ['ItemFilter.title', 'Kind.OLD'],
      { by: { any: [{ any: [{ title: null }] }], plain: { name: 'a' } }, kinds: [['NEW', 'OLD']] },
    ],
    [
      'a single value for a list',
      'query($kinds: [[Kind!]]) { item(kinds: $kinds) { name } }',
      ['Kind.OLD'],
      { kinds: 'OLD' },
    ],
    [
      'no variable that the request does not send',
      'query($by: ItemFilter, $kind: Kind) { item(by: $by, kind: $kind) { name } }',
      [],
      { kind: null },
    ],
  ])('are %s', (_, text, expected, values) => {
    expect(uses(text, values)).toEqual(expected);
  });

  it('are looked up once for a document, and again for the variables of each request', () => {
    const document = parse('query($kind: Kind) { item(kind: $kind) { alias } }');
    const operation = getOperationAST(document)!;
    const of = (kind: string) => deprecatedUses(schema, document, operation, { kind });
    expect([...of('OLD')]).toEqual(['Item.alias', 'Kind.OLD']);
    expect([...of('NEW')]).toEqual(['Item.alias']);
  });
});

it('are those of inputs and fields that the schema builder deprecates', () => {
  const fields = z.strictObject({
    name: z.string().nullish().describe('The name.'),
    title: z
      .string()
      .nullish()
      .describe('The title.')
      .register(deprecations, { instead: 'Use `name`.', from: '2099-01-01' }),
  });
  const Titled = inputOf('Titled', fields, 'An input.');
  builder.queryField('titled', (t) =>
    t.string({
      description: 'A field.',
      deprecationReason: deprecated('Use another.', '2099-01-01'),
      args: { by: t.arg({ type: Titled, required: true, description: 'An argument.' }) },
      resolve: () => '',
    }),
  );
  builder.mutationField('nothing', (t) => t.string({ description: 'Nothing.', resolve: () => '' }));
  const built = builder.toSchema();
  const { name, title } = (built.getType('Titled') as GraphQLInputObjectType).getFields();
  expect(name!.deprecationReason).toBe(undefined);
  expect(title!.deprecationReason).toBe('Use `name`. May be removed from 2099-01-01.');
  const document = parse('query($by: Titled!) { titled(by: $by) }');
  const values = { by: { title: 'a' } };
  expect([...deprecatedUses(built, document, getOperationAST(document)!, values)].sort()).toEqual([
    'Query.titled',
    'Titled.title',
  ]);
});
