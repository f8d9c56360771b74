import {
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLInputField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
} from 'graphql';
import { groupBy } from '../../kernel/group.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { annotate, type Insertion } from './annotate.ts';
import { printedSchema } from './schema-document.ts';

/** Where the document is served. */
export const compositeSchemaPath = '/schema.composite.graphql';

const definitions = `"""Marks a field that looks an object up by one of its keys."""
directive @lookup on FIELD_DEFINITION

"""Says which field of the object an argument stands for."""
directive @is(field: FieldSelectionMap!) on ARGUMENT_DEFINITION

"""Fields that together identify an object."""
directive @key(fields: FieldSelectionSet!) repeatable on OBJECT | INTERFACE

"""Maps fields of an object to an argument."""
scalar FieldSelectionMap

"""A selection of fields."""
scalar FieldSelectionSet
`;

/** A root field that looks objects up by keys that are fields of the argument `by`. */
interface Lookup {
  field: string;
  type: string;
  /** The field of the argument, and the field of the object that it stands for. */
  keys: { input: string; output: string }[];
}

/**
 * The schema with the directives of the GraphQL Composite Schemas draft, with which gateways join it with others. It has no
 * other fields than the schema. Kept, because making it takes long.
 *
 * The draft allows one lookup for each key of a type: `node` looks all objects up by `id`, the fields of their own by the rest.
 *
 * @see https://graphql.github.io/composite-schemas-spec/draft/
 */
export const compositeDocument = memoizeByIdentity((schema: GraphQLSchema): string => {
  const text = printedSchema(schema);
  const node = schema.getType('Node');
  if (!isInterfaceType(node)) throw new Error('The schema has no interface Node');
  const lookups = lookupsIn(schema);
  const byType = groupBy(lookups, ({ type }) => type);
  const keysOf = (name: string) => [
    ...(isIdentified(schema.getType(name), node) ? ['id'] : []),
    ...(byType.get(name) ?? []).flatMap(({ keys }) => keys.map(({ output }) => output)),
  ];
  const insertions = parse(text).definitions.flatMap((definition) =>
    insertionsIn(definition, keysOf, lookups),
  );
  return `${definitions}\n${annotate(text, insertions)}\n`;
});

const isIdentified = (type: GraphQLNamedType | undefined, node: GraphQLInterfaceType) =>
  type === node || (isObjectType(type) && type.getInterfaces().includes(node));

function lookupsIn(schema: GraphQLSchema): Lookup[] {
  return Object.values(schema.getQueryType()!.getFields()).flatMap(({ name, type, args }) => {
    const [by, ...others] = args;
    const reference = by && getNamedType(by.type);
    if (by?.name !== 'by' || others.length > 0 || !isObjectType(type)) return [];
    if (!isInputObjectType(reference) || !reference.isOneOf) return [];
    const keys = Object.values(reference.getFields()).flatMap((input) => {
      const output = keyFor(input, type);
      return output === undefined ? [] : [{ input: input.name, output }];
    });
    return keys.length > 0 ? [{ field: name, type: type.name, keys }] : [];
  });
}

/** The field of an object that a field of its reference stands for: `appId` is its `uid`, others have the same name. */
function keyFor({ name, type }: GraphQLInputField, object: GraphQLObjectType): string | undefined {
  if (name === 'id') return undefined;
  const output = object.getFields()[name.endsWith('Id') ? 'uid' : name];
  const isSame =
    output && isNonNullType(output.type) && getNullableType(output.type) === getNullableType(type);
  return isSame ? output.name : undefined;
}

function insertionsIn(
  definition: DefinitionNode,
  keysOf: (type: string) => string[],
  lookups: readonly Lookup[],
): Insertion[] {
  const { kind } = definition;
  if (kind !== Kind.OBJECT_TYPE_DEFINITION && kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
  const { name, interfaces = [], fields = [] } = definition;
  const keys = keysOf(name.value).map((key) => ` @key(fields: "${key}")`);
  const ofType = keys.map((text) => ({ at: (interfaces.at(-1) ?? name).loc!.end, text }));
  return [...ofType, ...(name.value === 'Query' ? fields.flatMap((field) => ofField(field, lookups)) : [])];
}

function ofField(field: FieldDefinitionNode, lookups: readonly Lookup[]): Insertion[] {
  const mark = { at: field.type.loc!.end, text: ' @lookup' };
  if (field.name.value === 'node') return [mark];
  const lookup = lookups.find((each) => each.field === field.name.value);
  const [by] = field.arguments ?? [];
  if (!lookup || !by) return [];
  const choices = lookup.keys.map(({ input, output }) =>
    input === output ? `{ ${input} }` : `{ ${input}: ${output} }`,
  );
  return [mark, { at: by.type.loc!.end, text: ` @is(field: "${choices.join(' | ')}")` }];
}
