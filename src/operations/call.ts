import type { ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Context } from '../context.ts';
import { answerOnce } from '../http/idempotency.ts';
import { recordRefused } from '../http/refused-change.ts';
import type { ErrorCode } from '../kernel/error-codes.ts';
import {
  ApiError,
  ForbiddenError,
  InvalidInputError,
  type Issue,
  RateLimitedError,
  UnavailableError,
} from '../kernel/errors.ts';
import type { Operation } from './operation.ts';

/** Executes a GraphQL operation for the caller of the context. */
export type Execute = (
  params: { query: string; operationName: string; variables: Record<string, unknown> },
  context: Context,
) => Promise<ExecutionResult>;

/** The most unknown arguments that an error lists. */
const maxUnknown = 10;

/** Throws INVALID_INPUT for arguments that an operation or a tool does not have. */
export function requireKnown(
  { name, inputSchema }: Pick<Operation, 'name' | 'inputSchema'>,
  given: Record<string, unknown>,
): void {
  const known = Object.keys(inputSchema.properties!);
  const unknown = Object.keys(given).filter((each) => !known.includes(each));
  if (unknown.length === 0) return;
  const message = `Unknown argument. The arguments of ${name}: ${known.join(', ') || 'none'}`;
  throw new InvalidInputError(unknown.slice(0, maxUnknown).map((each) => ({ path: [each], message })));
}

function variablesOf(operation: Operation, given: Record<string, unknown>): Record<string, unknown> {
  // The input itself is checked with its type. GraphQL ignores variables that an operation does not have.
  if (operation.takesInput) return { input: given };
  requireKnown(operation, given);
  return given;
}

/**
 * Calls an operation with its arguments. A change whose request has an Idempotency-Key is made once: a repeated request has
 * the result of the first.
 */
export async function callOperation(
  execute: Execute,
  operation: Operation,
  given: Record<string, unknown>,
  context: Context,
  res: ServerResponse,
): Promise<ExecutionResult> {
  if (context.facts) {
    context.facts.operationName = operation.operationName;
    context.facts.documentId = operation.path;
  }
  const { isChange, takesDryRun, name, query, operationName } = operation;
  if (isChange && context.actor.isReadOnly && !(takesDryRun && given.dryRun === true)) {
    recordRefused(context, { name: `${operationName[0]!.toLowerCase()}${operationName.slice(1)}` });
    const instead = takesDryRun ? ' With `dryRun: true`, it returns only what it would change.' : '';
    throw new ForbiddenError(`This access token is read-only, and ${name} makes changes.${instead}`);
  }
  const variables = variablesOf(operation, given);
  const result = await execute({ query, operationName, variables }, context);
  const { idempotency } = context;
  if (!idempotency?.hasBegun) return result;
  const made = { status: 200, mediaType: 'application/json', body: JSON.stringify(result) };
  return JSON.parse((await answerOnce(res, idempotency, made)).body) as ExecutionResult;
}

/** Why an operation failed, as its errors and those of the payload say it. */
export interface Failure {
  code: ErrorCode;
  message: string;
  issues?: Issue[] | undefined;
  /** The answer of GraphQL over HTTP. */
  http?: { headers?: Record<string, string> } | undefined;
}

export type Outcome =
  | { value: Record<string, unknown>; warnings: string[]; failure?: undefined }
  | { failure: Failure };

/** The value of the root field of an operation, and which parts of it could not be read. */
export function outcomeOf(operation: Operation, { data, errors = [] }: ExecutionResult): Outcome {
  const failures = errors.map(({ message, path, extensions = {} }) => ({
    ...(extensions as unknown as Failure),
    message,
    path,
  }));
  const [value] = Object.values(data ?? {}) as (Record<string, unknown> | null)[];
  if (value === undefined || value === null)
    return { failure: failures[0] ?? { code: 'NOT_FOUND', message: 'There is no such object.' } };
  // A part cannot be read because of what it depends on, but a wrong argument is the caller's.
  const isWrong = ({ code }: Failure) => code === 'INVALID_INPUT' && !operation.isChange;
  const whole = failures.find((each) => (each.path && isAllOf(data!, each.path)) || isWrong(each));
  if (whole) return { failure: whole };
  const warnings = failures.map(
    ({ path, code, message }) => `${path?.join('.')} is null. ${code}: ${message}`,
  );
  if (!operation.isChange) return { value, warnings };
  const { __typename, ...payload } = value;
  return String(__typename).endsWith('Payload')
    ? { value: payload, warnings }
    : { failure: payload as unknown as Failure };
}

/** Whether a null at this path is all that was asked for, so that nothing could be read. */
function isAllOf(data: Record<string, unknown>, path: readonly (string | number)[]): boolean {
  let value: unknown = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || Object.keys(value).length > 1) return false;
    value = (value as Record<string, unknown>)[step];
  }
  return value === null;
}

/** An issue in the words of the caller, whose arguments are the fields of `input`. */
export const argumentIssue = (issue: Issue): Issue => ({
  ...issue,
  path: issue.path[0] === 'input' ? issue.path.slice(1) : issue.path,
});

/** A failure as an error, which tells when to try again. */
export function errorOf({ code, message, issues, http }: Failure): ApiError {
  const retryAfterSeconds = Number(http?.headers?.['Retry-After'] ?? 1);
  if (code === 'RATE_LIMITED') return new RateLimitedError(message, retryAfterSeconds);
  if (code === 'UNAVAILABLE') return new UnavailableError(message, { retryAfterSeconds });
  if (code === 'INVALID_INPUT' && issues && issues.length > 0)
    return new InvalidInputError(issues.map(argumentIssue));
  return new ApiError(code, message);
}
