import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import { acceptsJson } from '../http/accept.ts';
import { jsonOf, type ReadBody } from '../http/body.ts';
import { requireFewKeys } from '../http/keys.ts';
import { jsonInTurns, sendAnswer } from '../http/large-answer.ts';
import { requireJson } from '../http/media-type.ts';
import { isRead, pathOf } from '../http/request.ts';
import { contentTypes, StaticDocument, sendDocument } from '../http/static.ts';
import type { RequestBudget } from '../kernel/budget.ts';
import { ApiError, InvalidInputError, MethodNotAllowedError, NotAcceptableError } from '../kernel/errors.ts';
import { onDemand } from '../kernel/on-demand.ts';
import type { RequestFacts } from '../kernel/telemetry.ts';
import { argumentsOf } from './arguments.ts';
import { callOperation, type Execute, errorOf, outcomeOf, requireKnown } from './call.ts';
import { entityTagIn, withIfMatch } from './if-match.ts';
import { type Operation, operationsPath, prepareOperations, readOperations } from './operation.ts';
import { requireAcceptsLines, type StreamOperation, sendLines } from './stream.ts';

export const operationsDocumentPath = `${operationsPath}/openapi.json`;

export interface OperationsOptions {
  schema: GraphQLSchema;
  execute: Execute;
  streams: readonly StreamOperation[];
  readBody: ReadBody;
  /** The most keys in a body, at all depths. */
  maxKeys: number;
  contextOf(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<Context>;
}

const documentMethods = 'GET, HEAD, OPTIONS';

/**
 * Serves every operation as REST: queries with GET and their arguments as parameters, mutations with POST and their input
 * as the body. The response is the value of the one root field.
 */
export function createOperations({
  schema,
  execute,
  streams,
  readBody,
  maxKeys,
  contextOf,
}: OperationsOptions) {
  // Made at the first request, because most servers are asked for none.
  const operationsByPath = onDemand(async () => {
    await prepareOperations(schema);
    return new Map(readOperations(schema).map((each) => [`${operationsPath}/${each.path}`, each]));
  });

  const makeDocument = onDemand(async () => {
    await prepareOperations(schema);
    const { operationsDocument } = await import('./openapi/document.ts');
    return new StaticDocument(contentTypes.json, JSON.stringify(operationsDocument(schema, streams)));
  });

  async function answerDocument(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method === 'OPTIONS') return void res.writeHead(204, { Allow: documentMethods }).end();
    if (!isRead(req)) throw new MethodNotAllowedError(documentMethods);
    await sendDocument(req, res, await makeDocument(), 'no-cache');
  }

  /** The input of a change, in the body alone. */
  async function inputOf(
    operation: Operation,
    req: IncomingMessage,
    res: ServerResponse,
    { parameters, budget }: { parameters: URLSearchParams; budget: RequestBudget | undefined },
  ) {
    requireJson(req.headers);
    const input = jsonOf(await readBody(req, res), maxKeys, budget);
    const inAddress = [...new Set(parameters.keys())].map((name) => ({
      path: [name],
      message: 'Must be in the body',
    }));
    if (inAddress.length > 0) throw new InvalidInputError(inAddress);
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      throw new InvalidInputError([{ path: [], message: 'The body must be a JSON object' }]);
    return withIfMatch(operation, input as Record<string, unknown>, req.headers['if-match']);
  }

  async function answerStream(
    stream: StreamOperation,
    req: IncomingMessage,
    res: ServerResponse,
    facts: RequestFacts,
  ): Promise<void> {
    if (req.method === 'OPTIONS') return void res.writeHead(204, { Allow: documentMethods }).end();
    if (!isRead(req)) throw new MethodNotAllowedError(documentMethods);
    requireAcceptsLines(req);
    const context = await contextOf(req, res, facts);
    facts.operationName = stream.path;
    const given = argumentsOf(new URLSearchParams(queryOf(req)), stream.inputSchema);
    requireKnown({ name: stream.path, inputSchema: stream.inputSchema }, given);
    await sendLines(res, context, stream, given, req.method === 'HEAD');
  }

  return async (req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<void> => {
    const path = pathOf(req);
    if (path === operationsDocumentPath) return answerDocument(req, res);
    const stream = streams.find((each) => path === `${operationsPath}/${each.path}`);
    if (stream) return answerStream(stream, req, res, facts);
    const operation = (await operationsByPath()).get(path);
    if (!operation) throw new ApiError('NOT_FOUND', 'This path does not exist.');
    const { isChange } = operation;
    const allowed = isChange ? 'POST, OPTIONS' : documentMethods;
    if (req.method === 'OPTIONS') return void res.writeHead(204, { Allow: allowed }).end();
    if (isChange ? req.method !== 'POST' : !isRead(req)) throw new MethodNotAllowedError(allowed);
    if (!acceptsJson(req.headers.accept)) throw new NotAcceptableError('application/json');
    const context = await contextOf(req, res, facts);
    const parameters = new URLSearchParams(queryOf(req));
    try {
      const given = isChange
        ? await inputOf(operation, req, res, { parameters, budget: context.budget })
        : argumentsOf(parameters, operation.inputSchema);
      if (!isChange) requireFewKeys(given, maxKeys, context.budget);
      const result = await callOperation(execute, operation, given, context, res);
      const outcome = outcomeOf(operation, result);
      if (outcome.failure) throw errorOf(outcome.failure);
      const body = (await jsonInTurns(outcome.value, context.budget)) ?? JSON.stringify(outcome.value);
      const etag = isChange && entityTagIn(outcome.value);
      const explain = result.extensions?.explain;
      const next = operation.isPaged && nextOf(outcome.value);
      const headers = {
        'Content-Type': contentTypes.json,
        'Cache-Control': 'no-store',
        ...(etag && { ETag: etag }),
        ...(next && { Link: `<${nextAddress(path, parameters, next)}>; rel="next"` }),
        ...(explain !== undefined && {
          'Trellis-Explain': JSON.stringify({ ...explain, bytes: Buffer.byteLength(body) }),
        }),
        ...(outcome.warnings.length > 0 && { 'Trellis-Warning': warningsIn(outcome.warnings) }),
      };
      const sent = sendAnswer(res, { status: 200, headers, text: body }, context.budget);
      if (sent) await sent;
    } finally {
      await context.idempotency?.end();
    }
  };
}

const queryOf = ({ url = '' }: IncomingMessage) => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/** The end of the page, if there is another one. The list is at any depth, and the only one that has pages. */
function nextOf(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const { pageInfo } = value as { pageInfo?: { hasNextPage: boolean; endCursor: string | null } };
  if (pageInfo) return pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
  for (const each of Object.values(value)) {
    const next = nextOf(each);
    if (next !== undefined) return next;
  }
  return undefined;
}

function nextAddress(path: string, parameters: URLSearchParams, after: string): string {
  const next = new URLSearchParams(parameters);
  next.set('after', after);
  return `${path}?${next}`;
}

/** Headers have only ASCII, and proxies refuse long ones. */
const warningsIn = (warnings: readonly string[]) =>
  warnings
    .join('; ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 2_000);
