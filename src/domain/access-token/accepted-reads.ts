import DataLoader from 'dataloader';
import type { Database } from '../../db/open.ts';
import { createBoundedCache } from '../../kernel/memo.ts';
import type { Telemetry } from '../../kernel/telemetry.ts';
import { acceptedByHash, hashToken } from './reads.ts';

const maxTokens = 10_000;

interface Times {
  expiresAt: Date | null;
  /** When another answer is to be expected. */
  recheckAt?: Date | null;
}

function isOver({ expiresAt, recheckAt }: Times): boolean {
  const now = Date.now();
  const isPast = (time: Date | null | undefined) => time != null && time.getTime() <= now;
  return isPast(expiresAt) || isPast(recheckAt);
}

/** Authenticates access tokens. */
export const createAcceptedTokens = (db: Database, lifeMs: number, telemetry?: Telemetry) =>
  createAcceptedSecrets(db, lifeMs, acceptedByHash, telemetry);

/**
 * Authenticates tokens with a cache, so that most requests need no statement. Changes made by this process
 * take effect immediately; changes by other processes (a token revoked, a member removed) when they are published, and after at most
 * `lifeMs` if they are not received. Tokens that are looked up at the same time
 * share their statements. Rejected tokens are not cached. `lookUp` runs the look-up of a token that is not known to be
 * accepted.
 */
export function createAcceptedSecrets<A extends { row: Times }>(
  db: Database,
  lifeMs: number,
  findByHash: (db: Database, hashes: readonly string[]) => Promise<(A | undefined)[]>,
  telemetry?: Telemetry,
): (token: string, lookUp?: <T>(look: () => Promise<T>) => Promise<T>) => Promise<A | undefined> {
  /** The tokens that were accepted at their last lookup, even if their cache entry has expired. */
  const familiar = new Set<string>();
  const known = createBoundedCache<string, Promise<A | undefined>>({ size: maxTokens, lifeMs });
  db.channel.subscribe((topics) => {
    if (!topics || topics.has('rights')) known.clear();
  });
  const lookups = new DataLoader((hashes: readonly string[]) => findByHash(db, hashes), {
    cache: false,
    maxBatchSize: 500,
  });

  return async (token, lookUp) => {
    // Keyed by hash, so that the cache never holds a usable token.
    const hash = hashToken(token);
    const cached = known.get(hash);
    if (cached) {
      const found = await cached;
      if (!found || !isOver(found.row)) {
        telemetry?.lookup?.('tokens', true);
        return found;
      }
    }
    telemetry?.lookup?.('tokens', false);
    const look = () => lookups.load(hash);
    const found = lookUp && !familiar.has(hash) ? lookUp(look) : look();
    // Cached before the lookup completes, so that a concurrent change also evicts a result read before it.
    known.set(hash, found, 1);
    const isAccepted = await found.then(Boolean, () => false);
    familiar.delete(hash);
    if (isAccepted) familiar.add(hash);
    else if (known.get(hash) === found) known.delete(hash);
    if (familiar.size > maxTokens) familiar.delete(familiar.values().next().value!);
    return found;
  };
}
