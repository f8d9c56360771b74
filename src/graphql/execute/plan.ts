import {
  type DocumentNode,
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLIncludeDirective,
  type GraphQLLeafType,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  visit,
} from 'graphql';
import { createBoundedCache, memoizeByIdentity } from '../../kernel/memo.ts';
import { collect, type Selecting } from './collect.ts';

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

/** An operation whose selections are planned as they turn up, and kept. */
export interface Plan {
  selecting: Selecting;
  operation: OperationDefinitionNode;
  root: Selection;
}

/** What is kept of a document. */
interface Compiled {
  fragments: Record<string, FragmentDefinitionNode>;
  /** The variables that decide on which fields are asked for. */
  conditions: string[];
  /** By the operation and what those variables say. */
  plans: Map<string, Plan>;
}

const maxPlansOfDocument = 16;

/**
 * How each kept plan is removed from its document. Sizes are planned fields: fragments multiply them, however short
 * the document is.
 */
const keptPlans = createBoundedCache<Plan, () => void>({ size: 100_000, entrySize: 2_000 }, (_, remove) =>
  remove(),
);

const compiledOf = memoizeByIdentity((_: GraphQLSchema) => new WeakMap<DocumentNode, Compiled>());

/** Keeps the plans of a document that will be executed again, until they are forgotten. */
export function keepPlans(schema: GraphQLSchema, document: DocumentNode): void {
  const compiled = compiledOf(schema);
  if (!compiled.has(document)) compiled.set(document, { ...partsOf(document), plans: new Map() });
}

export const keepsPlans = (schema: GraphQLSchema, document: DocumentNode): boolean =>
  compiledOf(schema).has(document);

export function forgetPlans(schema: GraphQLSchema, document: DocumentNode): void {
  const compiled = compiledOf(schema);
  for (const plan of compiled.get(document)?.plans.values() ?? []) keptPlans.delete(plan);
  compiled.delete(document);
}

/**
 * The plan of an operation under these variables; of a document that is kept, made once. Throws where there is
 * nothing to execute: no such root type, or a condition that is null.
 */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Plan {
  const own = compiledOf(schema).get(document);
  const { fragments, conditions } = own ?? partsOf(document);
  // Null is neither: it is an error where it decides.
  const key = [operation.name?.value, ...conditions.map((name) => variables[name])].map(String).join();
  const known = own?.plans.get(key);
  if (known) return known;
  // Of the variables only what decides: the plan outlives the request, and they may be large.
  const given = conditions.filter((name) => Object.hasOwn(variables, name));
  const decided = Object.fromEntries(given.map((name) => [name, variables[name]]));
  const selecting = { schema, fragments, variables: decided };
  const root = rootOf(selecting, operation);
  const plan = { selecting, operation, root };
  if (own && own.plans.size < maxPlansOfDocument) {
    own.plans.set(key, plan);
    keptPlans.set(plan, () => own.plans.delete(key), root.fields.length);
  }
  return plan;
}

function rootOf(selecting: Selecting, operation: OperationDefinitionNode): Selection {
  const type = selecting.schema.getRootType(operation.operation);
  if (!type) {
    throw new GraphQLError(`Schema is not configured to execute ${operation.operation} operation.`, {
      nodes: operation,
    });
  }
  return selectionOf(selecting, type, [operation.selectionSet]);
}

/** The fragments of a document, and the variables that decide on what is selected. */
function partsOf(document: DocumentNode): Pick<Compiled, 'fragments' | 'conditions'> {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  const conditions = new Set<string>();
  visit(document, {
    Directive({ name, arguments: given = [] }) {
      if (!deciding.has(name.value)) return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
    },
  });
  return { fragments, conditions: [...conditions] };
}

const deciding = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

/** What a field asks of an object of this type. */
export function selectionIn(plan: Plan, field: FieldPlan, type: GraphQLObjectType): Selection {
  let selection = field.selections?.get(type);
  if (!selection) {
    const sets = field.nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    selection = selectionOf(plan.selecting, type, sets);
    field.selections ??= new Map();
    field.selections.set(type, selection);
    keptPlans.grow(plan, selection.fields.length);
  }
  return selection;
}

function selectionOf(
  selecting: Selecting,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): Selection {
  const fields: FieldPlan[] = [];
  for (const [key, nodes] of collect(selecting, type, sets)) {
    const field = fieldOf(selecting.schema, type, nodes[0]!.name.value);
    if (field) fields.push(planField(key, nodes, field, type));
  }
  return {
    type,
    fields,
    isFlat: fields.every(({ property }) => property !== undefined),
    isOdd: fields.some(({ key }) => key === '__proto__'),
    textSize: fields.reduce((size, { key }) => size + key.length + 6, 2),
  };
}

function fieldOf(schema: GraphQLSchema, type: GraphQLObjectType, name: string) {
  if (name === '__typename') return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === '__schema') return SchemaMetaFieldDef;
    if (name === '__type') return TypeMetaFieldDef;
  }
  return type.getFields()[name];
}

function planField(
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
