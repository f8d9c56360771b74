import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isInterfaceType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { getOrCompute, memoizeByIdentity } from '../../kernel/memo.ts';
import { reachable } from './reachable.ts';

/** The deprecated elements that an operation names, and the variables that can have more. */
interface Uses {
  named: readonly string[];
  variables: readonly { name: string; type: GraphQLInputType }[];
  hasDeprecated: (type: GraphQLInputType) => boolean;
}

const usesOf = memoizeByIdentity((_: GraphQLSchema) => new WeakMap<OperationDefinitionNode, Uses>());

/** Whether anything of the schema is deprecated. Without it, no document has to be walked. */
export function hasDeprecatedElements(schema: GraphQLSchema): boolean {
  const isDeprecated = ({ deprecationReason }: { deprecationReason?: string | null | undefined }) =>
    deprecationReason != null;
  return Object.values(schema.getTypeMap()).some((type) => {
    if (isEnumType(type)) return type.getValues().some(isDeprecated);
    if (isInputObjectType(type)) return Object.values(type.getFields()).some(isDeprecated);
    if (!isObjectType(type) && !isInterfaceType(type)) return false;
    return Object.values(type.getFields()).some(
      (field) => isDeprecated(field) || field.args.some(isDeprecated),
    );
  });
}

/**
 * The deprecated fields, arguments, input fields and enum values that a request uses, each once, by their coordinates in the
 * schema: `Team.name`, `Query.events(since:)`. What the operation and its fragments name is found once for each
 * document, whatever `@skip` and `@include` say. Only variables whose types have something deprecated are looked into.
 *
 * @see https://spec.graphql.org/September2025/#sec-Schema-Coordinates
 */
export function deprecatedUses(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  const uses = getOrCompute(usesOf(schema), operation, () => usesIn(schema, document, operation));
  const { named, variables, hasDeprecated } = uses;
  if (variables.length === 0) return named;
  const all = new Set(named);
  for (const { name, type } of variables)
    if (Object.hasOwn(values, name)) addUses(all, type, values[name], hasDeprecated);
  return [...all];
}

function usesIn(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Uses {
  const named = new Set<string>();
  const types = new TypeInfo(schema);
  const add = (
    element: { deprecationReason?: string | null | undefined } | null | undefined,
    name: string,
  ) => {
    if (element?.deprecationReason != null) named.add(name);
  };
  const fieldName = () => `${types.getParentType()?.name}.${types.getFieldDef()?.name}`;
  const visitor = visitWithTypeInfo(types, {
    Field: () => add(types.getFieldDef(), fieldName()),
    Argument: () => add(types.getArgument(), `${fieldName()}(${types.getArgument()?.name}:)`),
    ObjectField(node) {
      const parent = getNamedType(types.getParentInputType());
      if (isInputObjectType(parent))
        add(parent.getFields()[node.name.value], `${parent.name}.${node.name.value}`);
    },
    EnumValue: (node) =>
      add(types.getEnumValue(), `${getNamedType(types.getInputType())?.name}.${node.value}`),
  });
  for (const node of reachable(document, operation)) visit(node, visitor);
  const inside = memoizeByIdentity(hasDeprecatedInside);
  const hasDeprecated = (type: GraphQLInputType) => inside(getNamedType(type));
  const variables = (operation.variableDefinitions ?? []).flatMap(({ variable, type: node }) => {
    const type = typeFromAST(schema, node);
    return isInputType(type) && hasDeprecated(type) ? [{ name: variable.name.value, type }] : [];
  });
  return { named: [...named], variables, hasDeprecated };
}

/** Whether values of a type can use something deprecated, at any depth. */
function hasDeprecatedInside(type: GraphQLNamedInputType): boolean {
  const found = new Set([type]);
  for (const each of found) {
    if (isEnumType(each) && each.getValues().some(({ deprecationReason }) => deprecationReason != null))
      return true;
    if (!isInputObjectType(each)) continue;
    for (const field of Object.values(each.getFields())) {
      if (field.deprecationReason != null) return true;
      found.add(getNamedType(field.type));
    }
  }
  return false;
}

/** Adds what a value of a variable uses. Without recursion, because values can be deep. */
function addUses(
  all: Set<string>,
  ofType: GraphQLInputType,
  given: unknown,
  hasDeprecated: Uses['hasDeprecated'],
): void {
  const left: { type: GraphQLInputType; value: unknown }[] = [{ type: ofType, value: given }];
  for (let next = left.pop(); next; next = left.pop()) {
    const type = getNullableType(next.type);
    const { value } = next;
    if (isListType(type)) {
      for (const item of Array.isArray(value) ? value : [value])
        left.push({ type: type.ofType, value: item });
    } else if (isEnumType(type)) {
      const named = typeof value === 'string' ? type.getValue(value) : undefined;
      if (named?.deprecationReason != null) all.add(`${type.name}.${named.name}`);
    } else if (isInputObjectType(type) && typeof value === 'object' && value !== null) {
      for (const field of Object.values(type.getFields())) {
        if (!Object.hasOwn(value, field.name)) continue;
        if (field.deprecationReason != null) all.add(`${type.name}.${field.name}`);
        if (hasDeprecated(field.type))
          left.push({ type: field.type, value: (value as Record<string, unknown>)[field.name] });
      }
    }
  }
}
