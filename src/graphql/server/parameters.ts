import { type DocumentNode, getOperationAST, Kind, type OperationDefinitionNode } from 'graphql';
import { z } from 'zod';
import { requireFewKeys } from '../../http/keys.ts';
import { invalid, parse } from '../../kernel/validate.ts';

const object = (message: string) => z.record(z.string(), z.unknown(), message).nullish();

/** The parameters of a GraphQL request. @see https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters */
const requestParameters = z.strictObject(
  {
    query: z.string('Must be a string'),
    operationName: z.string('Must be a string').nullish(),
    variables: object('Must be an object'),
    extensions: object('Must be an object'),
  },
  'Must be a JSON object with the field `query`',
);

export interface Parameters {
  query: string;
  operationName?: string | null;
  variables?: Record<string, unknown> | null;
}

const known = new Set(['query', 'operationName', 'variables', 'extensions']);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parameters in a body, or undefined if they are invalid; `parametersOf` then reports the issues. */
export function plainParameters(text: string, maxKeys: number): Parameters | undefined {
  let given: unknown;
  try {
    given = JSON.parse(text);
    requireFewKeys(given, maxKeys);
  } catch {
    return undefined;
  }
  if (!isObject(given) || !Object.keys(given).every((name) => known.has(name))) return undefined;
  const { query, operationName, variables, extensions } = given;
  const isSound =
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || isObject(variables)) &&
    (extensions == null || isObject(extensions));
  return isSound ? (given as unknown as Parameters) : undefined;
}

/** Parses the parameters of a request. Throws INVALID_INPUT with all issues. */
export async function parametersOf(request: Request, maxKeys: number): Promise<Record<string, unknown>> {
  const given = request.method === 'GET' ? inAddress(request.url) : await inBody(request);
  requireFewKeys(given, maxKeys);
  const sound = parse(requestParameters, given);
  // A copy of the record would lose a variable named `__proto__`.
  return sound.variables ? { ...sound, variables: (given as Parameters).variables } : sound;
}

async function inBody(request: Request): Promise<unknown> {
  const text = await request.text();
  try {
    return JSON.parse(text);
  } catch {
    throw invalid([], 'The body is not valid JSON');
  }
}

/** Whether a request is for a subscription. `find` gives the parsed document of a text. */
export function asksForSubscription(
  given: { query?: unknown; operationName?: unknown },
  find: (text: string) => DocumentNode | undefined,
): boolean {
  const { query, operationName } = given;
  if (typeof query !== 'string' || !/\bsubscription\b/.test(query)) return false;
  const document = find(query);
  if (!document) return false;
  const name = typeof operationName === 'string' ? operationName : undefined;
  return getOperationAST(document, name)?.operation === 'subscription';
}

/** The parameters in the address of a request, before they are validated. */
export function inAddress(url: string): Record<string, unknown> {
  const given: Record<string, unknown> = Object.fromEntries(new URL(url, 'http://localhost').searchParams);
  for (const name of ['operationName', 'variables', 'extensions']) {
    // Empty parameters count as omitted.
    if (given[name] === '') delete given[name];
    if (given[name] === undefined || name === 'operationName') continue;
    try {
      given[name] = JSON.parse(given[name] as string);
    } catch {
      throw invalid([name], 'Must be a JSON object');
    }
  }
  return given;
}

/** The operation to execute. INVALID_INPUT if it is ambiguous or missing. */
export function operationOf(
  document: DocumentNode,
  operationName: string | null | undefined,
): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation;
  const isNone = document.definitions.every(({ kind }) => kind !== Kind.OPERATION_DEFINITION);
  if (isNone) throw invalid(['query'], 'The document has no operation');
  const problem = operationName
    ? 'The document has no operation with this name'
    : 'Must be the name of an operation in the document';
  throw invalid(['operationName'], problem);
}
