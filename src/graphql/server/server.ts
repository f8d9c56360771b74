import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  parse,
} from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { type ReadBody, textOf } from '../../http/body.ts';
import { httpLimits } from '../../http/http-limits.ts';
import { Streams } from '../../http/streams.ts';
import { defaultLimits, type Limits } from '../../kernel/limits.ts';
import { TrustedDocuments } from '../trusted/documents.ts';
import { type AllowedDocuments, trustedDocumentPlugins } from '../trusted/plugin.ts';
import { answerOf, sendResponse, sendResult } from './answer.ts';
import { createDocuments, type Documents } from './documents.ts';
import { explained } from './explained.ts';
import { lazyRequest } from './lazy-request.ts';
import { requireParsable } from './limits.ts';
import type { Negotiated } from './negotiation.ts';
import {
  asksForSubscription,
  documentIdIn,
  type Parameters,
  parametersInAddress,
  parametersInBody,
} from './parameters.ts';
import { type Executor, presentedResult, usePipeline } from './pipeline.ts';
import { serialized } from './serialized.ts';
import { EventStream } from './stream.ts';
import { StreamedDocuments } from './streamed-documents.ts';

export const graphqlPath = '/graphql';

/** A plugin of Yoga or Envelop. */
export type GraphqlPlugin = Plugin<Context>;

export interface GraphqlServerOptions {
  readBody: ReadBody;
  limits?: Limits;
  /** Plugins that see every request, after those of Trellis. */
  plugins?: readonly GraphqlPlugin[];
  executor?: Executor;
  documents?: Documents;
  /** The documents that requests can name. */
  trusted?: TrustedDocuments;
  allowedDocuments?: AllowedDocuments;
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
    readBody,
    limits = defaultLimits,
    plugins = [],
    executor = 'planned',
    documents = createDocuments(schema),
    trusted = new TrustedDocuments(),
    allowedDocuments = 'any',
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
    plugins: [
      ...trustedDocumentPlugins(trusted, allowedDocuments),
      usePipeline(documents, limits, executor),
      ...plugins,
    ],
  });
  const needsFetch = plugins.some(hooksIntoFetch);
  const streamed = new StreamedDocuments();

  /** The result of an operation. An error of `read`, which gives its parameters, is a result as well. */
  async function resultOf(
    read: () => Parameters,
    request: Request,
    context: Context,
  ): Promise<ExecutionResult> {
    try {
      const params = read() as GraphQLParams;
      const result = await yoga.getResultForParams({ params, request }, context);
      return explained(await presentedResult(result as ExecutionResult, context), context, limits);
    } catch (error) {
      const failed = await presentedResult({ errors: [error as GraphQLError] }, context);
      return explained(failed, context, limits);
    }
  }

  /** The document of a text, or undefined if it is none. Not validated: that takes long, and is done when it is executed. */
  function documentOf(text: string): DocumentNode | undefined {
    const entry = documents.find(text);
    if (entry) return entry;
    try {
      requireParsable(text, limits);
      return parse(text);
    } catch {
      return undefined;
    }
  }

  /** The parameters of a subscription. Undefined for other requests, and for unreadable ones, which are reported later. */
  function subscriptionOf(
    req: IncomingMessage,
    body: string | undefined,
    { budget }: Context,
  ): Parameters | undefined {
    if (!maySubscribe.test(body ?? req.url!)) return undefined;
    try {
      const params =
        body === undefined
          ? parametersInAddress(req.url!, limits.keys, budget)
          : parametersInBody(body, limits.keys, budget);
      const query = params.query ?? trusted.find(documentIdIn(params)!)?.text ?? '';
      return asksForSubscription({ ...params, query }, documentOf) ? params : undefined;
    } catch {
      return undefined;
    }
  }

  /** Reserves the memory of what a stream holds as long as it is open. Returns why it is refused, if there is none. */
  function keep(
    stream: EventStream,
    context: Context & { document?: DocumentNode },
  ): GraphQLError | undefined {
    try {
      stream.keep(streamed, context.document!);
      return undefined;
    } catch (error) {
      return error as GraphQLError;
    }
  }

  async function serveSubscription(
    { req, res, media }: { req: IncomingMessage; res: ServerResponse; media: Negotiated },
    params: Parameters,
    request: Request,
    context: Context,
  ): Promise<void> {
    const stream = new EventStream(req, res, context, streams);
    context.stream = stream;
    let result: Result = await resultOf(() => params, request, context);
    if (isStreamed(result)) {
      const refused = keep(stream, context);
      if (refused) {
        await result.return?.();
        result = await presentedResult({ errors: [refused] }, context);
      }
    }
    if (isStreamed(result)) {
      // Not awaited: a stream is no request in progress.
      stream
        .send(result, async (item) => {
          const result = await serialized(await presentedResult(item, context), context);
          const codes = result.errors?.map(({ extensions }) => extensions.code) ?? [];
          return { body: answerOf(result, 'application/json').body, codes };
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

  /** `media` is what was negotiated for the response. */
  async function handle(
    req: IncomingMessage,
    res: ServerResponse,
    media: Negotiated,
    context: Context,
  ): Promise<void> {
    const { idempotency } = context;
    if (!idempotency) return answer(req, res, media, context);
    await answer(req, res, media, context).finally(() => idempotency.end());
  }

  async function answer(
    req: IncomingMessage,
    res: ServerResponse,
    media: Negotiated,
    context: Context,
  ): Promise<void> {
    const isPost = req.method === 'POST';
    const url = `http://localhost${req.url}`;
    const bytes = isPost ? await readBody(req, res) : undefined;
    if (!isPost) context.budget?.countBody(req.url!.length);
    let body: string | undefined;
    try {
      body = bytes && textOf(bytes);
    } catch (error) {
      const fail = () => {
        throw error;
      };
      return sendResult(res, media.json, await resultOf(fail, new Request(url), context), context);
    }
    const requestInit = () => ({ method: req.method!, headers: headersOf(req.headers), body });
    const fullRequest = () => new Request(url, requestInit());
    const subscription = media.acceptsEvents ? subscriptionOf(req, body, context) : undefined;
    if (subscription) return serveSubscription({ req, res, media }, subscription, fullRequest(), context);
    if (body !== undefined && media.acceptsJson && !needsFetch) {
      const read = () => parametersInBody(body, limits.keys, context.budget);
      const result = await resultOf(read, lazyRequest(fullRequest), context);
      return sendResult(res, media.json, await serialized(result, context), context);
    }
    const response = await yoga.fetch(url, requestInit(), context);
    return sendResponse(res, response, context);
  }

  /** Executes an operation of another surface through the hooks of the plugins, except for those of the fetch layer. */
  function execute(params: Parameters, context: Context): Promise<ExecutionResult> {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    const request = () =>
      new Request(`http://localhost${graphqlPath}`, { ...init, body: JSON.stringify(params) });
    return resultOf(() => params, lazyRequest(request), context);
  }

  return { handle, execute };
}

type Result = ExecutionResult | AsyncIterableIterator<ExecutionResult>;
const isStreamed = (result: Result): result is AsyncIterableIterator<ExecutionResult> =>
  Symbol.asyncIterator in result;

/** The content of a request for a subscription: its text, or the id of a document. */
const maySubscribe = /\bsubscription\b|documentId|persistedQuery/;

const fetchHooks = ['onRequest', 'onResponse', 'onRequestParse', 'onResultProcess'] as const;
const fetchInstruments = ['request', 'requestParse', 'operation', 'resultProcess'] as const;

/** Whether a plugin has hooks that only Yoga's fetch layer calls. */
const hooksIntoFetch = (plugin: GraphqlPlugin) =>
  fetchHooks.some((name) => plugin[name]) || fetchInstruments.some((name) => plugin.instrumentation?.[name]);

const headersOf = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
