import type { ServerResponse } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimitedError } from '../kernel/errors.ts';
import { networkOf } from './client-address.ts';
import type { HttpLimits } from './http-limits.ts';

/** Rate limits per token and for failed authentications per address, counted in memory. */
export interface RateLimits {
  /** Counts a request of a token. Throws RATE_LIMITED if there were too many. */
  countRequest(tokenId: string, res: ServerResponse): Promise<void>;
  /** Throws RATE_LIMITED if there were too many failed authentications from the address. */
  requireTrustworthy(address: string, res: ServerResponse): Promise<void>;
  countFailure(address: string): Promise<void>;
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

export function createRateLimits({
  requestsPerSecond,
  requestBurst,
  failedAuthenticationsPerMinute,
}: HttpLimits): RateLimits {
  // As many requests as a burst may have, in the time in which they are earned.
  const requests =
    requestsPerSecond > 0
      ? new RateLimiterMemory({ points: requestBurst, duration: requestBurst / requestsPerSecond })
      : undefined;
  const failures =
    failedAuthenticationsPerMinute > 0
      ? new RateLimiterMemory({ points: failedAuthenticationsPerMinute, duration: 60 })
      : undefined;
  return {
    async countRequest(tokenId, res) {
      if (!requests) return;
      try {
        setHeaders(res, 'token', requests, await requests.consume(tokenId));
      } catch (state) {
        if (!(state instanceof RateLimiterRes)) throw state;
        setHeaders(res, 'token', requests, state);
        throw new RateLimitedError(
          'Too many requests with this access token. Try again later.',
          secondsOf(requests, state),
          'RATE_LIMIT_PER_SECOND',
        );
      }
    },
    async requireTrustworthy(address, res) {
      const state = await failures?.get(networkOf(address));
      if (!failures || !state || state.remainingPoints > 0) return;
      setHeaders(res, 'failed-authentications', failures, state);
      throw new RateLimitedError(
        'Too many failed authentications from this address. Try again later.',
        secondsOf(failures, state),
        'FAILED_AUTHENTICATIONS_PER_MINUTE',
      );
    },
    async countFailure(address) {
      await failures?.penalty(networkOf(address));
    },
  };
}
