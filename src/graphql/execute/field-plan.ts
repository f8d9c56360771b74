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

/** A field of a selection, with everything that does not depend on the object. */
export interface FieldPlan {
  key: string;
  /** One array for all executions of the plan, so that derived values can be cached. */
  nodes: readonly FieldNode[];
  field: GraphQLField<unknown, unknown>;
  parentType: GraphQLObjectType;
  shape: Shape;
  /** The property of the parent with the value, for leaf fields without a resolver. */
  property: string | undefined;
  resolve: GraphQLFieldResolver<unknown, unknown>;
  /** The arguments, unless they use variables. */
  args: Record<string, unknown> | undefined;
  /** The selections by object type. For abstract types, those of the types that have occurred. */
  selections: Map<GraphQLObjectType, Selection> | undefined;
}

/** The structure of an output type. */
export type Shape = { isNullable: boolean } & (
  | {
      kind: 'leaf';
      type: GraphQLLeafType /** The JavaScript type whose values need no conversion. */;
      asIs: string;
    }
  | { kind: 'object'; type: GraphQLObjectType }
  | { kind: 'abstract'; type: GraphQLAbstractType }
  | { kind: 'list'; item: Shape }
);

/** The selected fields of an object. */
export interface Selection {
  type: GraphQLObjectType;
  fields: readonly FieldPlan[];
  /** Whether all fields are properties of the parent, so that there are no promises and no objects below. */
  isFlat: boolean;
  /** Whether a field would change the prototype of a plain object. */
  isOdd: boolean;
  /** The estimated length of the JSON text of such an object, without its strings. */
  textSize: number;
}

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

/** Invalid arguments fail when the field is executed, so that the error has a path. */
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

/** The property with the value of a leaf field, if it has no resolver of its own. */
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
