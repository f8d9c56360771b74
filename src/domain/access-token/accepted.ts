import type { Database } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { Actor } from '../../kernel/access.ts';
import { actorOf, hashToken } from './reads.ts';

interface Accepted {
  actor: Actor;
  row: Row<'AccessToken'>;
  /** The address from which the user is recorded to have signed in last. */
  clientIp: string;
}

const maxTokens = 10_000;

/**
 * Who a token stands for, found without a statement when it was found a moment ago. Whatever this process
 * changes counts at once; what another process changes (a token revoked, a member removed) counts after at
 * most `lifeMs`. Tokens that are not accepted are looked up every time. `beforeUnknown` may throw before a token is
 * looked up that was not accepted before.
 */
export function createAcceptedTokens(
  db: Database,
  lifeMs: number,
): (token: string, beforeUnknown?: () => Promise<void>) => Promise<Accepted | undefined> {
  /** The tokens that were accepted when they were last looked up, however long ago. */
  const familiar = new Set<string>();
  const known = new Map<string, { found: Promise<Accepted | undefined>; until: number }>();
  db.onRightsChange(() => known.clear());

  return async (token, beforeUnknown) => {
    // Not the token itself: what is kept must be of no use to whoever reads it.
    const hash = hashToken(token);
    const entry = known.get(hash);
    if (entry && entry.until > Date.now()) {
      const found = await entry.found;
      const expiresAt = found?.row.expiresAt;
      if (!expiresAt || expiresAt > new Date()) return found;
    }
    if (beforeUnknown && !familiar.has(hash)) await beforeUnknown();
    const found = actorOf(db, token);
    // In place before there is an answer: a change in between throws away what may have been read before it.
    const fresh = { found, until: Date.now() + lifeMs };
    known.delete(hash);
    known.set(hash, fresh);
    if (known.size > maxTokens) known.delete(known.keys().next().value!);
    const isKept = await found.then(Boolean, () => false);
    familiar.delete(hash);
    if (isKept) familiar.add(hash);
    else if (known.get(hash) === fresh) known.delete(hash);
    if (familiar.size > maxTokens) familiar.delete(familiar.values().next().value!);
    return found;
  };
}
