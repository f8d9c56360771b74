import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createAcceptedTokens } from './access-token/accepted.ts';
import { touchAccessToken } from './access-token/operations.ts';
import { tokenOf } from './access-token/reads.ts';
import { routes, schema } from './api.ts';
import { serveStore, storePath } from './app-store/serve.ts';
import type { Context, Services } from './context.ts';
import { scopedTo } from './db/scoped.ts';
import { graphiqlOptions } from './graphql/examples.ts';
import { createGraphiql, type Graphiql } from './graphql/graphiql.ts';
import { createGraphqlServer, graphqlPath } from './graphql/server.ts';
import { createLoaders } from './kernel/batch.ts';
import { RequestBudget } from './kernel/budget.ts';
import { announceClose, countUnusedAsIdle } from './kernel/connections.ts';
import { ApiError, type ErrorCode, errorStatus } from './kernel/errors.ts';
import { defaultLimits, type Limits } from './kernel/limits.ts';
import { isJson } from './kernel/media-type.ts';
import { transport } from './kernel/transport.ts';
import { sendProblem } from './rest/problem.ts';
import { restPath } from './rest/route.ts';
import { createRest } from './rest/router.ts';
import { answerUnreadable } from './rest/unreadable.ts';

export interface AppOptions {
  /** Whether the GraphiQL page is served. */
  graphiql: boolean;
  /** The largest request body. */
  bodyLimitBytes: number;
  /** Whose pages may call this server from a browser; nobody's by default. */
  corsOrigins?: readonly string[];
  /** Those that differ from the defaults. */
  limits?: Partial<Limits>;
}

const unauthenticated = 'A valid access token is required.';

/** The HTTP surfaces over services that somebody else opened: it listens to nothing yet. */
export function createApp(services: Services, options: AppOptions): Server {
  const { db, log } = services;
  const limits = { ...defaultLimits, ...options.limits };
  const accepted = createAcceptedTokens(db);
  const graphql = createGraphqlServer(schema, options.bodyLimitBytes);
  const graphiql = options.graphiql ? createGraphiql(graphiqlOptions(graphqlPath)) : undefined;

  const rest = createRest({
    routes,
    bodyLimitBytes: options.bodyLimitBytes,
    log,
    // The contract names no scheme: the bare token is taken as well.
    contextOf: (req, res, requestId) => contextOf(req, res, requestId, true),
  });
  const send = transport(options.corsOrigins ?? []);

  /** Who asks, and what its request may use; nothing without a token that is accepted. */
  async function contextOf(
    req: IncomingMessage,
    res: ServerResponse,
    requestId: string,
    bare = false,
  ): Promise<Context | undefined> {
    const token = tokenOf(req.headers.authorization, bare);
    const found = token === undefined ? undefined : await accepted(token);
    if (!found) return undefined;
    touchAccessToken(services, found.row).catch((error) =>
      log.warn({ error, requestId }, 'access token not touched'),
    );
    const actorNow = async () => (await accepted(token!))?.actor;
    const budget = new RequestBudget(limits);
    res.once('close', () => budget.end(res.writableFinished));
    const { signal } = budget;
    return {
      ...services,
      db: scopedTo(db, signal),
      actor: found.actor,
      actorNow,
      requestId,
      signal,
      loaders: createLoaders(),
    };
  }

  async function serveTemplates(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      return sendProblem(res, 'METHOD_NOT_ALLOWED', 'This path takes GET and HEAD.', requestId, {
        Allow: 'GET, HEAD',
      });
    }
    // What a store is asked with is the bare token, without a scheme.
    const context = await contextOf(req, res, requestId, true);
    if (!context) {
      return sendProblem(res, 'UNAUTHENTICATED', unauthenticated, requestId, {
        'WWW-Authenticate': 'Bearer',
      });
    }
    try {
      sendJson(res, 200, await serveStore(context, req.url!.split('?', 1)[0]!));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      sendProblem(res, error.code, error.message, requestId);
    }
  }

  async function serveGraphql(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
    if (graphiql && wantsPage(req)) return graphiql.page(req, res);
    if (req.method !== 'GET' && req.method !== 'POST') {
      return sendError(res, 'METHOD_NOT_ALLOWED', 'GraphQL takes GET and POST.', requestId, {
        Allow: 'GET, POST',
      });
    }
    const context = await contextOf(req, res, requestId);
    if (!context) {
      return sendError(res, 'UNAUTHENTICATED', unauthenticated, requestId, { 'WWW-Authenticate': 'Bearer' });
    }
    if (req.method === 'POST' && !isJson(req.headers['content-type'])) {
      return sendError(res, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.', requestId);
    }
    try {
      await graphql.handle(req, res, context);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      sendError(res, error.code, error.message, requestId);
    }
  }

  async function route(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
    const path = req.url!.split('?', 1)[0]!;
    if (path === graphqlPath) return serveGraphql(req, res, requestId);
    if (path.startsWith(`${restPath}/`)) return rest(req, res);
    if (path.startsWith(storePath)) return serveTemplates(req, res, requestId);
    const probe = { '/healthz': async () => {}, '/readyz': () => db.ping() }[path];
    if (!probe && !(graphiql && path.startsWith('/graphiql/'))) {
      return sendProblem(res, 'NOT_FOUND', 'There is nothing at this path.', requestId);
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      const headers = { Allow: 'GET, HEAD' };
      return sendProblem(res, 'METHOD_NOT_ALLOWED', 'This path takes GET and HEAD.', requestId, headers);
    }
    if (probe) return answerProbe(res, probe, (error) => log.error({ error, requestId }, 'not ready'));
    if (!(await (graphiql as Graphiql).asset(req, res))) {
      sendProblem(res, 'NOT_FOUND', 'There is nothing at this path.', requestId);
    }
  }

  // Without it Node refuses by itself what has no Host, in words that are not ours.
  const server = createServer({ requireHostHeader: false }, (req, res) => {
    const requestId = requestIdOf(req);
    req.url = originForm(req.url!);
    const started = process.hrtime.bigint();
    res.setHeader('X-Request-Id', requestId);
    res.once('close', () => {
      const durationMs = Number(process.hrtime.bigint() - started) / 1e6;
      const { method } = req;
      const path = req.url?.split('?', 1)[0];
      log.info({ requestId, method, path, status: res.statusCode, durationMs }, 'request');
    });
    const answer = () =>
      route(req, res, requestId).catch((error) => {
        log.error({ error, requestId }, 'request failed');
        const fail = req.url?.split('?', 1)[0] === graphqlPath ? sendError : sendProblem;
        if (res.headersSent) res.destroy();
        else fail(res, 'INTERNAL', 'Something went wrong. The request id finds it in the log.', requestId);
      });
    send(req, res, answer);
  });
  answerUnreadable(server, (line) => log.info(line, 'request refused'));
  return announceClose(countUnusedAsIdle(server));
}

/** A request target as a path: proxies may send it with scheme and host. @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2 */
const originForm = (target: string) =>
  /^https?:\/\//i.test(target) ? target.replace(/^[^:]+:\/\/[^/?]*\/?/, '/') : target;

/** The caller's own id when it is sane, else a new one. */
function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

const wantsPage = (req: IncomingMessage) =>
  (req.method === 'GET' || req.method === 'HEAD') && (req.headers.accept ?? '').includes('text/html');

/** A failure of the GraphQL endpoint before there is anything to execute, in the form of a GraphQL result. */
function sendError(
  res: ServerResponse,
  code: ErrorCode,
  message: string,
  requestId: string,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify({ errors: [{ message, extensions: { code, requestId } }] });
  res.writeHead(errorStatus[code], {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    // The body of a refused request was not read: the connection cannot be used again.
    ...(code !== 'UNAUTHENTICATED' && { Connection: 'close' }),
    ...headers,
  });
  res.end(body);
}

async function answerProbe(
  res: ServerResponse,
  probe: () => Promise<void>,
  failed: (error: unknown) => void,
) {
  let status = 200;
  try {
    await probe();
  } catch (error) {
    status = 503;
    failed(error);
  }
  sendJson(res, status, { status: status === 200 ? 'ok' : 'unavailable' });
}

function sendJson(res: ServerResponse, status: number, value: object): void {
  const body = JSON.stringify(value);
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  res.end(body);
}
