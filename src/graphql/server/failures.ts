import { type ASTNode, type DocumentNode, type GraphQLError, Kind, visit } from 'graphql';
import { createGraphQLError } from 'graphql-yoga';
import { failureHeaders } from '../../http/failure-headers.ts';
import { type ErrorCode, errorStatus } from '../../kernel/error-codes.ts';
import { ApiError, cutMessage, InvalidInputError, type Issue } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { noteError, type RequestFacts } from '../../kernel/telemetry.ts';
import { OperationError } from './parameters.ts';
import { type RedactedMessage, redactMessage } from './redact-message.ts';

const isKnown = (error: GraphQLError) =>
  typeof error.extensions.code === 'string' &&
  error.extensions.code in errorStatus &&
  'requestId' in error.extensions;

/** The original error, without the wrappers of the executor. */
function thrown(error: unknown): unknown {
  const original = (error as { originalError?: unknown })?.originalError;
  return original ? thrown(original) : error;
}

/** The codes of errors of the HTTP layer, by status. Other statuses are INVALID_INPUT. */
const codeOfStatus: Record<number, ErrorCode> = { 405: 'METHOD_NOT_ALLOWED', 413: 'PAYLOAD_TOO_LARGE' };

/**
 * Whether an error is one of a well-formed request that cannot be executed, such as a variable that cannot be coerced. As
 * `application/json`, its answer has the status 200, like that to a document that is not valid.
 *
 * @see https://graphql.github.io/graphql-over-http/draft/#sec-application-json
 */
const isOfGraphql = (cause: unknown) => isGraphQLError(cause) || cause instanceof OperationError;

/** Compares names, because the library can be loaded twice, as ESM and CommonJS. */
const isGraphQLError = (error: unknown): boolean => error instanceof Error && error.name === 'GraphQLError';

/**
 * Converts any error to what a caller may see. API errors keep their code; errors in the request are
 * INVALID_INPUT with the path of the argument; all others are INTERNAL, with their details only in the log.
 */
export function presented(
  error: unknown,
  {
    requestId,
    log,
    facts,
    document,
  }: { requestId: string; log: Log; facts?: RequestFacts | undefined; document?: DocumentNode },
  stepsTo = nodeSteps(document),
): GraphQLError {
  const outer = isGraphQLError(error) ? (error as GraphQLError) : undefined;
  if (outer && isKnown(outer)) return outer;
  const where = {
    nodes: outer?.nodes,
    positions: outer?.positions,
    source: outer?.source,
    path: outer?.path,
  };
  const http = outer?.extensions.http as { status?: number } | undefined;
  const cause = thrown(error);
  const extensions = (code: ErrorCode, issues?: Issue[]) => {
    noteError(facts, { code, limit: cause instanceof ApiError ? cause.limit : undefined });
    return {
      code,
      ...(issues && { issues }),
      requestId,
      // Without a field, the error concerns the whole request.
      ...(http
        ? { http }
        : !outer?.path && {
            http: {
              status: errorStatus[code],
              ...headersOf(cause),
              ...(isOfGraphql(cause) && { spec: true }),
            },
          }),
    };
  };
  if (cause instanceof ApiError) {
    if (cause.cause) log.warn({ error: cause.cause, requestId, path: outer?.path }, 'request failed');
    const issues = cause instanceof InvalidInputError ? cause.issues : undefined;
    return createGraphQLError(cause.message, { ...where, extensions: extensions(cause.code, issues) });
  }
  if (isGraphQLError(cause) && outer) {
    const code = codeOfStatus[http?.status ?? 0] ?? 'INVALID_INPUT';
    const redacted = redactMessage(outer.message);
    const path = pathOf(outer, redacted, stepsTo);
    const about = new InvalidInputError([{ path, message: redacted.issue ?? redacted.message }]);
    const message = redacted.issue === undefined ? cutMessage(redacted.message) : about.message;
    const { issues } = about;
    return createGraphQLError(message, {
      ...where,
      extensions: extensions(code, code === 'INVALID_INPUT' ? issues : undefined),
    });
  }
  log.error({ error: cause, requestId, path: outer?.path }, 'request failed');
  return createGraphQLError('An unexpected error occurred. The server log has details for the request id.', {
    ...where,
    extensions: extensions('INTERNAL'),
  });
}

const headersOf = (cause: unknown) => (cause instanceof ApiError ? { headers: failureHeaders(cause) } : {});

/** The path of an error in the request: fields, arguments and input fields down to its node. */
function pathOf(error: GraphQLError, redacted: RedactedMessage, stepsTo: NodeSteps): (string | number)[] {
  const { message } = redacted;
  // Missing and unknown fields have no named node, but are named in the message.
  const missing =
    /Field "(?:\w+\.)?(\w+)" of required type/.exec(message) ??
    /argument "(\w+)" of type .* is required/.exec(message);
  const variable = redacted.variable ?? /^Variable "\$([^"]+)"/.exec(message)?.[1];
  if (variable) {
    const unknown = /^Field "(\w+)" is not defined by type/.exec(message);
    return [...steps(variable), ...((missing ?? unknown)?.slice(1) ?? [])];
  }
  const node = error.nodes?.at(-1);
  if (!node) return [];
  return [...stepsTo(node), ...(missing?.slice(1) ?? [])];
}

/** The fields, arguments and input fields from the operation down to a node of its document. */
type NodeSteps = (node: ASTNode) => readonly string[];

const named = new Set<Kind>([Kind.FIELD, Kind.ARGUMENT, Kind.OBJECT_FIELD]);

/** Visits the document once, at the first call, because each of thousands of fields can have an error. */
export function nodeSteps(document: DocumentNode | undefined): NodeSteps {
  let all: Map<ASTNode, readonly string[]> | undefined;
  return (node) => {
    all ??= allSteps(document);
    return all.get(node) ?? [];
  };
}

function allSteps(document: DocumentNode | undefined): Map<ASTNode, readonly string[]> {
  const all = new Map<ASTNode, readonly string[]>();
  const above: (readonly string[])[] = [];
  try {
    if (document)
      visit(document, {
        enter(node) {
          const last = above.at(-1) ?? [];
          const own = named.has(node.kind)
            ? [...last, (node as { name: { value: string } }).name.value]
            : last;
          all.set(node, own);
          above.push(own);
        },
        leave() {
          above.pop();
        },
      });
  } catch {
    // The document is nested too deeply to be visited.
  }
  return all;
}

/** Splits a path such as `input.list[0].name`. */
const steps = (text: string) =>
  text
    .split(/[.[\]]+/)
    .flatMap((step): (string | number)[] =>
      step === '' ? [] : /^\d+$/.test(step) ? [Number(step)] : [step],
    );
