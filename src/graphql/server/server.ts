import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql';
import {
  createYoga,
  type FetchAPI,
  type GraphQLParams,
  type Plugin,
  processRegularResult,
} from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { httpLimits } from '../../http/http-limits.ts';
import { answerOnce, headersOfAnswer } from '../../http/idempotency.ts';
import { Streams } from '../../http/streams.ts';
import { defaultLimits, type Limits } from '../../kernel/limits.ts';
import { readBody } from './body.ts';
import { createDocuments, type Documents } from './documents.ts';
import { lazyRequest } from './lazy-request.ts';
import { requireParsable } from './limits.ts';
import { type Negotiated, negotiated } from './negotiation.ts';
import {
  asksForSubscription,
  inAddress,
  type Parameters,
  parametersOf,
  plainParameters,
} from './parameters.ts';
import { type Executor, presentedResult, usePipeline } from './pipeline.ts';
import { EventStream } from './stream.ts';

export const graphqlPath = '/graphql';

/** A plugin of Yoga or Envelop. */
export type GraphqlPlugin = Plugin<Context>;

export interface GraphqlServerOptions {
  /** The maximum size of a request body, in bytes. */
  bodyLimitBytes: number;
  limits?: Limits;
  /** Plugins that see every request, after those of Trellis. */
  plugins?: readonly GraphqlPlugin[];
  executor?: Executor;
  documents?: Documents;
  /** The open subscriptions. */
  streams?: Streams;
}

/**
 * The GraphQL endpoint: the caller has authenticated the request and made its context.
 *
 * Every request runs through the hooks of Yoga's plugins. Yoga's fetch layer, which makes a Request and a Response,
 * takes longer than executing a small query, so POST requests with a single JSON response bypass it.
 */
export function createGraphqlServer(
  schema: GraphQLSchema,
  {
    bodyLimitBytes,
    limits = defaultLimits,
    plugins = [],
    executor = 'planned',
    documents = createDocuments(schema),
    streams = new Streams(httpLimits),
  }: GraphqlServerOptions,
) {
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
    plugins: [usePipeline(documents, limits, executor), ...plugins],
  });
  const needsFetch = plugins.some(hooksIntoFetch);

  async function resultOf(params: Parameters, request: Request, context: Context): Promise<ExecutionResult> {
    try {
      const result = await yoga.getResultForParams({ params: params as GraphQLParams, request }, context);
      return presentedResult(result as ExecutionResult, context);
    } catch (error) {
      return presentedResult({ errors: [error as GraphQLError] }, context);
    }
  }

  /** The document of a text, or undefined if it is not valid, which is reported when it is executed. */
  function documentOf(text: string): DocumentNode | undefined {
    const known = documents.find(text);
    if (known) return known;
    try {
      requireParsable(text, limits);
      const document = parse(text);
      if (validate(schema, document).length > 0) return undefined;
      documents.keep(text, document);
      return document;
    } catch {
      return undefined;
    }
  }

  /** The parameters of a subscription; undefined for other requests. */
  async function subscriptionOf(req: IncomingMessage, body: string | undefined, request: () => Request) {
    if (body !== undefined) {
      const params = /\bsubscription\b/.test(body) ? plainParameters(body, limits.keys) : undefined;
      return params && asksForSubscription(params, documentOf) ? params : undefined;
    }
    if (!/\bsubscription\b/.test(req.url!)) return undefined;
    if (!asksForSubscription(addressOf(req.url!), documentOf)) return undefined;
    return (await parametersOf(request(), limits.keys)) as unknown as Parameters;
  }

  async function serveSubscription(
    { req, res, media }: { req: IncomingMessage; res: ServerResponse; media: Negotiated },
    params: Parameters,
    request: Request,
    context: Context,
  ): Promise<void> {
    const stream = new EventStream(req, res, context, streams);
    context.stream = stream;
    const result: ExecutionResult | AsyncIterable<ExecutionResult> = await resultOf(params, request, context);
    if (Symbol.asyncIterator in result) {
      // Not awaited: a stream is no request in progress.
      stream
        .send(result as AsyncIterable<ExecutionResult>, (item) => {
          const told = presentedResult(item, context);
          const codes = told.errors?.map(({ extensions }) => extensions.code) ?? [];
          return { body: answerOf(told, 'application/json').body, codes };
        })
        .catch((error) => {
          context.log.error({ error, requestId: context.requestId }, 'subscription failed');
          res.destroy();
        });
      return;
    }
    stream.leave();
    const { status } = answerOf(result, 'application/graphql-response+json');
    if (status !== 200 && media.acceptsJson) return sendResult(res, media.json, result, context);
    stream.sendOne(status, answerOf(result, media.json).body);
  }

  async function handle(req: IncomingMessage, res: ServerResponse, context: Context): Promise<void> {
    const { idempotency } = context;
    if (!idempotency) return answer(req, res, context);
    await answer(req, res, context).finally(() => idempotency.end());
  }

  async function answer(req: IncomingMessage, res: ServerResponse, context: Context): Promise<void> {
    const isPost = req.method === 'POST';
    const body = isPost ? await readBody(req, bodyLimitBytes) : undefined;
    const requestInit = () => ({ method: req.method!, headers: headersOf(req.headers), body });
    const url = `http://localhost${req.url}`;
    const media = negotiated(req.headers.accept);
    const fullRequest = () => new Request(url, requestInit());
    if (media?.acceptsEvents) {
      const asked = await subscriptionOf(req, body, fullRequest);
      if (asked) return serveSubscription({ req, res, media }, asked, fullRequest(), context);
    }
    const isDirect = body !== undefined && media?.acceptsJson && !needsFetch;
    const params = isDirect ? plainParameters(body, limits.keys) : undefined;
    if (media && params) {
      const request = lazyRequest(fullRequest);
      return sendResult(res, media.json, await resultOf(params, request, context), context);
    }
    const response = await yoga.fetch(url, requestInit(), context);
    const answered = [...response.headers].filter(([name]) => !lengths.has(name.toLowerCase()));
    return send(res, response.status, Object.fromEntries(answered), await response.text(), context);
  }

  /** Executes an operation of another surface through the hooks of the plugins, except for those of the fetch layer. */
  function execute(params: Parameters, context: Context): Promise<ExecutionResult> {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    const request = () =>
      new Request(`http://localhost${graphqlPath}`, { ...init, body: JSON.stringify(params) });
    return resultOf(params, lazyRequest(request), context);
  }

  return { handle, execute };
}

/** The parameters in an address, or none if they are invalid, which is reported elsewhere. */
function addressOf(url: string): Record<string, unknown> {
  try {
    return inAddress(url);
  } catch {
    return {};
  }
}

const fetchHooks = ['onRequest', 'onResponse', 'onRequestParse', 'onResultProcess'] as const;
const fetchInstruments = ['request', 'requestParse', 'operation', 'resultProcess'] as const;

/** Whether a plugin has hooks that only Yoga's fetch layer calls. */
const hooksIntoFetch = (plugin: GraphqlPlugin) =>
  fetchHooks.some((name) => plugin[name]) || fetchInstruments.some((name) => plugin.instrumentation?.[name]);

/** Headers that `send` sets itself. */
const lengths = new Set(['content-length', 'transfer-encoding']);

const headersOf = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

/** Receives Yoga's response, instead of a fetch Response. */
class Answer {
  readonly body: string;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(body: string, { status, headers }: { status: number; headers: Record<string, string> }) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}
/** Yoga asks for all of fetch, but only creates the Response. */
const answers = { Response: Answer } as unknown as FetchAPI;

const answerOf = (result: ExecutionResult, mediaType: string) =>
  processRegularResult(result, answers, mediaType) as unknown as Answer;

function sendResult(
  res: ServerResponse,
  mediaType: string,
  result: ExecutionResult,
  context: Context,
): void | Promise<void> {
  const { body, status, headers } = answerOf(result, mediaType);
  return send(res, status, headers, body, context);
}

/** Sends the response, with an Idempotency-Key after it was stored. */
function send(
  res: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: string,
  { budget, idempotency }: Context,
): void | Promise<void> {
  const length = Buffer.byteLength(body);
  budget?.requireText(length);
  if (!idempotency?.hasBegun) return write(res, status, { ...headers, 'Content-Length': length }, body);
  return answerOnce(res, idempotency, { status, mediaType: mediaTypeIn(headers), body }).then((answer) =>
    write(res, answer.status, headersOfAnswer(answer), answer.body),
  );
}

const mediaTypeIn = (headers: Record<string, string>) =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';

/** Sends the response in one write, because each write to a socket is expensive. */
function write(res: ServerResponse, status: number, headers: OutgoingHttpHeaders, body: string): void {
  res.writeHead(status, headers);
  res.end(body);
}
