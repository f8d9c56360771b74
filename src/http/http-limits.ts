import type { TrustProxy } from './client-address.ts';

/** The limits of the HTTP server, in total and per client. */
export interface HttpLimits {
  /** The most concurrent requests. Further requests are UNAVAILABLE. */
  maxRequests: number;
  /** The most concurrent requests of one user. Further requests are RATE_LIMITED. */
  maxRequestsPerUser: number;
  /** The most concurrent requests of one client address. Further requests are RATE_LIMITED. */
  maxRequestsPerAddress: number;
  /** The most requests that are handled at the same time. Further ones wait in the order in which they arrived. */
  maxActive: number;
  /** The most open connections. Further connections are closed immediately. */
  maxConnections: number;
  /** The timeout for receiving the request line and headers, in ms. */
  headersTimeoutMs: number;
  /** The timeout for receiving a whole request, in ms. */
  receiveTimeoutMs: number;
  idleTimeoutMs: number;
  /** The timeout for a client to read a response, in ms. */
  sendTimeoutMs: number;
  /** The sustained rate limit of one token, in requests per second. 0 means no limit. */
  requestsPerSecond: number;
  /** The largest burst of requests of one token. */
  requestBurst: number;
  /** The most failed authentications per minute from one client address. 0 means no limit. */
  failedAuthenticationsPerMinute: number;
  /** How long an accepted token stays accepted before it is looked up again. */
  acceptedTokenMs: number;
  /** How often the use of a token is recorded. */
  tokenUseMs: number;
  /** The most open subscriptions. Further ones are UNAVAILABLE. */
  maxSubscriptions: number;
  /** The most open subscriptions of one token. */
  maxSubscriptionsPerToken: number;
  /** How often an idle subscription gets a sign of life, in ms. */
  heartbeatMs: number;
  /** The proxies that are trusted to report the client's address. Defaults to none. */
  trustProxy: TrustProxy;
}

export const httpLimits: HttpLimits = {
  maxRequests: 500,
  maxRequestsPerUser: 125,
  maxRequestsPerAddress: 125,
  maxActive: 32,
  maxConnections: 10_000,
  headersTimeoutMs: 10_000,
  receiveTimeoutMs: 30_000,
  idleTimeoutMs: 65_000,
  sendTimeoutMs: 120_000,
  requestsPerSecond: 500,
  requestBurst: 1_000,
  failedAuthenticationsPerMinute: 60,
  acceptedTokenMs: 5_000,
  tokenUseMs: 60_000,
  maxSubscriptions: 5_000,
  maxSubscriptionsPerToken: 1_000,
  heartbeatMs: 15_000,
  trustProxy: [],
};
