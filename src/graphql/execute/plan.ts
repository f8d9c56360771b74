import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
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
import { type FieldPlan, planField, type Selection } from './field-plan.ts';

/** The plan of an operation. Selections are planned on first use and cached. */
export interface Plan {
  selecting: Selecting;
  operation: OperationDefinitionNode;
  root: Selection;
}

/** The cached parts of a document. */
interface Compiled {
  fragments: Record<string, FragmentDefinitionNode>;
  /** The variables of `@skip` and `@include`. */
  conditions: string[];
  /** The plans by operation and the values of those variables. */
  plans: Map<string, Plan>;
}

const maxPlansOfDocument = 16;

/**
 * Functions that remove each cached plan from its document. The sizes are numbers of planned fields, because fragments
 * can multiply the fields of a short document.
 */
const keptPlans = createBoundedCache<Plan, () => void>({ size: 100_000, entrySize: 2_000 }, (_, remove) =>
  remove(),
);

const compiledOf = memoizeByIdentity((_: GraphQLSchema) => new WeakMap<DocumentNode, Compiled>());

/** Caches the plans of a document until `forgetPlans`. */
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
 * The plan of an operation with these variables. Cached if `keepPlans` was called for the document. Throws if the schema
 * has no such root type, or if a condition is null.
 */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Plan {
  const own = compiledOf(schema).get(document);
  const { fragments, conditions } = own ?? partsOf(document);
  // A null condition is an error, so it has a key of its own.
  const key = [operation.name?.value, ...conditions.map((name) => variables[name])].map(String).join();
  const known = own?.plans.get(key);
  if (known) return known;
  // Only keeps the variables of conditions, because the plan outlives the request and variables can be large.
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

/** The fragments of a document, and the variables of its conditions. */
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
