import { type DocumentNode, getOperationAST, Kind, type OperationDefinitionNode } from 'graphql';
import { z } from 'zod';
import { parseJson } from '../../http/body.ts';
import { requireFewKeys } from '../../http/keys.ts';
import type { RequestBudget } from '../../kernel/budget.ts';
import { InvalidInputError } from '../../kernel/errors.ts';
import { invalid, parse } from '../../kernel/validate.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Not `z.record`, whose copy would lose a variable named `__proto__`. */
const object = z.custom<Record<string, unknown>>(isObject, 'Must be an object').nullish();

/** The parameters of a GraphQL request. @see https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters */
const requestParameters = z.strictObject(
  {
    query: z.string('Must be a string').nullish(),
    documentId: z.string('Must be a string').nullish(),
    operationName: z.string('Must be a string').nullish(),
    variables: object,
    extensions: object,
  },
  'Must be a JSON object with the field `query` or `documentId`',
);

export interface Parameters {
  /** Absent if the request names a trusted document. */
  query?: string | null | undefined;
  documentId?: string | null | undefined;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
  extensions?: Record<string, unknown> | null | undefined;
}

/** The id of the trusted document that a request names: `documentId`, or as Apollo's and urql's clients send it. */
export function documentIdIn({ documentId, extensions }: Parameters): string | undefined {
  if (documentId != null) return documentId;
  const { version, sha256Hash } = (extensions?.persistedQuery ?? {}) as Record<string, unknown>;
  return version === 1 && typeof sha256Hash === 'string' ? sha256Hash : undefined;
}

/** Throws INVALID_INPUT with all issues. */
function validated(value: unknown): Parameters {
  const params = parse(requestParameters, value);
  const id = documentIdIn(params);
  if (typeof params.query !== 'string' && id === undefined) throw invalid(['query'], 'Must be a string');
  if (typeof params.query === 'string' && params.documentId != null)
    throw invalid(['documentId'], 'Send either `query` or `documentId`');
  return params;
}

/** The parameters in the body of a POST request. Throws INVALID_INPUT with all issues. */
export function parametersInBody(text: string, maxKeys: number, budget?: RequestBudget): Parameters {
  return validated(parseJson(text, maxKeys, budget));
}

/** The parameters in the address of a GET request. Throws INVALID_INPUT with all issues. */
export function parametersInAddress(url: string, maxKeys: number, budget?: RequestBudget): Parameters {
  const parameters: Record<string, unknown> = Object.fromEntries(
    new URL(url, 'http://localhost').searchParams,
  );
  for (const name of ['operationName', 'variables', 'extensions']) {
    // Empty parameters count as omitted.
    if (parameters[name] === '') delete parameters[name];
    if (parameters[name] === undefined || name === 'operationName') continue;
    try {
      parameters[name] = JSON.parse(parameters[name] as string);
    } catch {
      throw invalid([name], 'Must be a JSON object');
    }
  }
  requireFewKeys(parameters, maxKeys, budget);
  return validated(parameters);
}

/** Whether a request is for a subscription. `find` gives the parsed document of a text. */
export function asksForSubscription(
  { query, operationName }: { query: string; operationName?: string | null | undefined },
  find: (text: string) => DocumentNode | undefined,
): boolean {
  // Others need not be parsed before they are executed.
  const document = /\bsubscription\b/.test(query) ? find(query) : undefined;
  return document !== undefined && getOperationAST(document, operationName)?.operation === 'subscription';
}

/** The document does not say which operation to execute. */
export class OperationError extends InvalidInputError {
  constructor(name: 'query' | 'operationName', message: string) {
    super([{ path: [name], message }]);
  }
}

/** The operation to execute. INVALID_INPUT if it is ambiguous or missing. */
export function operationOf(
  document: DocumentNode,
  operationName: string | null | undefined,
): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation;
  const isNone = document.definitions.every(({ kind }) => kind !== Kind.OPERATION_DEFINITION);
  if (isNone) throw new OperationError('query', 'The document has no operation');
  const problem = operationName
    ? 'The document has no operation with this name'
    : 'Must be the name of an operation in the document';
  throw new OperationError('operationName', problem);
}
