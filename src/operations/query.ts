import {
  type ArgumentNode,
  astFromValue,
  type ConstValueNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  parse,
  parseType,
  type SelectionSetNode,
  type VariableDefinitionNode,
} from 'graphql';
import { pageSize } from '../kernel/page.ts';
import type { FragmentNames } from './change.ts';

const selectionOf = (text: string) =>
  (parse(text, { noLocation: true }).definitions[0] as OperationDefinitionNode).selectionSet;
const aboutPage = selectionOf('{ totalCount pageInfo { ...Page } }').selections;

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value });
const isList = ({ name }: GraphQLNamedType) => name.endsWith('Connection');
/** Whether an argument says how many items a list has: `first: 20`. */
const isFixed = ({ name, value }: ArgumentNode) =>
  (name.value === 'first' || name.value === 'last') && value.kind !== Kind.VARIABLE;
const has = (nodes: readonly { name?: NameNode }[] | undefined, name: string) =>
  nodes?.some((node) => node.name?.value === name) ?? false;

/**
 * The document of a query, from one that leaves out what follows from the schema:
 *
 * - An object without arguments gets all of them, each from a variable. That of `by` has the name of the field.
 * - A list is a page, and what is selected of it is selected of its nodes, unless the number of its items is fixed.
 * - An object without a selection gets the fragment of its type.
 *
 * Variables are declared only where they differ from the arguments.
 */
export function queryDocument(
  schema: GraphQLSchema,
  query: OperationDefinitionNode,
  fragments: FragmentNames,
): OperationDefinitionNode {
  const declared = new Map(query.variableDefinitions?.map((each) => [each.variable.name.value, each]));
  const variables = new Map<string, VariableDefinitionNode>();

  function declare(name: string, { name: argument, type, defaultValue }: GraphQLArgument) {
    const value = astFromValue(argument === 'first' ? pageSize.default : defaultValue, type);
    const definition: VariableDefinitionNode = declared.get(name) ?? {
      kind: Kind.VARIABLE_DEFINITION,
      variable: { kind: Kind.VARIABLE, name: nameNode(name) },
      type: parseType(String(type), { noLocation: true }),
      ...(value && { defaultValue: value as ConstValueNode }),
    };
    if (!variables.has(name)) variables.set(name, definition);
    return definition.variable;
  }

  const argumentOf = (field: string, argument: GraphQLArgument): ArgumentNode => ({
    kind: Kind.ARGUMENT,
    name: nameNode(argument.name),
    value: declare(argument.name === 'by' ? field : argument.name, argument),
  });

  function expanded(parent: GraphQLObjectType, field: FieldNode): FieldNode {
    const { name, arguments: written = [] } = field;
    const definition = parent.getFields()[name.value];
    if (name.value === '__typename') return field;
    if (!definition) throw new Error(`${query.name!.value}: ${parent} has no field ${name.value}`);
    const type = getNamedType(definition.type);
    const isPage = isList(type) && !written.some(isFixed);
    for (const { name: each, value } of written)
      if (value.kind === Kind.VARIABLE)
        declare(value.name.value, definition.args.find((argument) => argument.name === each.value)!);
    const isDerived = ({ name: each }: GraphQLArgument) => {
      if (isPage && (each === 'last' || each === 'before')) return false;
      if (isPage && (each === 'first' || each === 'after')) return !has(written, 'first');
      return written.length === 0 && !isLeafType(type);
    };
    const derived = definition.args.filter(isDerived).map((each) => argumentOf(name.value, each));
    const args = [...written, ...derived];
    if (isLeafType(type)) return { ...field, arguments: args };
    const object = type as GraphQLObjectType;
    const selectionSet = isPage ? pageOf(object, field.selectionSet) : selected(object, field.selectionSet);
    return { ...field, arguments: args, selectionSet };
  }

  function pageOf(list: GraphQLObjectType, selection: SelectionSetNode | undefined): SelectionSetNode {
    const items: SelectionSetNode = has(selection?.selections as FieldNode[], 'edges')
      ? selection!
      : {
          kind: Kind.SELECTION_SET,
          selections: [
            { kind: Kind.FIELD, name: nameNode('nodes'), ...(selection && { selectionSet: selection }) },
          ],
        };
    return selected(list, { ...items, selections: [...items.selections, ...aboutPage] });
  }

  function selected(type: GraphQLObjectType, selection: SelectionSetNode | undefined): SelectionSetNode {
    if (!selection) return selectionOf(`{ ...${fragmentOf(type)} }`);
    const selections = selection.selections.map((each) =>
      each.kind === Kind.FIELD ? expanded(type, each) : each,
    );
    return { ...selection, selections };
  }

  function fragmentOf({ name }: GraphQLObjectType): string {
    const fragment = fragments.get(name);
    if (!fragment) throw new Error(`${query.name!.value}: there is no fragment of ${name} to select`);
    return fragment;
  }

  const selectionSet = selected(schema.getQueryType()!, query.selectionSet);
  return { ...query, selectionSet, variableDefinitions: [...variables.values()] };
}
