import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { schema } from './api.ts';
import type { Services } from './context.ts';
import { accessTokens, sessions } from './credentials.ts';
import { transactionOptions } from './db/database.ts';
import { forgetChangedTemplates } from './domain/app-store/offered-reads.ts';
import { type SessionSettings, sessionDefaults } from './domain/session/model.ts';
import { createDocumentCheck } from './graphql/server/document-check.ts';
import { explainHeader } from './graphql/server/explained.ts';
import { createSessionCookie } from './http/auth/cookies.ts';
import { createPublicAddress, requireOwnPage } from './http/auth/origin.ts';
import { createAcceptance, createAuthentication } from './http/authentication.ts';
import { createClientAddress } from './http/client-address.ts';
import { arrivalOptions, type Connections, isStream, superviseConnections } from './http/connections.ts';
import { type HttpLimits, httpLimits } from './http/http-limits.ts';
import { logRequest } from './http/log-request.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { hasHost, originForm, pathOf, requestIdFor, requestIdOf, shownPathOf } from './http/request.ts';
import { createRequestsUnderWay, type RequestsUnderWay } from './http/requests.ts';
import { Streams } from './http/streams.ts';
import type { Surface } from './http/surface.ts';
import { transport } from './http/transport.ts';
import type { IdempotencySettings } from './idempotency/held-keys.ts';
import { Idempotency } from './idempotency/idempotency.ts';
import { ApiError, InvalidInputError } from './kernel/errors.ts';
import { Explain } from './kernel/explain.ts';
import { limitValues } from './kernel/limit-values.ts';
import { defaultLimits, type Limits } from './kernel/limits.ts';
import { SharedMemory } from './kernel/memory.ts';
import { RequestStatements } from './kernel/statements.ts';
import { type EndedRequest, noteError, type RequestFacts } from './kernel/telemetry.ts';
import { sendProblem } from './rest/problem.ts';
import { answerUnreadable } from './rest/unreadable.ts';
import { createSurfaces, type SurfaceOptions } from './surfaces.ts';

export interface AppOptions extends SurfaceOptions {
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
  /** Requests that take longer are logged with their statements. 0, the default, logs none. */
  slowRequestMs?: number;
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
  const shared = { limits, http, corsOrigins, requests, rates, addressOf, publicAddress, cookie, streams };
  const surfaces = createSurfaces(services, options, { ...shared, sessionSettings, accept, contextOf });
  const surfaceOf = (req: IncomingMessage) => surfaces.find(({ serves }) => serves(pathOf(req)))!;
  const send = transport(corsOrigins, { hasSessions: services.drivers.identity !== undefined });

  /** Sends the error response for a request that failed outside its surface. */
  function fail(
    req: IncomingMessage,
    res: ServerResponse,
    surface: Surface,
    error: unknown,
    facts: RequestFacts,
  ): void {
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
    if (surface.fail) surface.fail(req, res, shown);
    else sendProblem(res, shown);
  }

  // Node would reject requests without a Host header by itself, without a problem document.
  const server = createServer({ requireHostHeader: false, ...arrivalOptions(http) }, (req, res) => {
    // Its connection had too many requests.
    if (req.socket.destroyed) return;
    const requestId = requestIdFor(req);
    req.url = originForm(req.url!);
    const clientAddress = addressOf(req);
    const started = process.hrtime.bigint();
    const facts: RequestFacts = slowRequestMs > 0 ? { statements: new RequestStatements() } : {};
    const surface = surfaceOf(req);
    if (req.headers[explainHeader] === '1' && surface.canExplain) explainIn(facts);
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
    const handle = async () => {
      try {
        await surface.serve(req, res, facts);
      } catch (error) {
        fail(req, res, surface, error, facts);
      }
    };
    const answer = () =>
      send(req, res, () => {
        if (!hasHost(req)) return fail(req, res, surface, withoutHost(), facts);
        if (surface.isAlwaysAdmitted) return requests.runAtOnce(handle);
        const refused = requests.begin(res, clientAddress);
        if (refused) fail(req, res, surface, refused, facts);
        else requests.run(res, handle);
      });
    if (telemetry) {
      const { method, headers } = req;
      ended = telemetry.request(
        { surface: surface.name, method: method!, path: shownPathOf(req), requestId, headers, facts },
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
  server.on('connection', requests.accepted);
  const connections = superviseConnections(server, http, dropped);
  const stop = (timeoutMs: number) => {
    streams.stop();
    return connections.stop(timeoutMs);
  };
  db.channel.subscribe((topics) => forgetChangedTemplates(services, topics));
  return Object.assign(server, { stop, settled: requests.settled });
}

const withoutHost = () =>
  new InvalidInputError([{ path: [], message: 'The request must have one Host header.' }]);

/** Measures what a GraphQL operation costs, by which REST operations are executed as well. */
function explainIn(facts: RequestFacts): void {
  facts.explain = new Explain();
  facts.statements ??= new RequestStatements();
}
