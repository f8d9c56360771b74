import { type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql';
import { addValue } from '../../kernel/expansion.ts';

/** The most errors that are reported, and the most characters and values of variables with as many. */
const most = { errors: 50, size: 16 * 1024 };

/** Coerces the variables of an operation. Of long ones, only the first error is reported: each quotes the value that it is about. */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Record<string, unknown> | null | undefined,
): ReturnType<typeof getVariableValues> {
  const values = given ?? {};
  const first = getVariableValues(schema, variableDefinitions, values, { maxErrors: 1 });
  const size = { characters: 0, values: 0 };
  if (!first.coerced) addValue(size, values);
  if (first.coerced || size.characters + size.values > most.size) return first;
  return getVariableValues(schema, variableDefinitions, values, { maxErrors: most.errors });
}
