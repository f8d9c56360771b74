import { type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql';
import { addValue } from '../../kernel/expansion.ts';

/** The most errors that are reported, and how many characters and values they may quote together. */
const most = { errors: 50, quoted: 800 * 1024 };

/** Coerces the variables of an operation. The longer they are, the fewer errors are reported: each quotes the value that it is about. */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Record<string, unknown> | null | undefined,
): ReturnType<typeof getVariableValues> {
  const values = given ?? {};
  const first = getVariableValues(schema, variableDefinitions, values, { maxErrors: 1 });
  const size = { characters: 0, values: 0 };
  if (first.coerced) return first;
  addValue(size, values);
  const maxErrors = Math.min(most.errors, Math.floor(most.quoted / (size.characters + size.values)));
  return maxErrors > 1 ? getVariableValues(schema, variableDefinitions, values, { maxErrors }) : first;
}
