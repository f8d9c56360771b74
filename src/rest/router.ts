import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context as Call, Hono } from 'hono';
import type { Context } from '../context.ts';
import { acceptsJson } from '../http/accept.ts';
import { jsonOf, type ReadBody } from '../http/body.ts';
import { failureHeaders } from '../http/failure-headers.ts';
import { answerOnce } from '../http/idempotency.ts';
import { requireFewKeys } from '../http/keys.ts';
import { jsonInTurns, requireTextInTurns, sendAnswer, sha1InTurns } from '../http/large-answer.ts';
import { requireJson } from '../http/media-type.ts';
import { makeChange } from '../http/refused-change.ts';
import { requestIdOf } from '../http/request.ts';
import { sendText } from '../http/send.ts';
import type { StoredAnswer } from '../idempotency/held-keys.ts';
import { isPassing } from '../idempotency/outcomes.ts';
import type { IdempotentRequest } from '../idempotency/request.ts';
import { ApiError, MethodNotAllowedError, NotAcceptableError } from '../kernel/errors.ts';
import { groupBy } from '../kernel/group.ts';
import type { Log } from '../kernel/log.ts';
import { noteError, type RequestFacts } from '../kernel/telemetry.ts';
import { invalid } from '../kernel/validate.ts';
import { givenOf, inBodyTerms, type Sent } from './input.ts';
import { createDocs, type ShownDocument } from './openapi/page.ts';
import { problem, problemOf, problemType } from './problem.ts';
import { type Given, type Route, restPath } from './route.ts';

export interface RestOptions {
  routes: readonly Route[];
  readBody: ReadBody;
  /** The most keys in a body, at all depths. */
  maxKeys: number;
  log: Log;
  /** The documents on the page of the documentation, beside that of the contract. */
  documents: readonly ShownDocument[];
  /** Authenticates a request and creates its context. Throws UNAUTHENTICATED without an accepted token. */
  contextOf(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<Context>;
}

const jsonType = 'application/json; charset=utf-8';

interface Env {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse; facts: RequestFacts };
}

/** Sends the answer itself: the library would first make a Response of it, and read that again. */
function answer(
  res: ServerResponse,
  status: number,
  headers: Record<string, string>,
  text: string,
): Response {
  sendText(res, status, headers, text);
  return RESPONSE_ALREADY_SENT;
}

/** Sends the answer, a long one in turns with others. Throws before it is sent if it has too many bytes. */
function answerInTurns(
  res: ServerResponse,
  status: number,
  headers: Record<string, string>,
  text: string,
  budget: Context['budget'],
): Response | Promise<Response> {
  const sent = sendAnswer(res, { status, headers, text }, budget);
  return sent ? sent.then(() => RESPONSE_ALREADY_SENT) : RESPONSE_ALREADY_SENT;
}

function answerProblem(
  res: ServerResponse,
  what: ReturnType<typeof problem>,
  headers: Record<string, string> = {},
): Response {
  const defaults = { 'Content-Type': problemType, 'Cache-Control': 'no-store' };
  return answer(res, what.status, { ...defaults, ...headers }, JSON.stringify(what));
}

/** The result of a change, in addition to its response. */
interface Made {
  /** The entity tag of the changed object. */
  etag?: string | undefined;
}

const headersOf = (mediaType: string, { etag }: Made) => ({
  'Content-Type': mediaType,
  'Cache-Control': 'no-store',
  ...(etag && { ETag: etag }),
});

/** Calls the operation of a route. */
function valueFor(route: Route, context: Context, sent: Sent, made: Made): Promise<unknown> {
  const input = givenOf(route, sent);
  const value = (
    route.change ? changeAndRun(route, context, input, made) : route.run(context, input, undefined)
  ).catch((error) => {
    throw inBodyTerms(error, route);
  });
  return context.budget ? context.budget.race(value) : value;
}

async function changeAndRun(route: Route, context: Context, given: Given, made: Made): Promise<unknown> {
  const change = () => makeChange(context, { name: route.operationId }, () => route.change!(context, given));
  const { idempotency } = context;
  const changed = idempotency ? await idempotency.once('', context, change) : await change();
  made.etag = route.etag?.(changed);
  return route.run(context, given, changed);
}

async function textOf(value: unknown, { budget }: Context): Promise<string> {
  const text = (await jsonInTurns(value, budget)) ?? JSON.stringify(value);
  const counted = requireTextInTurns(text, budget);
  if (counted) await counted;
  return text;
}

/** Answers a read, or with 304 if the client has the answer. Its tag is weak: it does not depend on the content encoding. */
function answerRead(
  { incoming, outgoing }: Env['Bindings'],
  text: string,
  { budget }: Context,
): Response | Promise<Response> {
  const answerTagged = (sha1: string) => {
    const tag = `"${sha1}"`;
    const headers = { 'Cache-Control': 'private, no-cache', ETag: `W/${tag}` };
    const etags = incoming.headers['if-none-match'];
    if (etags === '*' || etags?.match(/"[^"]*"/g)?.includes(tag)) {
      outgoing.writeHead(304, headers).end();
      return RESPONSE_ALREADY_SENT;
    }
    return answerInTurns(outgoing, 200, { 'Content-Type': jsonType, ...headers }, text, budget);
  };
  const sha1 = sha1InTurns(text, budget);
  return typeof sha1 === 'string' ? answerTagged(sha1) : sha1.then(answerTagged);
}

/** Serves the routes below `/openapi/v1`, and NOT_FOUND for other paths. */
export function createRest({ routes, readBody, maxKeys, log, documents, contextOf }: RestOptions) {
  const app = new Hono<Env>();

  const refused = ({ env }: Call<Env>, error: ApiError) => {
    noteError(env.facts, error);
    return answerProblem(env.outgoing, problemOf(error, requestIdOf(env.outgoing)), {
      ...failureHeaders(error),
      // The rest of the body was not read, so the connection cannot be reused.
      ...(error.code === 'PAYLOAD_TOO_LARGE' && { Connection: 'close' }),
    });
  };

  const run = (route: Route) => async (call: Call<Env>) => {
    const { incoming, outgoing, facts } = call.env;
    if (!acceptsJson(incoming.headers.accept)) throw new NotAcceptableError('application/json');
    const context = await contextOf(incoming, outgoing, facts);
    if (route.body) requireJson(incoming.headers);
    facts.operationName = route.operationId;
    const query = { ...call.req.queries(), ...namelessOf(call.req.url) };
    const body = route.body && jsonOf(await readBody(incoming, outgoing), maxKeys, context.budget);
    requireFewKeys(query, maxKeys, context.budget);
    const sent = {
      path: call.req.param(),
      query,
      body,
      ...(route.takesIfMatch && { ifMatch: incoming.headers['if-match'] }),
    };
    if (route.change && context.idempotency) {
      return runOnce(call.env, route, sent, context, context.idempotency);
    }
    const made: Made = {};
    const text = await textOf(await valueFor(route, context, sent, made), context);
    if (route.method === 'get') return answerRead(call.env, text, context);
    return answerInTurns(outgoing, 200, headersOf(jsonType, made), text, context.budget);
  };

  /** Runs a route that changes something, unless an earlier request with its Idempotency-Key has. */
  async function runOnce(
    { outgoing, facts }: Env['Bindings'],
    route: Route,
    sent: Sent,
    context: Context,
    idempotency: IdempotentRequest,
  ) {
    const make = async (): Promise<StoredAnswer> => {
      try {
        const made: Made = {};
        const body = await textOf(await valueFor(route, context, sent, made), context);
        return { status: 200, mediaType: jsonType, body, ...made };
      } catch (error) {
        if (!(error instanceof ApiError) || isPassing(error.code)) throw error;
        noteError(facts, error);
        const body = JSON.stringify(problemOf(error, requestIdOf(outgoing)));
        return { status: error.status, mediaType: problemType, body };
      }
    };
    try {
      await idempotency.begin({ operation: `${route.method} ${route.path}`, ...sent });
      const made = idempotency.stored ?? (await make());
      const stored = await answerOnce(outgoing, idempotency, made);
      const { status, mediaType, body } = stored;
      // A stored response was within the limit when it was made.
      const budget = idempotency.stored ? undefined : context.budget;
      return await answerInTurns(outgoing, status, headersOf(mediaType, stored), body, budget);
    } finally {
      await idempotency.end();
    }
  }

  for (const [path, group] of groupBy(routes, (route) => route.path)) {
    const at = `${restPath}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    for (const route of group) app.on(route.method.toUpperCase(), at, run(route));
    const Allow = [...new Set(group.flatMap(({ method }) => (method === 'get' ? ['get', 'head'] : [method])))]
      .map((method) => method.toUpperCase())
      .concat('OPTIONS')
      .join(', ');
    app.options(at, () => new Response(null, { status: 204, headers: { Allow } }));
    app.all(at, (call) => refused(call, new MethodNotAllowedError(Allow)));
  }

  app.notFound((call) => refused(call, new ApiError('NOT_FOUND', 'This path does not exist.')));

  app.onError((error, call) => {
    const { outgoing, facts } = call.env;
    const requestId = requestIdOf(outgoing);
    if (error instanceof ApiError) {
      if (error.cause) log.warn({ error: error.cause, requestId }, 'request failed');
      return refused(call, error);
    }
    log.error({ error, requestId }, 'request failed');
    noteError(facts, { code: 'INTERNAL', limit: undefined });
    const detail = 'An unexpected error occurred. The server log has details for the request id.';
    return answerProblem(outgoing, problem('INTERNAL', detail, requestId));
  });

  const docs = createDocs(routes, documents);
  const unusable = 'Invalid URL or Host header';
  return async (req: IncomingMessage, res: ServerResponse, facts: RequestFacts) => {
    if (await docs(req, res)) return;
    const listener = getRequestListener(
      (request, env) => app.fetch(request, { ...(env as HttpBindings), facts }),
      {
        overrideGlobalObjects: false,
        // HTTP/1.0 requests can omit the Host header, and the host does not matter here.
        hostname: 'localhost',
        errorHandler(error) {
          if (!(error instanceof RequestError)) throw error;
          return answerProblem(res, problemOf(invalid([], unusable), requestIdOf(res)));
        },
      },
    );
    await listener(req, res);
  };
}

/** Query parameters without a name, which the library drops. */
function namelessOf(url: string): { ''?: string[] } {
  if (!/[?&]=/.test(url)) return {};
  return { '': new URL(url).searchParams.getAll('') };
}
