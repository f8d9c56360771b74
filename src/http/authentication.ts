import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Services } from '../context.ts';
import type { Database, Transaction } from '../db/open.ts';
import { scopedTo } from '../db/scoped.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { type Actor, callerId, credentialIdOf } from '../kernel/access.ts';
import { createLoaders } from '../kernel/batch.ts';
import { RequestBudget } from '../kernel/budget.ts';
import { type ApiError, UnauthenticatedError } from '../kernel/errors.ts';
import type { LimitValue } from '../kernel/limit-values.ts';
import type { Limits } from '../kernel/limits.ts';
import type { SharedMemory } from '../kernel/memory.ts';
import type { RequestFacts } from '../kernel/telemetry.ts';
import type { SessionCookie } from './auth/cookies.ts';
import { callerOf, type RateLimits } from './rate-limits.ts';
import { requestIdOf } from './request.ts';

interface Found {
  actor: Actor;
  row: {
    id: string;
    expiresAt: Date | null;
    /** When it has to be looked up again. */
    recheckAt?: Date | null;
  };
}

/** The reads and writes of access tokens, sessions or deploy hooks that authentication needs. */
export interface Credentials<F extends Found> {
  /** The credential with this secret. `lookUp` runs the look-up of an unfamiliar secret. */
  find(secret: string, lookUp?: <T>(look: () => Promise<T>) => Promise<T>): Promise<F | undefined>;
  /** Records the use. */
  touch(found: F, clientAddress: string): Promise<void>;
  /** The actor as a transaction sees it. */
  actorIn(tx: Transaction, id: string): Promise<Actor | undefined>;
}

export interface Tokens<F extends Found> extends Credentials<F> {
  /** The token in an `Authorization` header; with `bare`, also one without a scheme. */
  read(header: string | undefined, bare: boolean): string | undefined;
}

export interface Sessions<S extends Found> extends Credentials<S> {
  cookie: SessionCookie;
  /** Throws FORBIDDEN for a request that a page of another origin can have made. */
  requireOwnPage(req: IncomingMessage): void;
}

export interface AcceptanceOptions {
  limits: Limits;
  /** The limits as `Query.limits` returns them. */
  limitValues: readonly LimitValue[];
  checkDocument: Context['checkDocument'];
  /** The memory that all responses share. */
  memory: SharedMemory;
  rates: RateLimits;
  /** Counts a request in progress of the user, and resolves when it may go on: undefined if it may now. Throws RATE_LIMITED if the user has too many. */
  admit(res: ServerResponse, callerId: string | number): Promise<void> | undefined;
  /** Charges the body of the request to its budget, when it is read. */
  chargeBody(res: ServerResponse, budget: RequestBudget): void;
  idempotency: Idempotency;
  addressOf(req: IncomingMessage): string;
  /** The origin of this gateway for the request. Undefined if it is not known. */
  originFor(req: IncomingMessage): string | undefined;
}

/** Authenticates requests by their token or by the cookie of a session. */
export interface AuthenticationOptions<F extends Found, S extends Found> {
  tokens: Tokens<F>;
  /** Absent if users cannot sign in. */
  sessions: Sessions<S> | undefined;
}

/** The credential of a request. */
interface Presented {
  credentials: Credentials<Found>;
  secret: string;
  /** The error if it is not accepted. */
  refusal(): ApiError;
}

/** Accepts a request that presents something to authenticate it, and creates its context. Counts those that are refused. */
export type Accept = (
  req: IncomingMessage,
  res: ServerResponse,
  facts: RequestFacts,
  presented: Presented,
) => Promise<Context>;

/**
 * Authenticates a request and creates its context. Throws UNAUTHENTICATED without an accepted token or session. With `bare`,
 * the token may come without a scheme. A token is used rather than the cookie of a session.
 */
export function createAuthentication<F extends Found, S extends Found>(
  accept: Accept,
  { tokens, sessions }: AuthenticationOptions<F, S>,
) {
  return async (
    req: IncomingMessage,
    res: ServerResponse,
    facts: RequestFacts,
    bare = false,
  ): Promise<Context> => {
    const { authorization } = req.headers;
    const cookie = authorization === undefined ? sessions?.cookie.read(req) : undefined;
    const secret = cookie ?? tokens.read(authorization, bare);
    if (secret === undefined) throw new UnauthenticatedError();
    if (cookie !== undefined) sessions!.requireOwnPage(req);
    const credentials: Credentials<Found> = cookie === undefined ? tokens : sessions!;
    return accept(req, res, facts, { credentials, secret, refusal: () => new UnauthenticatedError() });
  };
}

export function createAcceptance(services: Services, options: AcceptanceOptions): Accept {
  const { log } = services;
  const { limits, limitValues, checkDocument, memory, rates, idempotency, addressOf, originFor } = options;
  return async (req, res, facts, { credentials, secret, refusal }) => {
    const requestId = requestIdOf(res);
    const clientAddress = addressOf(req);
    const credential = await credentials.find(secret, (look) => rates.lookUp(clientAddress, look));
    if (!credential) {
      await rates.refuse('secret', clientAddress, res);
      throw refusal();
    }
    const { actor } = credential;
    await rates.countRequest(callerOf(actor), res);
    const admitted = options.admit(res, callerId(actor));
    if (admitted) await admitted;
    credentials
      .touch(credential, clientAddress)
      .catch((error) =>
        log.warn({ error, requestId }, 'last use of a token, session or deploy hook was not recorded'),
      );
    const budget = new RequestBudget(limits, memory.of(callerId(actor)), callerId(actor));
    options.chargeBody(res, budget);
    res.once('close', () => budget.end(res.writableFinished));
    // The client may have disconnected during the token lookup.
    if (res.destroyed) budget.end(false);
    const context = new RequestContext(services, {
      options: { credentials, limits, limitValues, checkDocument, memory, rates },
      secret,
      found: credential,
      requestId,
      clientAddress,
      originOf: () => originFor(req),
      budget,
      facts,
    });
    const key = req.headers['idempotency-key'];
    // Node.js joins repeated headers with a comma and a space, which no key has.
    if (key !== undefined) {
      const { userId, serviceAccountId, deployHookId = null } = actor;
      const holder = {
        tokenId: credentialIdOf(actor),
        userId,
        serviceAccountId: serviceAccountId ?? deployHookId,
      };
      context.idempotency = idempotency.request(String(key), holder, budget);
    }
    return context;
  };
}

interface Request {
  options: Pick<AcceptanceOptions, 'limits' | 'limitValues' | 'checkDocument' | 'memory' | 'rates'> & {
    credentials: Credentials<Found>;
  };
  secret: string;
  found: Found;
  requestId: string;
  clientAddress: string;
  originOf: () => string | undefined;
  budget: RequestBudget;
  facts: RequestFacts;
}

/**
 * The context of one request. A class, because V8 moves object literals with an accessor or with closures of their own
 * to the old generation for every request, and garbage collection then takes twice as long.
 */
class RequestContext
  implements
    Context,
    Record<
      Exclude<
        keyof Services,
        'snapshots' | 'reconciler' | 'upkeep' | 'gateway' | 'webhooks' | 'executeDocument'
      >,
      unknown
    >
{
  readonly db: Services['db'];
  readonly feeds: Services['feeds'];
  readonly drivers: Services['drivers'];
  readonly seal: Services['seal'];
  readonly log: Services['log'];
  readonly telemetry: Services['telemetry'];
  readonly newAlias: Services['newAlias'];
  readonly newComponentId: Services['newComponentId'];
  readonly jobs: Services['jobs'];
  readonly runs: Services['runs'];
  readonly deprecatedUses: Services['deprecatedUses'];
  readonly refusals: Services['refusals'];
  readonly actor: Actor;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly budget: RequestBudget;
  readonly loaders = createLoaders();
  rights: Context['rights'];
  place: Context['place'];
  readonly facts: Context['facts'];
  idempotency: Context['idempotency'];
  stream: Context['stream'];
  private readonly services: Services;
  private readonly given: Request;
  /** The token or session as it was last looked up. */
  private latest: Found['row'];

  constructor(services: Services, request: Request) {
    const { found, requestId, clientAddress, budget, facts } = request;
    this.services = services;
    this.given = request;
    this.latest = found.row;
    this.db = scopedTo(services.db, budget, {
      statements: facts.statements,
      caller: String(callerId(found.actor)),
    });
    this.feeds = services.feeds;
    this.drivers = services.drivers;
    this.seal = services.seal;
    this.log = services.log;
    this.telemetry = services.telemetry;
    this.newAlias = services.newAlias;
    this.newComponentId = services.newComponentId;
    this.jobs = services.jobs;
    this.runs = services.runs;
    this.deprecatedUses = services.deprecatedUses;
    this.refusals = services.refusals;
    this.actor = found.actor;
    this.requestId = requestId;
    this.clientAddress = clientAddress;
    this.budget = budget;
    this.facts = facts;
  }

  get origin(): string | undefined {
    return this.given.originOf();
  }

  get signal(): AbortSignal {
    return this.budget.signal;
  }

  get checkDocument(): Context['checkDocument'] {
    return this.given.options.checkDocument;
  }

  get limits(): readonly LimitValue[] {
    return this.given.options.limitValues;
  }

  get checkAt(): Date | null {
    const { expiresAt, recheckAt = null } = this.latest;
    return recheckAt && (!expiresAt || recheckAt < expiresAt) ? recheckAt : expiresAt;
  }

  async actorNow(): Promise<Actor | undefined> {
    const { options, secret } = this.given;
    const credential = await options.credentials.find(secret);
    if (credential) this.latest = credential.row;
    return credential?.actor;
  }

  countItem(): Promise<number> {
    return this.given.options.rates.countItem(callerOf(this.actor));
  }

  actorIn(tx: Transaction): Promise<Actor | undefined> {
    const { options, found } = this.given;
    return options.credentials.actorIn(tx, found.row.id);
  }

  forItem(actor: Actor, db: Database): Context {
    const { options, found } = this.given;
    const budget = new RequestBudget(options.limits, options.memory.of(callerId(actor)), callerId(actor));
    return new RequestContext(
      { ...this.services, db },
      // A stream would collect what is learned about each of its items.
      { ...this.given, found: { ...found, actor }, budget, facts: {} },
    );
  }
}
