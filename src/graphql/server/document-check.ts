import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type TypeNode,
  validate,
} from 'graphql';
import type { Issue } from '../../kernel/errors.ts';
import type { Limits } from '../../kernel/limits.ts';
import { variablesOf } from '../execute/variables.ts';
import { requireParsable, requireWithinLimits } from './limits.ts';
import { requireFewSameNames } from './same-names.ts';

/** The most problems of a document that are reported. */
const maxErrors = 5;

/** The variable of a document that gets the global id of an event. */
export const eventVariable = 'event';

/** Checks a document that is stored, to be executed for each of some events, and its other variables. */
export type DocumentCheck = (document: string, variables: Record<string, unknown>) => Issue[];

const problem = (field: 'document' | 'variables', message: string): Issue => ({ path: [field], message });

/** Checks documents as requests are: against the schema, and that they are within the limits of the gateway. */
export function createDocumentCheck(schema: GraphQLSchema, limits: Limits): DocumentCheck {
  return (text, variables) => {
    try {
      requireParsable(text, limits);
      const document = parse(text);
      requireFewSameNames(document, limits);
      const errors = validate(schema, document, undefined, { maxErrors });
      if (errors.length > 0) return errors.slice(0, maxErrors).map(placedProblem);
      const operation = queryIn(document);
      if (typeof operation === 'string') return [problem('document', operation)];
      const issues = variableProblems(schema, operation, variables);
      if (issues.length > 0) return issues;
      requireWithinLimits(document, operation, variables, limits);
      return [];
    } catch (error) {
      // A syntax error, or a limit that is exceeded.
      return [problem('document', (error as Error).message)];
    }
  };
}

function placedProblem({ message, locations }: GraphQLError): Issue {
  const [at] = locations ?? [];
  return { ...problem('document', message), ...(at && { line: at.line, column: at.column }) };
}

/** The one operation of a document, or what is wrong with it. */
function queryIn({ definitions }: DocumentNode): OperationDefinitionNode | string {
  const operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (!operation || operations.length > 1) return 'Must have one operation';
  if (operation.operation !== OperationTypeNode.QUERY) return 'Must be a query';
  const event = operation.variableDefinitions?.find(({ variable }) => variable.name.value === eventVariable);
  if (!event || nameOf(event.type) !== 'ID') return `Must have the variable $${eventVariable}: ID!`;
  return operation;
}

/** The name of a type that is no list. */
function nameOf(type: TypeNode): string | undefined {
  if (type.kind === Kind.NON_NULL_TYPE) return nameOf(type.type);
  return type.kind === Kind.NAMED_TYPE ? type.name.value : undefined;
}

function variableProblems(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Issue[] {
  const { variableDefinitions = [] } = operation;
  const declared = new Set(variableDefinitions.map(({ variable }) => variable.name.value));
  if (Object.hasOwn(variables, eventVariable))
    return [problem('variables', `$${eventVariable} is set for each event`)];
  const unknown = Object.keys(variables).find((name) => !declared.has(name));
  if (unknown !== undefined) return [problem('variables', `The document has no variable $${unknown}`)];
  const inputs = { ...variables, [eventVariable]: '' };
  const { errors } = variablesOf(schema, operation, inputs);
  return (errors ?? []).slice(0, maxErrors).map(({ message }) => problem('variables', message));
}
