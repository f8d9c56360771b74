import type { TrustProxy } from './client-address.ts';

/** What clients may ask of the HTTP server, all of them together and each. */
export interface HttpLimits {
  /** Requests under way at once; beyond it they are UNAVAILABLE. */
  maxRequests: number;
  /** Open connections; more are closed at once. */
  maxConnections: number;
  /** How long the target and headers of a request may take to arrive. */
  headersTimeoutMs: number;
  /** How long a whole request may take to arrive, its body included. */
  receiveTimeoutMs: number;
  /** How long a connection is kept without a request. */
  idleTimeoutMs: number;
  /** How long a client may take to read an answer. */
  sendTimeoutMs: number;
  /** Requests of one token a second, over time; 0 for no limit. */
  requestsPerSecond: number;
  /** Requests of one token at once. */
  requestBurst: number;
  /** Failed authentications from one client address; 0 for no limit. */
  failedAuthenticationsPerMinute: number;
  /** How long an accepted token stays accepted before it is looked up again. */
  acceptedTokenMs: number;
  /** How often the use of a token is recorded. */
  tokenUseMs: number;
  /** The proxies that are believed when they tell the client's address; none by default. */
  trustProxy: TrustProxy;
}

export const httpLimits: HttpLimits = {
  maxRequests: 500,
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
  trustProxy: [],
};
