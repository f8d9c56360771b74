import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';

/** The inputs of field collection: the document's fragments and the variables of its conditions. */
export interface Selecting {
  schema: GraphQLSchema;
  fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  variables: Readonly<Record<string, unknown>>;
}

/**
 * The fields that selection sets select on an object type, by response name and in order. Equal names are merged.
 * @see https://spec.graphql.org/October2021/#CollectFields()
 */
export function collect(
  selecting: Selecting,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const used = new Set<string>();
  const add = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (!isIncluded(selecting, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const same = fields.get(name);
        if (same) same.push(selection);
        else fields.set(name, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (fits(selecting, type, selection)) add(selection.selectionSet);
      } else if (!used.has(selection.name.value)) {
        used.add(selection.name.value);
        const fragment = selecting.fragments[selection.name.value];
        if (fragment && fits(selecting, type, fragment)) add(fragment.selectionSet);
      }
    }
  };
  for (const set of sets) add(set);
  return fields;
}

const isIncluded = ({ variables }: Selecting, node: SelectionNode) =>
  getDirectiveValues(GraphQLSkipDirective, node, variables)?.if !== true &&
  getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;

function fits(
  { schema }: Selecting,
  type: GraphQLObjectType,
  {
    typeCondition,
  }: Pick<FragmentDefinitionNode, never> & {
    typeCondition?: FragmentDefinitionNode['typeCondition'] | undefined;
  },
): boolean {
  if (!typeCondition) return true;
  const condition = typeFromAST(schema, typeCondition);
  if (condition === type) return true;
  return isAbstractType(condition) && schema.isSubType(condition, type);
}
