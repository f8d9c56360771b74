import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { UnavailableError } from '../../kernel/errors.ts';
import { Limiter } from '../../kernel/limiter.ts';
import { createBoundedCache } from '../../kernel/memo.ts';

export interface KeyLimits {
  /** How long keys are used before they are read again. */
  cacheMs: number;
  /** The shortest time between two reads because of an unknown key. */
  askAgainMs: number;
  /** How long a failed read is not repeated. */
  failureMs: number;
  /** The most requests that wait for the keys of one issuer. */
  waiting: number;
  /** The most issuers that are contacted at the same time, in total and of one group. */
  calls: number;
  callsOfGroup: number;
  /** How long a request waits until another issuer may be contacted. */
  maxWaitMs: number;
  /** The most issuers and the size of their keys, in characters, that are cached. */
  issuers: number;
  characters: number;
}

export const keyLimits: KeyLimits = {
  cacheMs: 600_000,
  askAgainMs: 60_000,
  failureMs: 10_000,
  waiting: 16,
  calls: 16,
  callsOfGroup: 4,
  maxWaitMs: 2_000,
  issuers: 1_000,
  characters: 8 * 2 ** 20,
};

/** The most keys of one issuer. Others are ignored. */
const maxKeys = 100;

interface Issuer {
  keys: JWTVerifyGetKey | undefined;
  /** Times of the monotonic clock, in ms. */
  until: number;
  askedAgainAt: number;
  failedUntil: number;
  failure: unknown;
  call: Promise<JWTVerifyGetKey> | undefined;
  waiting: number;
}

const newIssuer = (): Issuer => ({
  keys: undefined,
  until: 0,
  askedAgainAt: Number.NEGATIVE_INFINITY,
  failedUntil: 0,
  failure: undefined,
  call: undefined,
  waiting: 0,
});

const busy = () =>
  new UnavailableError('Too many requests wait for the keys of issuers. Try again later.', {
    retryAfterSeconds: 5,
  });

/** The keys of issuers, cached. Requests for the keys of an issuer that are made at the same time share one read. */
export function createIssuerKeys(read: (issuer: string) => Promise<JSONWebKeySet>, limits: KeyLimits) {
  const issuers = createBoundedCache<string, Issuer>({ entries: limits.issuers, size: limits.characters });
  const limiter = new Limiter({
    most: limits.calls,
    mostOfGroup: limits.callsOfGroup,
    maxWaitMs: limits.maxWaitMs,
    refused: busy,
  });

  function issuerFor(name: string): Issuer {
    const entry = issuers.get(name);
    if (entry) return entry;
    const issuer = newIssuer();
    issuers.set(name, issuer, name.length);
    return issuer;
  }

  async function load(name: string, issuer: Issuer, group: string): Promise<JWTVerifyGetKey> {
    try {
      // A read that is not begun, because its group has too many, is no failure of the issuer: another group can begin one.
      const set = await limiter.run(group, () => readOrNote(name, issuer));
      const keys = set.keys.slice(0, maxKeys);
      issuer.keys = createLocalJWKSet({ keys });
      issuer.until = performance.now() + limits.cacheMs;
      issuers.set(name, issuer, name.length + JSON.stringify(keys).length);
      return issuer.keys;
    } finally {
      issuer.call = undefined;
    }
  }

  async function readOrNote(name: string, issuer: Issuer): Promise<JSONWebKeySet> {
    try {
      return await read(name);
    } catch (error) {
      issuer.failure = error;
      issuer.failedUntil = performance.now() + limits.failureMs;
      throw error;
    }
  }

  /** Waits for the read that is under way, or begins one. */
  async function join(name: string, issuer: Issuer, group: string): Promise<JWTVerifyGetKey> {
    if (issuer.waiting >= limits.waiting) throw busy();
    issuer.call ??= load(name, issuer, group);
    issuer.waiting++;
    try {
      return await issuer.call;
    } finally {
      issuer.waiting--;
    }
  }

  return {
    async keysOf(name: string, group: string): Promise<JWTVerifyGetKey> {
      const issuer = issuerFor(name);
      const now = performance.now();
      if (issuer.keys && issuer.until > now) return issuer.keys;
      if (!issuer.call && issuer.failedUntil > now) throw issuer.failure;
      return join(name, issuer, group);
    },

    /** The keys after those in which a key was not found. Undefined if the issuer was asked again a short time ago. */
    async newerKeysOf(
      name: string,
      group: string,
      before: JWTVerifyGetKey,
    ): Promise<JWTVerifyGetKey | undefined> {
      const issuer = issuerFor(name);
      if (issuer.keys !== undefined && issuer.keys !== before) return issuer.keys;
      if (!issuer.call) {
        const now = performance.now();
        if (now - issuer.askedAgainAt < limits.askAgainMs) return undefined;
        issuer.askedAgainAt = now;
      }
      return join(name, issuer, group);
    },
  };
}
