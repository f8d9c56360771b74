import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Services } from '../context.ts';
import type { Database, Transaction } from '../db/open.ts';
import { scopedTo } from '../db/scoped.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { type Actor, callerId } from '../kernel/access.ts';
import { createLoaders } from '../kernel/batch.ts';
import { RequestBudget } from '../kernel/budget.ts';
import { UnauthenticatedError } from '../kernel/errors.ts';
import type { Limits } from '../kernel/limits.ts';
import type { SharedMemory } from '../kernel/memory.ts';
import type { RequestFacts } from '../kernel/telemetry.ts';
import { callerOf, type RateLimits } from './rate-limits.ts';
import { requestIdOf } from './request.ts';

interface Found {
  actor: Actor;
  row: { id: string; expiresAt: Date | null };
}

/** The reads and writes of access tokens that authentication needs. */
export interface Tokens<F extends Found> {
  /** The token in an `Authorization` header; with `bare`, also one without a scheme. */
  read(header: string | undefined, bare: boolean): string | undefined;
  /** The accepted token; `beforeUnknown` may throw before an unfamiliar one is looked up. */
  find(token: string, beforeUnknown?: () => Promise<void>): Promise<F | undefined>;
  /** Records that the token was used. */
  touch(found: F, clientAddress: string): Promise<void>;
  /** The actor as a transaction sees it. */
  actorIn(tx: Transaction, tokenId: string): Promise<Actor | undefined>;
}

export interface AuthenticationOptions<F extends Found> {
  tokens: Tokens<F>;
  limits: Limits;
  /** The memory that all responses share. */
  memory: SharedMemory;
  rates: RateLimits;
  /** Counts a request in progress of the user. Throws RATE_LIMITED if the user has too many. */
  countUser(res: ServerResponse, callerId: string | number): void;
  idempotency: Idempotency;
  addressOf(req: IncomingMessage): string;
}

/**
 * Authenticates a request and creates its context. Throws UNAUTHENTICATED without an accepted token. With `bare`, the
 * token may come without a scheme.
 */
export function createAuthentication<F extends Found>(services: Services, options: AuthenticationOptions<F>) {
  const { log } = services;
  const { tokens, limits, memory, rates, countUser, idempotency, addressOf } = options;
  return async (
    req: IncomingMessage,
    res: ServerResponse,
    facts: RequestFacts,
    bare = false,
  ): Promise<Context> => {
    const requestId = requestIdOf(res);
    const clientAddress = addressOf(req);
    const token = tokens.read(req.headers.authorization, bare);
    if (token === undefined) throw new UnauthenticatedError();
    const found = await tokens.find(token, () => rates.requireTrustworthy(clientAddress, res));
    if (!found) {
      await rates.countFailure(clientAddress);
      throw new UnauthenticatedError();
    }
    const { actor } = found;
    await rates.countRequest(callerOf(actor), res);
    countUser(res, callerId(actor));
    tokens
      .touch(found, clientAddress)
      .catch((error) => log.warn({ error, requestId }, 'last use of an access token was not recorded'));
    const budget = new RequestBudget(limits, memory);
    res.once('close', () => budget.end(res.writableFinished));
    // The client may have disconnected during the token lookup.
    if (res.destroyed) budget.end(false);
    const context = new RequestContext(services, {
      options,
      token,
      found,
      requestId,
      clientAddress,
      budget,
      facts,
    });
    const key = req.headers['idempotency-key'];
    // Node.js joins repeated headers with a comma and a space, which no key has.
    if (key !== undefined) {
      context.idempotency = idempotency.request(String(key), actor, budget);
    }
    return context;
  };
}

interface Request<F extends Found> {
  options: Pick<AuthenticationOptions<F>, 'tokens' | 'limits' | 'memory' | 'rates'>;
  token: string;
  found: F;
  requestId: string;
  clientAddress: string;
  budget: RequestBudget;
  facts: RequestFacts;
}

/**
 * The context of one request. A class, because V8 moves object literals with an accessor or with closures of their own
 * to the old generation for every request, and garbage collection then takes twice as long.
 */
class RequestContext<F extends Found>
  implements Context, Record<Exclude<keyof Services, 'reconciler'>, unknown>
{
  readonly db: Services['db'];
  readonly feeds: Services['feeds'];
  readonly drivers: Services['drivers'];
  readonly seal: Services['seal'];
  readonly log: Services['log'];
  readonly telemetry: Services['telemetry'];
  readonly newAlias: Services['newAlias'];
  readonly jobs: Services['jobs'];
  readonly actor: Actor;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly budget: RequestBudget;
  readonly loaders = createLoaders();
  rights: Context['rights'];
  readonly facts: Context['facts'];
  idempotency: Context['idempotency'];
  stream: Context['stream'];
  private readonly services: Services;
  private readonly given: Request<F>;

  constructor(services: Services, request: Request<F>) {
    const { found, requestId, clientAddress, budget, facts } = request;
    this.services = services;
    this.given = request;
    this.db = scopedTo(services.db, budget, facts.statements);
    this.feeds = services.feeds;
    this.drivers = services.drivers;
    this.seal = services.seal;
    this.log = services.log;
    this.telemetry = services.telemetry;
    this.newAlias = services.newAlias;
    this.jobs = services.jobs;
    this.actor = found.actor;
    this.requestId = requestId;
    this.clientAddress = clientAddress;
    this.budget = budget;
    this.facts = facts;
  }

  get signal(): AbortSignal {
    return this.budget.signal;
  }

  get tokenExpiresAt(): Date | null {
    return this.given.found.row.expiresAt;
  }

  async actorNow(): Promise<Actor | undefined> {
    const { options, token } = this.given;
    return (await options.tokens.find(token))?.actor;
  }

  countItem(): Promise<number> {
    return this.given.options.rates.countItem(callerOf(this.actor));
  }

  actorIn(tx: Transaction): Promise<Actor | undefined> {
    const { options, found } = this.given;
    return options.tokens.actorIn(tx, found.row.id);
  }

  forItem(actor: Actor, db: Database): Context {
    const { options, found } = this.given;
    const budget = new RequestBudget(options.limits, options.memory);
    return new RequestContext(
      { ...this.services, db },
      // A stream would collect what is learned about each of its items.
      { ...this.given, found: { ...found, actor }, budget, facts: {} },
    );
  }
}
