import type { ServerResponse } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type Actor, callerId, credentialIdOf } from '../kernel/access.ts';
import { RateLimitedError } from '../kernel/errors.ts';
import { networkOf } from './client-address.ts';
import type { HttpLimits } from './http-limits.ts';
import { createTurns } from './turns.ts';

/** The access token, the session or the deploy hook of a request, and whose it is. */
export interface Caller {
  tokenId: string;
  /** Identifies the user, the service account or the deploy hooks of an application. */
  callerId: string | number;
  isDeployHook?: boolean;
}

export const callerOf = (actor: Actor): Caller => ({
  tokenId: credentialIdOf(actor),
  callerId: callerId(actor),
  isDeployHook: actor.deployHookId !== undefined,
});

/** Rate limits per token and user, and for failed authentications per address, counted in memory. */
export interface RateLimits {
  /** Counts a request of a token and its user. Throws RATE_LIMITED if there were too many. */
  countRequest(caller: Caller, res: ServerResponse): Promise<void>;
  /** Counts an item of a subscription. Returns how long it has to wait, in ms, and does not count it, if there were too many. */
  countItem(caller: Caller): Promise<number>;
  /**
   * Looks up a secret. For an address with too many failures, look-ups that come at the same time share a turn: a valid secret is
   * found whatever others at the address do, and strangers make one statement at a time.
   */
  lookUp: LookUp;
  /** Counts a failure. Throws RATE_LIMITED instead if there were too many of the kind from the address. */
  refuse(kind: FailureKind, address: string, res: ServerResponse): Promise<void>;
  /** Throws RATE_LIMITED if there were too many failures of the kind. Before work that another system does. */
  requireTrustworthy(kind: FailureKind, address: string, res: ServerResponse): Promise<void>;
  countFailure(kind: FailureKind, address: string): Promise<void>;
}

/** Kinds of failures that are counted apart, so that wrong access tokens or devices keep nobody at the address from signing in. */
export type FailureKind = 'secret' | 'sign-in' | 'device' | 'exchange' | 'logout';

type LookUp = <T>(address: string, look: () => Promise<T>) => Promise<T>;

/** The limit for all tokens of a user together, as a multiple of the limit for each token. */
export const tokensPerUser = 2;

/** A limiter that counts something of a token and of its user. */
interface Limiters {
  token: RateLimiterMemory;
  user: RateLimiterMemory;
}

/** As many as a burst may have, in the time in which they are earned. */
function limitersOf({ requestsPerSecond, requestBurst }: HttpLimits): Limiters | undefined {
  if (requestsPerSecond <= 0) return undefined;
  const duration = requestBurst / requestsPerSecond;
  return {
    token: new RateLimiterMemory({ points: requestBurst, duration }),
    user: new RateLimiterMemory({ points: tokensPerUser * requestBurst, duration }),
  };
}

/** The limit that was reached, if one was, and the state of the token's otherwise. */
async function consume({ token, user }: Limiters, { tokenId, callerId }: Caller) {
  let name: 'token' | 'user' = 'token';
  try {
    const state = await token.consume(tokenId);
    name = 'user';
    await user.consume(callerId);
    return { name: 'token' as const, limiter: token, state, isReached: false };
  } catch (state) {
    if (!(state instanceof RateLimiterRes)) throw state;
    return { name, limiter: { token, user }[name], state, isReached: true };
  }
}

/** No longer than the window, whose end the limiter reads from a clock that can be set back. A timer ends the window itself. */
const secondsOf = ({ duration }: RateLimiterMemory, { msBeforeNext }: RateLimiterRes) =>
  Math.max(Math.ceil(Math.min(msBeforeNext / 1000, duration)), 1);

/**
 * Tells a client what is left to it.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
function setHeaders(
  res: ServerResponse,
  name: string,
  limiter: RateLimiterMemory,
  state: RateLimiterRes,
): void {
  res.setHeader('RateLimit-Policy', `"${name}";q=${limiter.points};w=${Math.ceil(limiter.duration)}`);
  res.setHeader('RateLimit', `"${name}";r=${state.remainingPoints};t=${secondsOf(limiter, state)}`);
}

const whose = (name: 'token' | 'user', { isDeployHook }: Caller): string => {
  if (isDeployHook)
    return name === 'token' ? 'of this deploy hook' : 'of the deploy hooks of this application';
  return name === 'token' ? 'with this access token' : 'of this user';
};

const keyOf = (kind: FailureKind, address: string) => `${kind} ${networkOf(address)}`;

export function createRateLimits(limits: HttpLimits): RateLimits {
  const { failedAuthenticationsPerMinute } = limits;
  const requests = limitersOf(limits);
  const items = limitersOf(limits);
  const failures =
    failedAuthenticationsPerMinute > 0
      ? new RateLimiterMemory({ points: failedAuthenticationsPerMinute, duration: 60 })
      : undefined;
  const inTurns = createTurns();

  async function requireTrustworthy(kind: FailureKind, address: string, res: ServerResponse): Promise<void> {
    const state = await failures?.get(keyOf(kind, address));
    if (!failures || !state || state.remainingPoints > 0) return;
    setHeaders(res, 'failed-authentications', failures, state);
    throw new RateLimitedError(
      'Too many failed authentications from this address. Try again later.',
      secondsOf(failures, state),
      'FAILED_AUTHENTICATIONS_PER_MINUTE',
    );
  }

  async function countFailure(kind: FailureKind, address: string): Promise<void> {
    await failures?.penalty(keyOf(kind, address));
  }

  return {
    async countRequest(caller, res) {
      if (!requests) return;
      const { name, limiter, state, isReached } = await consume(requests, caller);
      setHeaders(res, name, limiter, state);
      if (!isReached) return;
      throw new RateLimitedError(
        `Too many requests ${whose(name, caller)}. Try again later.`,
        secondsOf(limiter, state),
        'RATE_LIMIT_PER_SECOND',
      );
    },
    async countItem(caller) {
      if (!items) return 0;
      const { limiter, state, isReached } = await consume(items, caller);
      return isReached ? 1000 * secondsOf(limiter, state) : 0;
    },
    async lookUp(address, look) {
      const state = await failures?.get(keyOf('secret', address));
      return state && state.remainingPoints <= 0 ? inTurns(networkOf(address), look) : look();
    },
    async refuse(kind, address, res) {
      await requireTrustworthy(kind, address, res);
      await countFailure(kind, address);
    },
    requireTrustworthy,
    countFailure,
  };
}
