import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { routes, schema } from './api.ts';
import type { Context, Services } from './context.ts';
import { scopedTo } from './db/scoped.ts';
import { createAcceptedTokens } from './domain/access-token/accepted.ts';
import { touchAccessToken } from './domain/access-token/operations.ts';
import { actorWithin, tokenOf } from './domain/access-token/reads.ts';
import { serveStore, storePath } from './domain/app-store/publish/serve.ts';
import { graphiqlOptions } from './graphql/graphiql/examples.ts';
import { createGraphiql } from './graphql/graphiql/graphiql.ts';
import { graphqlTypes, negotiated } from './graphql/server/negotiation.ts';
import type { Executor } from './graphql/server/pipeline.ts';
import { sendGraphqlError } from './graphql/server/refusal.ts';
import { createGraphqlServer, type GraphqlPlugin, graphqlPath } from './graphql/server/server.ts';
import { acceptsJson } from './http/accept.ts';
import { createClientAddress } from './http/client-address.ts';
import { arrivalOptions, type Connections, superviseConnections } from './http/connections.ts';
import { type HttpLimits, httpLimits } from './http/http-limits.ts';
import { createLanding } from './http/landing.ts';
import { isJson } from './http/media-type.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { createRequestsUnderWay, type RequestsUnderWay } from './http/requests.ts';
import { transport } from './http/transport.ts';
import { createLoaders } from './kernel/batch.ts';
import { RequestBudget } from './kernel/budget.ts';
import {
  ApiError,
  MethodNotAllowedError,
  NotAcceptableError,
  UnauthenticatedError,
  UnavailableError,
} from './kernel/errors.ts';
import { defaultLimits, type Limits } from './kernel/limits.ts';
import { SharedMemory } from './kernel/memory.ts';
import { openapiPath } from './rest/openapi/document.ts';
import { sendProblem } from './rest/problem.ts';
import { restPath } from './rest/route.ts';
import { createRest } from './rest/router.ts';
import { answerUnreadable } from './rest/unreadable.ts';

export interface AppOptions {
  /** Whether the GraphiQL page is served. */
  graphiql: boolean;
  /** The maximum size of a request body, in bytes. */
  bodyLimitBytes: number;
  /** The origins whose pages may call this server from a browser. Defaults to none. */
  corsOrigins?: readonly string[];
  /** The limits that differ from the defaults. */
  limits?: Partial<Limits>;
  http?: Partial<HttpLimits>;
  /** Plugins of Yoga or Envelop, for tracing or persisted documents for example: they see every GraphQL request. */
  plugins?: readonly GraphqlPlugin[];
  /** The executor of GraphQL operations. */
  executor?: Executor;
}

/** The fields of the GraphQL operation in the request log. */
type OperationFacts = NonNullable<Context['requestLog']>;

/** A server with a graceful stop that also waits for work started by requests. */
export type App = Server & Connections & Pick<RequestsUnderWay, 'settled'>;

/** Creates the HTTP server for services that the caller has opened. It does not listen yet. */
export function createApp(services: Services, options: AppOptions): App {
  const { db, log } = services;
  const limits = { ...defaultLimits, ...options.limits };
  const http = { ...httpLimits, ...options.http };
  const answers = new SharedMemory(limits.answersBytes);
  const accepted = createAcceptedTokens(db, http.acceptedTokenMs);
  const graphql = createGraphqlServer(schema, { ...options, limits });
  const graphiql = options.graphiql ? createGraphiql(graphiqlOptions(graphqlPath)) : undefined;
  const landing = createLanding(options, { graphqlPath, restPath, openapiPath });

  const rest = createRest({
    routes,
    bodyLimitBytes: options.bodyLimitBytes,
    maxKeys: limits.keys,
    log,
    // The contract has no authentication scheme, so REST also accepts the token alone.
    contextOf: (req, res) => contextOf(req, res, true),
  });
  const probes = new Map([
    ['/healthz', async () => {}],
    ['/readyz', () => db.ping()],
  ]);
  const send = transport(options.corsOrigins ?? []);
  const requests = createRequestsUnderWay(http.maxRequests);
  const rates = createRateLimits(http);
  const addressOf = createClientAddress(http.trustProxy);

  /** Authenticates a request and creates its context. Throws UNAUTHENTICATED without an accepted token. */
  async function contextOf(req: IncomingMessage, res: ServerResponse, bare = false): Promise<Context> {
    const requestId = requestIdOf(res);
    const clientAddress = addressOf(req);
    const token = tokenOf(req.headers.authorization, bare);
    if (token === undefined) throw new UnauthenticatedError();
    const found = await accepted(token, () => rates.requireTrustworthy(clientAddress, res));
    if (!found) {
      await rates.countFailure(clientAddress);
      throw new UnauthenticatedError();
    }
    await rates.countRequest(found.row.id, res);
    touchAccessToken(services, found, clientAddress, http.tokenUseMs).catch((error) =>
      log.warn({ error, requestId }, 'last use of an access token was not recorded'),
    );
    const actorNow = async () => (await accepted(token))?.actor;
    const budget = new RequestBudget(limits, answers);
    res.once('close', () => budget.end(res.writableFinished));
    // The client may have disconnected during the token lookup.
    if (res.destroyed) budget.end(false);
    return {
      ...services,
      db: scopedTo(db, budget),
      actor: found.actor,
      actorNow,
      actorIn: (tx) => actorWithin(db, tx, found.row.id),
      requestId,
      clientAddress,
      budget,
      get signal() {
        return budget.signal;
      },
      loaders: createLoaders(),
    };
  }

  async function serveTemplates(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!isRead(req)) throw new MethodNotAllowedError('GET, HEAD');
    if (!acceptsJson(req.headers.accept)) throw new NotAcceptableError('application/json');
    // In the store protocol, the token has no scheme.
    const context = await contextOf(req, res, true);
    sendJson(res, 200, await serveStore(context, pathOf(req)));
  }

  async function serveGraphql(
    req: IncomingMessage,
    res: ServerResponse,
    facts: OperationFacts,
  ): Promise<void> {
    if (graphiql && wantsPage(req)) return graphiql.page(req, res);
    res.setHeader('Cache-Control', 'no-store');
    if (req.method !== 'GET' && req.method !== 'POST') throw new MethodNotAllowedError('GET, POST');
    const media = negotiated(req.headers.accept);
    if (!media) throw new NotAcceptableError(...graphqlTypes);
    // What executes and answers need not read it again, nor send it back.
    req.headers.accept = media.accept;
    const context = await contextOf(req, res);
    context.requestLog = facts;
    if (req.method === 'POST' && !isJson(req.headers['content-type'])) {
      throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
    }
    await graphql.handle(req, res, context);
  }

  async function route(req: IncomingMessage, res: ServerResponse, facts: OperationFacts): Promise<void> {
    const path = pathOf(req);
    if (path === graphqlPath) return serveGraphql(req, res, facts);
    if (path.startsWith(`${restPath}/`)) return rest(req, res);
    if (path.startsWith(storePath)) return serveTemplates(req, res);
    const probe = probes.get(path);
    const isAsset = graphiql && path.startsWith('/graphiql/');
    const isLanding = landing.serves(path);
    if ((probe || isAsset || isLanding) && !isRead(req)) throw new MethodNotAllowedError('GET, HEAD');
    if (probe) {
      const notReady = (error: unknown) =>
        log.error({ error, requestId: requestIdOf(res) }, 'readiness check failed');
      return answerProbe(res, probe, notReady);
    }
    if (isLanding) return landing.answer(req, res, path);
    if (isAsset && (await graphiql.asset(req, res))) return;
    throw new ApiError('NOT_FOUND', 'This path does not exist.');
  }

  /** Sends the error response for a request that failed outside its surface. */
  function fail(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    const requestId = requestIdOf(res);
    if (!(error instanceof ApiError)) log.error({ error, requestId }, 'request failed');
    else if (error.cause) log.warn({ error: error.cause, requestId }, 'request failed');
    if (res.headersSent) return void res.destroy();
    const told =
      error instanceof ApiError
        ? error
        : new ApiError(
            'INTERNAL',
            'An unexpected error occurred. The server log has details for the request id.',
          );
    if (pathOf(req) === graphqlPath) sendGraphqlError(req, res, told);
    else sendProblem(res, told);
  }

  // Otherwise, Node rejects requests without a Host header by itself, without a problem document.
  const server = createServer({ requireHostHeader: false, ...arrivalOptions(http) }, (req, res) => {
    const requestId = givenId(req) ?? randomUUID();
    req.url = originForm(req.url!);
    const clientAddress = addressOf(req);
    const started = process.hrtime.bigint();
    const facts: OperationFacts = {};
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.once('close', () => {
      const durationMs = Number(process.hrtime.bigint() - started) / 1e6;
      const { method } = req;
      const status = res.statusCode;
      log.info(
        { requestId, clientAddress, method, path: pathOf(req), status, durationMs, ...facts },
        'request',
      );
    });
    send(req, res, () => {
      const isCounted = probes.has(pathOf(req)) || requests.begin(res);
      if (isCounted) requests.run(() => route(req, res, facts).catch((error) => fail(req, res, error)));
      else fail(req, res, new UnavailableError('Too many requests are in progress. Try again later.'));
    });
  });
  answerUnreadable(server, (line) => log.info(line, 'request rejected'));
  const dropped = () => log.warn(`connection limit of ${http.maxConnections} reached`);
  const { stop } = superviseConnections(server, http, dropped);
  return Object.assign(server, { stop, settled: requests.settled });
}

/** The path of a request target, which proxies can send with scheme and host. @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2 */
const originForm = (target: string) =>
  /^https?:\/\//i.test(target) ? target.replace(/^[^:]+:\/\/[^/?]*\/?/, '/') : target;

const pathOf = (req: IncomingMessage) => req.url!.split('?', 1)[0]!;

const requestIdOf = (res: ServerResponse) => String(res.getHeader('x-request-id'));

/** The caller's request id, if valid. */
function givenId(req: IncomingMessage): string | undefined {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
}

const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

const wantsPage = (req: IncomingMessage) => isRead(req) && (req.headers.accept ?? '').includes('text/html');

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
