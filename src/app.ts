import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { routes, schema } from './api.ts';
import type { Services } from './context.ts';
import { accessTokens, sessions } from './credentials.ts';
import { transactionOptions } from './db/database.ts';
import { forgetChangedTemplates } from './domain/app-store/offered-reads.ts';
import { serveStore, storePath } from './domain/app-store/publish/serve-rest.ts';
import { deployHooksPath } from './domain/deploy-hook/path-model.ts';
import { createDeployHooks } from './domain/deploy-hook/serve-rest.ts';
import { createRecordKeys, recordKeysPath } from './domain/event/export/keys-rest.ts';
import { createEventExport } from './domain/event/export/rest.ts';
import { manifestSchema } from './domain/manifest/schema-model.ts';
import { type SessionSettings, sessionDefaults } from './domain/session/model.ts';
import { sessionUses } from './domain/session/sign-in-operations.ts';
import { createTokenExchange } from './domain/trust/exchange-operations.ts';
import { graphiqlOptions } from './graphql/graphiql/examples.ts';
import { createGraphiql } from './graphql/graphiql/graphiql.ts';
import { createDocumentCheck } from './graphql/server/document-check.ts';
import { explainHeader } from './graphql/server/explained.ts';
import { graphqlTypes, negotiated } from './graphql/server/negotiation.ts';
import type { Executor } from './graphql/server/pipeline.ts';
import { sendGraphqlError } from './graphql/server/refusal.ts';
import { createGraphqlServer, type GraphqlPlugin, graphqlPath } from './graphql/server/server.ts';
import { type TrustedDocument, TrustedDocuments } from './graphql/trusted/documents.ts';
import type { AllowedDocuments } from './graphql/trusted/plugin.ts';
import { acceptsJson } from './http/accept.ts';
import { backchannelLogoutPath } from './http/auth/backchannel-logout.ts';
import { createSessionCookie } from './http/auth/cookies.ts';
import { createPublicAddress, requireOwnPage, requireVisit } from './http/auth/origin.ts';
import { authPath, createSignIn } from './http/auth/sign-in.ts';
import { createTokenEndpoint, sendTokenError, tokenPath } from './http/auth/token.ts';
import { createAcceptance, createAuthentication } from './http/authentication.ts';
import { createClientAddress } from './http/client-address.ts';
import { arrivalOptions, type Connections, isStream, superviseConnections } from './http/connections.ts';
import { consoleDocuments, createConsole } from './http/console.ts';
import { type HttpLimits, httpLimits } from './http/http-limits.ts';
import { createLanding } from './http/landing.ts';
import { logRequest } from './http/log-request.ts';
import { requireJson } from './http/media-type.ts';
import { createProbes } from './http/probes.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { isRead, originForm, pathOf, requestIdFor, requestIdOf, shownPathOf } from './http/request.ts';
import { createRequestsUnderWay, type RequestsUnderWay } from './http/requests.ts';
import { sendJson } from './http/send.ts';
import { Streams } from './http/streams.ts';
import { transport } from './http/transport.ts';
import type { IdempotencySettings } from './idempotency/held-keys.ts';
import { Idempotency } from './idempotency/idempotency.ts';
import { ApiError, MethodNotAllowedError, NotAcceptableError } from './kernel/errors.ts';
import { Explain } from './kernel/explain.ts';
import { limitValues } from './kernel/limit-values.ts';
import { defaultLimits, type Limits } from './kernel/limits.ts';
import { SharedMemory } from './kernel/memory.ts';
import { RequestStatements } from './kernel/statements.ts';
import { type EndedRequest, noteError, type RequestFacts, type Surface } from './kernel/telemetry.ts';
import { createDocuments } from './mcp/documents.ts';
import { createMcp, mcpPath, sendMcpError } from './mcp/endpoint.ts';
import { createOperations, operationsDocumentPath } from './operations/endpoint.ts';
import { operationDocuments, operationsPath } from './operations/operation.ts';
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
  /** The origin at which browsers reach this server. Without it, users can only sign in on this computer. */
  publicUrl?: string | undefined;
  /** How long sessions last, where it differs from the defaults. */
  sessions?: Partial<SessionSettings>;
  /** The limits that differ from the defaults. */
  limits?: Partial<Limits>;
  http?: Partial<HttpLimits>;
  idempotency?: Partial<IdempotencySettings>;
  /** Plugins of Yoga or Envelop, for tracing or persisted documents for example: they see every GraphQL request. */
  plugins?: readonly GraphqlPlugin[];
  /** Requests that take longer are logged with their statements. 0, the default, logs none. */
  slowRequestMs?: number;
  /** The executor of GraphQL operations. */
  executor?: Executor;
  /** The documents that requests can name, in addition to the operations. */
  trustedDocuments?: readonly TrustedDocument[];
  /** Whether any GraphQL document is executed, which is the default, or only trusted ones. */
  allowedDocuments?: AllowedDocuments;
}

/** A server with a graceful stop that also waits for work started by requests. */
export type App = Server & Connections & Pick<RequestsUnderWay, 'settled'>;

/** Creates the HTTP server for services that the caller has opened. It does not listen yet. */
export function createApp(services: Services, options: AppOptions): App {
  const { db, log, telemetry } = services;
  const limits = { ...defaultLimits, ...options.limits };
  const http = { ...httpLimits, ...options.http };
  const { slowRequestMs = 0 } = options;
  const rates = createRateLimits(http);
  const idempotency = new Idempotency(services, {
    holdMs: limits.requestTimeoutMs + transactionOptions.timeout,
    ...options.idempotency,
  });
  const addressOf = createClientAddress(http.trustProxy);
  const requests = createRequestsUnderWay({ ...http, bodyLimitBytes: options.bodyLimitBytes });
  const corsOrigins = options.corsOrigins ?? [];
  const sessionSettings = { ...sessionDefaults, ...options.sessions };
  const publicAddress = createPublicAddress(options.publicUrl);
  const cookie = createSessionCookie(publicAddress.isSecure, sessionSettings.maxMs);
  const accept = createAcceptance(services, {
    limits,
    limitValues: limitValues({
      limits,
      http,
      idempotency: idempotency.settings,
      bodyLimitBytes: options.bodyLimitBytes,
    }),
    checkDocument: createDocumentCheck(schema, limits),
    memory: new SharedMemory(limits.answersBytes),
    rates,
    admit: requests.admit,
    chargeBody: requests.chargeBody,
    idempotency,
    addressOf,
    originFor: publicAddress.originFor,
  });
  const contextOf = createAuthentication(accept, {
    tokens: accessTokens(services, http),
    sessions: sessions(
      services,
      http,
      { cookie, requireOwnPage: (req) => requireOwnPage(req, publicAddress, corsOrigins) },
      sessionSettings,
    ),
  });
  const streams = new Streams(http, requests.release);
  telemetry?.watchSubscriptions?.(() => streams.size);
  const trusted = new TrustedDocuments(
    consoleDocuments,
    () => operationDocuments(schema),
    () => options.trustedDocuments ?? [],
  );
  const graphql = createGraphqlServer(schema, {
    ...options,
    readBody: requests.readBody,
    limits,
    streams,
    trusted,
  });
  const graphiql = options.graphiql ? createGraphiql(graphiqlOptions(graphqlPath)) : undefined;
  const pages = createConsole(options.graphiql ? graphqlPath : undefined);
  const landing = createLanding({ graphqlPath, restPath, openapiPath, mcpPath });

  const rest = createRest({
    routes,
    readBody: requests.readBody,
    maxKeys: limits.keys,
    log,
    documents: [{ name: 'operations', title: 'All operations', url: operationsDocumentPath }],
    // The contract has no authentication scheme, so REST also accepts the token alone.
    contextOf: (req, res, facts) => contextOf(req, res, facts, true),
  });
  const operations = createOperations({
    schema,
    execute: graphql.execute,
    streams: [createEventExport(services)],
    readBody: requests.readBody,
    maxKeys: limits.keys,
    contextOf,
  });
  const mcp = createMcp({
    schema,
    execute: graphql.execute,
    readBody: requests.readBody,
    maxKeys: limits.keys,
    corsOrigins,
    contextOf,
  });
  const signIn = createSignIn({
    provider: services.drivers.identity,
    uses: sessionUses(services, sessionSettings),
    cookie,
    address: publicAddress,
    seal: services.seal,
    rates,
    log,
    readBody: requests.readBody,
    addressOf,
    contextOf,
  });
  const exchangeToken = createTokenEndpoint({
    readBody: requests.readBody,
    rates,
    addressOf,
    exchange: createTokenExchange(services),
  });
  const deployHooks = createDeployHooks(services, {
    accept,
    readBody: requests.readBody,
    useEveryMs: http.tokenUseMs,
  });
  const documents = createDocuments(
    schema,
    { graphqlPath, restPath, openapiPath, mcpPath, operationsPath },
    manifestSchema,
  );
  const recordKeys = createRecordKeys(services);
  const probes = createProbes(() => db.ping(), log);
  const send = transport(corsOrigins, { hasSessions: services.drivers.identity !== undefined });

  async function serveTemplates(
    req: IncomingMessage,
    res: ServerResponse,
    facts: RequestFacts,
  ): Promise<void> {
    if (!isRead(req)) throw new MethodNotAllowedError('GET, HEAD');
    if (!acceptsJson(req.headers.accept)) throw new NotAcceptableError('application/json');
    // In the store protocol, the token has no scheme.
    const context = await contextOf(req, res, facts, true);
    sendJson(res, 200, await serveStore(context, pathOf(req)));
  }

  async function serveGraphql(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<void> {
    if (graphiql && wantsPage(req)) return graphiql.page(req, res);
    res.setHeader('Cache-Control', 'no-store');
    if (req.method !== 'GET' && req.method !== 'POST') throw new MethodNotAllowedError('GET, POST');
    const media = negotiated(req.headers.accept);
    if (!media) throw new NotAcceptableError(...graphqlTypes);
    // Execution and the response neither read it again nor return it.
    req.headers.accept = media.accept;
    const context = await contextOf(req, res, facts);
    if (req.method === 'POST') requireJson(req.headers);
    await graphql.handle(req, res, media, context);
  }

  async function route(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<void> {
    const path = pathOf(req);
    if (path === graphqlPath) return serveGraphql(req, res, facts);
    if (path.startsWith(`${restPath}/`)) return rest(req, res, facts);
    if (path.startsWith(`${operationsPath}/`)) return operations(req, res, facts);
    if (path === mcpPath) return mcp(req, res, facts);
    if (path.startsWith(storePath)) return serveTemplates(req, res, facts);
    if (path.startsWith(deployHooksPath)) return deployHooks(req, res, facts);
    if (path.startsWith(authPath)) requireVisit(req);
    if (path === tokenPath) return exchangeToken(req, res);
    if (path.startsWith(authPath)) return signIn(req, res, facts);
    const isProbe = probes.has(path);
    const isAsset = (graphiql && path.startsWith('/graphiql/')) || pages.isAsset(path);
    const isLanding = landing.serves(path);
    const isDocument = documents.serves(path);
    const isKeys = path === recordKeysPath;
    if ((isProbe || isAsset || isLanding || isDocument || isKeys) && !isRead(req))
      throw new MethodNotAllowedError('GET, HEAD');
    if (isProbe) return probes.answer(res, path);
    if (path === '/') res.appendHeader('Vary', 'Accept');
    if (pages.isPage(req) && (await pages.page(req, res))) return;
    if (isLanding) return landing.answer(req, res, path);
    if (isDocument) return documents.answer(req, res, path);
    if (isKeys) return sendJson(res, 200, await recordKeys());
    if (isAsset && ((await graphiql?.asset(req, res)) || (await pages.asset(req, res)))) return;
    throw new ApiError('NOT_FOUND', 'This path does not exist.');
  }

  function surfaceOf(path: string): Surface {
    if (path === graphqlPath) return 'graphql';
    if (path.startsWith(`${restPath}/`)) return 'rest';
    if (path.startsWith(`${operationsPath}/`)) return 'rest';
    if (path.startsWith(deployHooksPath)) return 'rest';
    if (path === mcpPath) return 'mcp';
    if (path.startsWith(storePath)) return 'store';
    return probes.has(path) ? 'probe' : 'page';
  }

  /** Sends the error response for a request that failed outside its surface. */
  function fail(req: IncomingMessage, res: ServerResponse, error: unknown, facts: RequestFacts): void {
    const requestId = requestIdOf(res);
    if (!(error instanceof ApiError)) log.error({ error, requestId }, 'request failed');
    else if (error.cause) log.warn({ error: error.cause, requestId }, 'request failed');
    if (res.headersSent) return void res.destroy();
    const shown =
      error instanceof ApiError
        ? error
        : new ApiError(
            'INTERNAL',
            'An unexpected error occurred. The server log has details for the request id.',
          );
    noteError(facts, shown);
    const path = pathOf(req);
    if (path === graphqlPath) sendGraphqlError(req, res, shown);
    else if (path === mcpPath) sendMcpError(res, shown);
    else if (path === tokenPath || path === backchannelLogoutPath) sendTokenError(res, shown);
    else sendProblem(res, shown);
  }

  // Otherwise, Node rejects requests without a Host header by itself, without a problem document.
  const server = createServer({ requireHostHeader: false, ...arrivalOptions(http) }, (req, res) => {
    const requestId = requestIdFor(req);
    req.url = originForm(req.url!);
    const clientAddress = addressOf(req);
    const started = process.hrtime.bigint();
    const facts: RequestFacts = slowRequestMs > 0 ? { statements: new RequestStatements() } : {};
    if (req.headers[explainHeader] === '1') explainIn(facts, pathOf(req));
    let ended: ((request: EndedRequest) => void) | undefined;
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.once('close', () => {
      const durationMs = Number(process.hrtime.bigint() - started) / 1e6;
      logRequest({ log, slowRequestMs }, req, res, { requestId, clientAddress, durationMs, facts });
      ended?.({
        status: res.statusCode,
        seconds: durationMs / 1000,
        isAnswered: res.writableFinished,
        isStream: isStream(res),
      });
    });
    const handle = () => route(req, res, facts).catch((error) => fail(req, res, error, facts));
    const answer = () =>
      send(req, res, () => {
        if (probes.has(pathOf(req))) return requests.runAtOnce(handle);
        const refused = requests.begin(res, clientAddress);
        if (refused) fail(req, res, refused, facts);
        else requests.run(res, handle);
      });
    if (telemetry) {
      const { method, headers } = req;
      const path = pathOf(req);
      ended = telemetry.request(
        { surface: surfaceOf(path), method: method!, path: shownPathOf(req), requestId, headers, facts },
        answer,
      );
    } else answer();
  });
  server.once('listening', () => idempotency.start()).once('close', () => idempotency.stop());
  answerUnreadable(server, (line) => log.info(line, 'request rejected'));
  const dropped = () => {
    log.warn(`connection limit of ${http.maxConnections} reached`);
    telemetry?.limitReached?.('MAX_CONNECTIONS');
  };
  const connections = superviseConnections(server, http, dropped);
  const stop = (timeoutMs: number) => {
    streams.stop();
    return connections.stop(timeoutMs);
  };
  db.channel.subscribe((topics) => forgetChangedTemplates(services, topics));
  return Object.assign(server, { stop, settled: requests.settled });
}

/** Measures what a GraphQL operation costs, by which REST operations are executed as well. */
function explainIn(facts: RequestFacts, path: string): void {
  if (path !== graphqlPath && !path.startsWith(`${operationsPath}/`)) return;
  facts.explain = new Explain();
  facts.statements ??= new RequestStatements();
}

const wantsPage = (req: IncomingMessage) => isRead(req) && (req.headers.accept ?? '').includes('text/html');
