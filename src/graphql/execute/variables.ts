import { type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql';

/** The most errors that are reported, and the longest JSON of variables with as many. */
const most = { errors: 50, length: 16 * 1024 };

/** Coerces the variables of an operation. Of long ones, only the first error is reported: each quotes the value that it is about. */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Record<string, unknown> | null | undefined,
): ReturnType<typeof getVariableValues> {
  const values = given ?? {};
  const first = getVariableValues(schema, variableDefinitions, values, { maxErrors: 1 });
  if (first.coerced || JSON.stringify(values).length > most.length) return first;
  return getVariableValues(schema, variableDefinitions, values, { maxErrors: most.errors });
}
