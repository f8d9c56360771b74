import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getArgumentValues,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
} from 'graphql';

/** One field of a selection, with all that is known of it before any object is. */
export interface FieldPlan {
  key: string;
  /** The same array in every execution of the document: what is derived from it can be kept. */
  nodes: readonly FieldNode[];
  field: GraphQLField<unknown, unknown>;
  parentType: GraphQLObjectType;
  shape: Shape;
  /** Where a leaf stands in the parent as it is: nothing has to be called for it. */
  property: string | undefined;
  resolve: GraphQLFieldResolver<unknown, unknown>;
  /** The arguments, where no variable decides on them. */
  args: Record<string, unknown> | undefined;
  /** Selections by the type of the object: of an abstract type, those that turned up. */
  selections: Map<GraphQLObjectType, Selection> | undefined;
}

/** An output type, taken apart once. */
export type Shape = { isNullable: boolean } & (
  | { kind: 'leaf'; type: GraphQLLeafType /** Values of this type are shown as they are. */; asIs: string }
  | { kind: 'object'; type: GraphQLObjectType }
  | { kind: 'abstract'; type: GraphQLAbstractType }
  | { kind: 'list'; item: Shape }
);

/** What is asked of one object. */
export interface Selection {
  type: GraphQLObjectType;
  fields: readonly FieldPlan[];
  /** All fields are leaves that stand in the parent: no promise, and no object below. */
  isFlat: boolean;
  /** Has a field that would change the prototype of a plain object. */
  isOdd: boolean;
  /** The text of one such object without its strings: names and punctuation, and a little for each number. */
  textSize: number;
}

/** Plans a field: everything that does not depend on the object. */
export function planField(
  key: string,
  nodes: readonly FieldNode[],
  field: GraphQLField<unknown, unknown>,
  parentType: GraphQLObjectType,
): FieldPlan {
  const usesVariables = nodes[0]!.arguments?.some(({ value }) => hasVariable(value));
  return {
    key,
    nodes,
    field,
    parentType,
    shape: shapeOf(field.type),
    property: propertyOf(field),
    resolve: field.resolve ?? defaultFieldResolver,
    args: usesVariables ? undefined : argumentsOf(field, nodes[0]!),
    selections: undefined,
  };
}

/** Arguments that cannot be coerced fail where the field is executed, so that the error has a path. */
function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode) {
  try {
    return getArgumentValues(field, node, {});
  } catch {
    return undefined;
  }
}

const asIs: Record<string, string> = { String: 'string', ID: 'string', Boolean: 'boolean' };

function shapeOf(given: GraphQLOutputType): Shape {
  const isNullable = !isNonNullType(given);
  const type = getNullableType(given) as GraphQLNullableType & GraphQLOutputType;
  if (isListType(type)) return { kind: 'list', isNullable, item: shapeOf(type.ofType) };
  if (isObjectType(type)) return { kind: 'object', isNullable, type };
  if (isAbstractType(type)) return { kind: 'abstract', isNullable, type };
  return { kind: 'leaf', isNullable, type, asIs: asIs[type.name] ?? '' };
}

/** The property in which a field finds its leaf, without a resolver of its own. */
function propertyOf(field: GraphQLField<unknown, unknown>): string | undefined {
  if (!isLeafType(getNullableType(field.type))) return undefined;
  const { pothosExposedField: exposed, pothosResolveWrapped: isWrapped } = field.extensions;
  return typeof exposed === 'string' && !isWrapped ? exposed : undefined;
}

function hasVariable(value: NonNullable<FieldNode['arguments']>[number]['value']): boolean {
  switch (value.kind) {
    case Kind.VARIABLE:
      return true;
    case Kind.LIST:
      return value.values.some(hasVariable);
    case Kind.OBJECT:
      return value.fields.some((field) => hasVariable(field.value));
    default:
      return false;
  }
}
