import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import type { OperationOptions } from '../graphql/schema/mutation.ts';

/** The name of the fragment that is selected of objects of a type. */
export type FragmentNames = ReadonlyMap<string, string>;

/** The options of an operation in the declaration of its mutation. */
export const optionsOf = ({ extensions }: GraphQLField<unknown, unknown>) =>
  (extensions.operation ?? {}) as OperationOptions;

/** The document of a mutation: its payload, with the fragment of each type, and why it was refused. */
export function changeDocument(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  fragments: FragmentNames,
): OperationDefinitionNode {
  const { name } = field;
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  const { selection = {} } = optionsOf(field);
  const payload = schema.getType(`${title}Payload`) as GraphQLObjectType;
  const unknown = Object.keys(selection).find((key) => !Object.hasOwn(payload.getFields(), key));
  if (unknown) throw new Error(`${payload} has no field ${unknown} to select`);
  const selected = Object.values(payload.getFields())
    .filter((each) => selection[each.name] !== false)
    .map((each) => {
      const type = getNamedType(each.type);
      if (isLeafType(type)) return each.name;
      const fragment = fragments.get(type.name);
      const inner = selection[each.name] ?? (fragment && `...${fragment}`);
      if (!inner) throw new Error(`${payload}.${each.name}: there is no fragment of ${type} to select`);
      return `${each.name} { ${inner} }`;
    });
  const text = `mutation ${title}($input: ${title}Input!) {
    ${name}(input: $input) { __typename ... on ${payload} { ${selected.join(' ')} } ...Failure }
  }`;
  return parse(text, { noLocation: true }).definitions[0] as OperationDefinitionNode;
}
