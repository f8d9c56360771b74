import {
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type JsonSchema, scalars } from './json-schema.ts';

/** Unlike inputs, results have null where their type allows it. */
function fieldSchemaOf(type: GraphQLOutputType): JsonSchema {
  const inner = isNonNullType(type) ? type.ofType : type;
  if (isEnumType(inner) || isScalarType(inner))
    return inner === type ? {} : (scalars[inner.name] ?? { type: 'string' });
  const name = isListType(inner) ? 'array' : 'object';
  return { type: inner === type ? [name, 'null'] : name };
}

/**
 * The fields of the result of an operation as a JSON Schema: those of the payload of a change, and the root field of a query. What
 * is inside of them is left out, because the model of a client has to read the schemas of all tools.
 */
export function outputSchemaOf(schema: GraphQLSchema, operation: OperationDefinitionNode): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const types = new TypeInfo(schema);
  const depth = operation.operation === 'mutation' ? 2 : 1;
  let level = 0;
  visit(
    operation,
    visitWithTypeInfo(types, {
      InlineFragment({ typeCondition }) {
        return typeCondition?.name.value.endsWith('Payload') ? undefined : false;
      },
      Field: {
        enter({ name, alias }) {
          level++;
          if (level < depth || name.value === '__typename') return undefined;
          properties[(alias ?? name).value] = fieldSchemaOf(types.getType()!);
          level--;
          return false;
        },
        leave() {
          level--;
        },
      },
    }),
  );
  return { type: 'object', properties };
}
