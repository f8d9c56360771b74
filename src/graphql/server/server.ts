import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  parse,
} from 'graphql';
import { createYoga, type Plugin, type YogaInitialContext } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { defaultLimits, type Limits } from '../../kernel/limits.ts';
import { planOf } from '../execute/plan.ts';
import { execute, executeByPlan } from '../execute/run.ts';
import { readBody } from './body.ts';
import { createDocuments } from './documents.ts';
import { presented } from './failures.ts';
import { requireParsable, requireWithinLimits } from './limits.ts';
import { type Parameters, parametersOf, plainParameters, requireOperation } from './parameters.ts';

export const graphqlPath = '/graphql';

type Documents = ReturnType<typeof createDocuments>;

/** `Accept` headers that are known; those known longest make room. */
const maxMediaTypes = 100;

/** Puts every error of a result into the words of this API, and refuses what asks for too much. */
function inOurWords(documents: Documents, limits: Limits): Plugin<Context> {
  const parsed = new WeakMap<Request, DocumentNode>();
  return {
    onRequestParse({ setRequestParser }) {
      setRequestParser((request) => parametersOf(request, limits.keys) as never);
    },
    onParse({ context, setParseFn }) {
      setParseFn((source, options) => {
        requireParsable(typeof source === 'string' ? source : source.body, limits);
        return parse(source, options);
      });
      const { request, params } = context as unknown as YogaInitialContext;
      return ({ result }) => {
        if (!result || !('kind' in result)) return;
        parsed.set(request, result as DocumentNode);
        requireOperation(result as DocumentNode, params.operationName);
      };
    },
    onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      const { query } = (args.contextValue as unknown as YogaInitialContext).params;
      if (query) documents.keep(query, args.document);
      const operation = getOperationAST(args.document, args.operationName);
      try {
        if (operation) requireWithinLimits(args.document, operation, args.variableValues ?? {}, limits);
        setExecuteFn(executeByPlan as never);
      } catch (error) {
        const context = args.contextValue as Context;
        setResultAndStopExecution({ errors: [presented(error, context)] });
      }
    },
    onResultProcess({ request, result, serverContext, setResult }) {
      const context = serverContext as unknown as Context;
      if (!result || !('errors' in result) || !result.errors?.length) return;
      const document = parsed.get(request);
      setResult({
        ...result,
        errors: result.errors.map((error) => presented(error, { ...context, document })),
      });
    },
  };
}

/**
 * The GraphQL endpoint: the caller has authenticated the request and made its context.
 *
 * Yoga speaks the protocol. A document that it has parsed, validated and found within the limits is kept, and
 * the next request that posts it is executed without the way through Yoga; whatever is not as usual about that
 * request (a wrong variable, another media type) goes Yoga's way all the same, and fails in its words.
 */
export function createGraphqlServer(
  schema: GraphQLSchema,
  bodyLimitBytes: number,
  limits: Limits = defaultLimits,
  documents = createDocuments(schema),
) {
  /** How Yoga has answered an `Accept` header before. */
  const mediaTypes = new Map<string, string>();
  const yoga = createYoga<Context>({
    schema,
    graphqlEndpoint: graphqlPath,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
    cors: false,
    logging: false,
    maskedErrors: false,
    parserAndValidationCache: false,
    plugins: [inOurWords(documents, limits)],
  });

  /** The result of a request that is as usual; nothing where Yoga has to look at it. */
  async function usual(text: string, context: Context): Promise<ExecutionResult | undefined> {
    const parameters = plainParameters(text, limits.keys);
    const document = parameters && documents.find(parameters.query);
    if (!document) return undefined;
    const prepared = prepare(schema, document, parameters, limits);
    if (!prepared) return undefined;
    const result = await execute(prepared.plan, { variables: prepared.variables, context });
    if (!result.errors) return result;
    return { ...result, errors: result.errors.map((error) => presented(error, { ...context, document })) };
  }

  async function post(req: IncomingMessage, res: ServerResponse, context: Context): Promise<void> {
    const body = await readBody(req, bodyLimitBytes);
    const { accept = '' } = req.headers;
    const mediaType = mediaTypes.get(accept);
    const result = mediaType && (await usual(body, context));
    if (result) return sendResult(res, mediaType, result, context);
    const { method, headers } = req;
    const request = { method: method!, headers: headersOf(headers), body };
    const response = await yoga.fetch(`http://localhost${req.url}`, request, context as never);
    const type = response.headers.get('content-type');
    if (isOneResult(type)) {
      mediaTypes.set(accept, type);
      if (mediaTypes.size > maxMediaTypes) mediaTypes.delete(mediaTypes.keys().next().value!);
    }
    const answered = [...response.headers].filter(([name]) => !lengths.has(name.toLowerCase()));
    const text = await response.text();
    context.budget?.requireText(Buffer.byteLength(text));
    send(res, response.status, Object.fromEntries(answered), text);
  }

  return {
    handle: async (req: IncomingMessage, res: ServerResponse, context: Context): Promise<void> => {
      if (req.method === 'POST') await post(req, res, context);
      else await yoga.handle(req, res, context as never);
    },
  };
}

/** What executing takes, unless something is wrong with the request. */
function prepare(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, variables: given }: Parameters,
  limits: Limits,
) {
  const operation = getOperationAST(document, operationName);
  if (!operation) return undefined;
  const definitions = operation.variableDefinitions ?? [];
  const { coerced: variables } = getVariableValues(schema, definitions, given ?? {}, { maxErrors: 1 });
  if (!variables) return undefined;
  try {
    requireWithinLimits(document, operation, given ?? {}, limits);
    return { plan: planOf(schema, document, operation, variables), variables };
  } catch (error) {
    if (error instanceof ApiError || error instanceof GraphQLError) return undefined;
    throw error;
  }
}

/** What tells how long an answer is, which is ours to say. */
const lengths = new Set(['content-length', 'transfer-encoding']);

/** A media type in which an answer is the result alone, and no stream of parts or events. */
const isOneResult = (type: string | null): type is string =>
  /^application\/(graphql-response\+)?json;/.test(type ?? '');

const headersOf = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

/** A result, in the status and with the headers that its errors ask for. */
function sendResult(res: ServerResponse, mediaType: string, result: ExecutionResult, context: Context): void {
  const headers: Record<string, string> = { 'Content-Type': mediaType };
  let status = 200;
  const errors = result.errors?.map((error) => {
    const { http, ...extensions } = error.extensions as { http?: { status: number; headers?: object } };
    if (!http) return error;
    status = http.status;
    Object.assign(headers, http.headers);
    return { ...error.toJSON(), extensions };
  });
  const text = JSON.stringify(errors ? { ...result, errors } : result);
  context.budget?.requireText(Buffer.byteLength(text));
  send(res, status, headers, text);
}

/** In one piece: each write to a socket costs as much as a good part of a request. */
function send(res: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
}
