import type { IncomingMessage, ServerResponse } from 'node:http';
import { routes, schema } from './api.ts';
import type { Services } from './context.ts';
import { serveStore, storePath } from './domain/app-store/publish/serve-rest.ts';
import { deployHooksPath } from './domain/deploy-hook/path-model.ts';
import { createDeployHooks } from './domain/deploy-hook/serve-rest.ts';
import { createRecordKeys, recordKeysPath } from './domain/event/export/keys-rest.ts';
import { createEventExport } from './domain/event/export/rest.ts';
import { manifestSchema } from './domain/manifest/schema-model.ts';
import type { SessionSettings } from './domain/session/model.ts';
import { sessionUses } from './domain/session/sign-in-operations.ts';
import { createTokenExchange } from './domain/trust/exchange-operations.ts';
import { graphiqlOptions } from './graphql/graphiql/examples.ts';
import { createGraphiql } from './graphql/graphiql/graphiql.ts';
import { graphqlTypes, negotiated } from './graphql/server/negotiation.ts';
import type { Executor } from './graphql/server/pipeline.ts';
import { sendGraphqlError } from './graphql/server/refusal.ts';
import { createGraphqlServer, type GraphqlPlugin, graphqlPath } from './graphql/server/server.ts';
import { type TrustedDocument, TrustedDocuments } from './graphql/trusted/documents.ts';
import type { AllowedDocuments } from './graphql/trusted/plugin.ts';
import { acceptsJson } from './http/accept.ts';
import { backchannelLogoutPath } from './http/auth/backchannel-logout.ts';
import type { createSessionCookie } from './http/auth/cookies.ts';
import { type createPublicAddress, requireVisit } from './http/auth/origin.ts';
import { authPath, createSignIn } from './http/auth/sign-in.ts';
import { createTokenEndpoint, sendTokenError, tokenPath } from './http/auth/token.ts';
import type { createAcceptance, createAuthentication } from './http/authentication.ts';
import type { createClientAddress } from './http/client-address.ts';
import { consoleDocuments, createConsole } from './http/console.ts';
import type { HttpLimits } from './http/http-limits.ts';
import { createLanding } from './http/landing.ts';
import { requireJson } from './http/media-type.ts';
import { createProbes } from './http/probes.ts';
import type { RateLimits } from './http/rate-limits.ts';
import { isRead, pathOf } from './http/request.ts';
import type { RequestsUnderWay } from './http/requests.ts';
import { sendJson } from './http/send.ts';
import type { Streams } from './http/streams.ts';
import { at, readOnly, type Surface, under } from './http/surface.ts';
import { ApiError, MethodNotAllowedError, NotAcceptableError } from './kernel/errors.ts';
import type { Limits } from './kernel/limits.ts';
import type { RequestFacts } from './kernel/telemetry.ts';
import { createDocuments } from './mcp/documents.ts';
import { createMcp, mcpPath, sendMcpError } from './mcp/endpoint.ts';
import { createOperations, operationsDocumentPath } from './operations/endpoint.ts';
import { operationDocuments, operationsPath } from './operations/operation.ts';
import { openapiPath } from './rest/openapi/document.ts';
import { restPath } from './rest/route.ts';
import { createRest } from './rest/router.ts';

export interface SurfaceOptions {
  /** Whether the GraphiQL page is served. */
  graphiql: boolean;
  /** Plugins of Yoga or Envelop, for tracing or persisted documents for example: they see every GraphQL request. */
  plugins?: readonly GraphqlPlugin[];
  executor?: Executor;
  /** The documents that requests can name, in addition to the operations. */
  trustedDocuments?: readonly TrustedDocument[];
  /** Whether any GraphQL document is executed, which is the default, or only trusted ones. */
  allowedDocuments?: AllowedDocuments;
}

/** The parts of a server that its surfaces share. */
export interface SharedParts {
  limits: Limits;
  http: HttpLimits;
  corsOrigins: readonly string[];
  requests: RequestsUnderWay;
  rates: RateLimits;
  addressOf: ReturnType<typeof createClientAddress>;
  publicAddress: ReturnType<typeof createPublicAddress>;
  sessionSettings: SessionSettings;
  cookie: ReturnType<typeof createSessionCookie>;
  accept: ReturnType<typeof createAcceptance>;
  contextOf: ReturnType<typeof createAuthentication>;
  streams: Streams;
}

/** The parts of the server that answer requests. The first one that serves the path of a request answers it. */
export function createSurfaces(services: Services, options: SurfaceOptions, shared: SharedParts): Surface[] {
  const { db, log } = services;
  const { limits, http, corsOrigins, requests, rates, addressOf, accept, contextOf, streams } = shared;
  const { publicAddress, sessionSettings, cookie } = shared;
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
  const probes = createProbes(async () => {
    await db.ping();
    return services.gateway?.check();
  }, log);

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

  const isAsset = (path: string) => (graphiql && path.startsWith('/graphiql/')) || pages.isAsset(path);

  async function servePages(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = pathOf(req);
    if ((landing.serves(path) || isAsset(path)) && !isRead(req)) throw new MethodNotAllowedError('GET, HEAD');
    if (path === '/') res.appendHeader('Vary', 'Accept');
    if (pages.isPage(req) && (await pages.page(req, res))) return;
    if (landing.serves(path)) return landing.answer(req, res, path);
    if (isAsset(path) && ((await graphiql?.asset(req, res)) || (await pages.asset(req, res)))) return;
    // A mistyped address in a browser.
    if (!isAsset(path) && wantsPage(req) && (await pages.page(req, res, 404))) return;
    throw new ApiError('NOT_FOUND', 'This path does not exist.');
  }

  const failToken: Surface['fail'] = (_req, res, error) => sendTokenError(res, error);
  return [
    {
      name: 'graphql',
      serves: at(graphqlPath),
      serve: serveGraphql,
      fail: sendGraphqlError,
      canExplain: true,
    },
    { name: 'rest', serves: under(`${restPath}/`), serve: rest },
    { name: 'rest', serves: under(`${operationsPath}/`), serve: operations, canExplain: true },
    { name: 'mcp', serves: at(mcpPath), serve: mcp, fail: (_req, res, error) => sendMcpError(res, error) },
    { name: 'store', serves: under(storePath), serve: serveTemplates },
    { name: 'rest', serves: under(deployHooksPath), serve: deployHooks },
    { name: 'page', serves: at(tokenPath), serve: visited(exchangeToken), fail: failToken },
    { name: 'page', serves: at(backchannelLogoutPath), serve: visited(signIn), fail: failToken },
    { name: 'page', serves: under(authPath), serve: visited(signIn) },
    {
      name: 'probe',
      serves: probes.has,
      serve: readOnly((req, res) => probes.answer(res, pathOf(req))),
      isAlwaysAdmitted: true,
    },
    {
      name: 'page',
      serves: documents.serves,
      serve: readOnly((req, res) => documents.answer(req, res, pathOf(req))),
    },
    {
      name: 'page',
      serves: at(recordKeysPath),
      serve: readOnly(async (_req, res) => sendJson(res, 200, await recordKeys())),
    },
    { name: 'page', serves: () => true, serve: servePages },
  ];
}

/** Refuses requests that a page of another site has a browser send. */
const visited =
  (serve: Surface['serve']): Surface['serve'] =>
  (req, res, facts) => {
    requireVisit(req);
    return serve(req, res, facts);
  };

const wantsPage = (req: IncomingMessage) => isRead(req) && (req.headers.accept ?? '').includes('text/html');
