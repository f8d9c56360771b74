import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { type Context as Call, Hono } from 'hono';
import { etag } from 'hono/etag';
import { createMiddleware } from 'hono/factory';
import type { Context } from '../context.ts';
import type { IdempotentRequest, StoredAnswer } from '../db/idempotency/request.ts';
import { isPassing } from '../db/idempotency/request.ts';
import { acceptsJson } from '../http/accept.ts';
import { readBytes } from '../http/body.ts';
import { failureHeaders } from '../http/failure-headers.ts';
import { answerOnce } from '../http/idempotency.ts';
import { requireFewKeys } from '../http/keys.ts';
import { isJson } from '../http/media-type.ts';
import { ApiError, MethodNotAllowedError, NotAcceptableError } from '../kernel/errors.ts';
import { groupBy } from '../kernel/group.ts';
import type { Log } from '../kernel/log.ts';
import { noteError, type RequestFacts } from '../kernel/telemetry.ts';
import { invalid } from '../kernel/validate.ts';
import { givenOf, inBodyTerms, jsonOf, type Sent } from './input.ts';
import { createDocs } from './openapi/page.ts';
import { problem, problemOf, problemType } from './problem.ts';
import { type Given, type Route, restPath } from './route.ts';

export interface RestOptions {
  routes: readonly Route[];
  bodyLimitBytes: number;
  /** The most keys in a body, at all depths. */
  maxKeys: number;
  log: Log;
  /** Authenticates a request and creates its context. Throws UNAUTHENTICATED without an accepted token. */
  contextOf(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<Context>;
}

const jsonType = 'application/json; charset=utf-8';

interface Env {
  Bindings: HttpBindings & { facts: RequestFacts };
  Variables: { context: Context };
}

const requestIdOf = ({ env }: Call<Env>) => String(env.outgoing.getHeader('x-request-id'));

const answerOf = (text: string, status: number, headers: Record<string, string>) => {
  const length = String(Buffer.byteLength(text));
  return new Response(text, { status, headers: { ...headers, 'Content-Length': length } });
};

/** What a change tells beside its answer. */
interface Made {
  /** The entity tag of the changed object. */
  etag?: string | undefined;
}

/** Calls the operation of a route. */
function valueFor(route: Route, context: Context, sent: Sent, made: Made): Promise<unknown> {
  const given = givenOf(route, sent);
  const value = (
    route.change ? changeAndRun(route, context, given, made) : route.run(context, given, undefined)
  ).catch((error) => {
    throw inBodyTerms(error, route);
  });
  return context.budget ? context.budget.race(value) : value;
}

async function changeAndRun(route: Route, context: Context, given: Given, made: Made): Promise<unknown> {
  const change = () => route.change!(context, given);
  const { idempotency } = context;
  const changed = idempotency ? await idempotency.once('', change) : await change();
  made.etag = route.etag?.(changed);
  return route.run(context, given, changed);
}

function textOf(value: unknown, { budget }: Context): string {
  const text = JSON.stringify(value);
  budget?.requireText(Buffer.byteLength(text));
  return text;
}

/** The tag is weak, because it does not depend on the content encoding. The library would copy the response for it. */
const tagOf = (text: string) => `W/"${createHash('sha1').update(text).digest('hex')}"`;

const problemAnswer = (what: ReturnType<typeof problem>, headers: Record<string, string> = {}) =>
  answerOf(JSON.stringify(what), what.status, {
    'Content-Type': problemType,
    'Cache-Control': 'no-store',
    ...headers,
  });

/** Serves the routes below `/openapi/v1`, and NOT_FOUND for other paths. */
export function createRest({ routes, bodyLimitBytes, maxKeys, log, contextOf }: RestOptions) {
  const app = new Hono<Env>();

  const refused = (call: Call<Env>, error: ApiError) => {
    noteError(call.env.facts, error);
    return problemAnswer(problemOf(error, requestIdOf(call)), {
      ...failureHeaders(error),
      // The rest of the body was not read, so the connection cannot be reused.
      ...(error.code === 'PAYLOAD_TOO_LARGE' && { Connection: 'close' }),
    });
  };

  const requireAcceptable = createMiddleware<Env>(async ({ req }, next) => {
    if (!acceptsJson(req.header('accept'))) throw new NotAcceptableError('application/json');
    await next();
  });

  const authenticate = createMiddleware<Env>(async (call, next) => {
    const { incoming, outgoing, facts } = call.env;
    call.set('context', await contextOf(incoming, outgoing as ServerResponse, facts));
    await next();
  });

  const requireJson = createMiddleware<Env>(async ({ req }, next) => {
    const refuse = (message: string) => new ApiError('UNSUPPORTED_MEDIA_TYPE', message);
    if (!isJson(req.header('content-type'))) throw refuse('The body must be application/json.');
    // Compressed bodies are rejected, because a small body can decompress to a large one.
    if (!/^(identity)?$/i.test(req.header('content-encoding') ?? '')) {
      throw refuse('The body must not be compressed.');
    }
    await next();
  });

  const run = (route: Route) => async (call: Call<Env>) => {
    call.env.facts.operationName = route.operationId;
    const query = { ...call.req.queries(), ...namelessOf(call.req.url) };
    const body = route.body && jsonOf(await readBytes(call.env.incoming, bodyLimitBytes));
    requireFewKeys([query, body], maxKeys);
    const sent = {
      path: call.req.param(),
      query,
      body,
      ...(route.takesIfMatch && { ifMatch: call.req.header('if-match') }),
    };
    const context = call.get('context');
    if (route.change && context.idempotency) return runOnce(call, route, sent, context.idempotency);
    const made: Made = {};
    const text = textOf(await valueFor(route, context, sent, made), context);
    return answerOf(text, 200, {
      'Content-Type': jsonType,
      ...(route.method === 'get'
        ? { 'Cache-Control': 'private, no-cache', ETag: tagOf(text) }
        : { 'Cache-Control': 'no-store', ...(made.etag && { ETag: made.etag }) }),
    });
  };

  /** Runs a route that changes something, unless an earlier request with its Idempotency-Key has. */
  async function runOnce(call: Call<Env>, route: Route, sent: Sent, idempotency: IdempotentRequest) {
    const context = call.get('context');
    const make = async (): Promise<StoredAnswer> => {
      try {
        const made: Made = {};
        const body = textOf(await valueFor(route, context, sent, made), context);
        return { status: 200, mediaType: jsonType, body, ...made };
      } catch (error) {
        if (!(error instanceof ApiError) || isPassing(error.code)) throw error;
        noteError(call.env.facts, error);
        const body = JSON.stringify(problemOf(error, requestIdOf(call)));
        return { status: error.status, mediaType: problemType, body };
      }
    };
    try {
      await idempotency.begin({ operation: `${route.method} ${route.path}`, ...sent });
      const made = idempotency.stored ?? (await make());
      const answer = await answerOnce(call.env.outgoing as ServerResponse, idempotency, made);
      return answerOf(answer.body, answer.status, {
        'Content-Type': answer.mediaType,
        'Cache-Control': 'no-store',
        ...(answer.etag && { ETag: answer.etag }),
      });
    } finally {
      await idempotency.end();
    }
  }

  for (const [path, group] of groupBy(routes, (route) => route.path)) {
    const at = `${restPath}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    for (const route of group) {
      const checks = route.body ? [requireJson] : [];
      const conditions = route.method === 'get' ? [etag()] : [];
      app.on(
        route.method.toUpperCase(),
        at,
        requireAcceptable,
        authenticate,
        ...checks,
        ...conditions,
        run(route),
      );
    }
    const Allow = [...new Set(group.flatMap(({ method }) => (method === 'get' ? ['get', 'head'] : [method])))]
      .map((method) => method.toUpperCase())
      .concat('OPTIONS')
      .join(', ');
    app.options(at, () => new Response(null, { status: 204, headers: { Allow } }));
    app.all(at, (call) => refused(call, new MethodNotAllowedError(Allow)));
  }

  app.notFound((call) => refused(call, new ApiError('NOT_FOUND', 'This path does not exist.')));

  app.onError((error, call) => {
    const requestId = requestIdOf(call);
    if (error instanceof ApiError) {
      if (error.cause) log.warn({ error: error.cause, requestId }, 'request failed');
      return refused(call, error);
    }
    log.error({ error, requestId }, 'request failed');
    noteError(call.env.facts, { code: 'INTERNAL', limit: undefined });
    const detail = 'An unexpected error occurred. The server log has details for the request id.';
    return problemAnswer(problem('INTERNAL', detail, requestId));
  });

  const docs = createDocs(routes);
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
          const requestId = String(res.getHeader('x-request-id'));
          return problemAnswer(problemOf(invalid([], unusable), requestId));
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
