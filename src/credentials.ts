import type { IncomingMessage } from 'node:http';
import type { Services } from './context.ts';
import type { Database } from './db/open.ts';
import { createAcceptedSecrets, createAcceptedTokens } from './domain/access-token/accepted-reads.ts';
import { touchAccessToken } from './domain/access-token/operations.ts';
import { actorFor, serviceAccounts } from './domain/access-token/owner-reads.ts';
import { type Accepted, actorWithin, tokenOf } from './domain/access-token/reads.ts';
import type { SessionSettings } from './domain/session/model.ts';
import { touchSession } from './domain/session/operations.ts';
import { type AcceptedSession, acceptedSessions, sessionActorWithin } from './domain/session/reads.ts';
import { SessionRechecks } from './domain/session/recheck-operations.ts';
import type { SessionCookie } from './http/auth/cookies.ts';
import type { Sessions, Tokens } from './http/authentication.ts';
import type { HttpLimits } from './http/http-limits.ts';
import type { Actor } from './kernel/access.ts';

type Times = Pick<HttpLimits, 'acceptedTokenMs' | 'tokenUseMs'>;

/** The access tokens, for the authentication of requests. */
export function accessTokens(services: Services, { acceptedTokenMs, tokenUseMs }: Times): Tokens<Accepted> {
  const { db, telemetry } = services;
  return {
    read: tokenOf,
    find: createAcceptedTokens(db, acceptedTokenMs, telemetry),
    touch: (found, clientAddress) => touchAccessToken(services, found, clientAddress, tokenUseMs),
    actorIn: (tx, tokenId) => actorWithin(db, tx, tokenId),
  };
}

/** The sessions, for the authentication of requests. Undefined if users cannot sign in. */
export function sessions(
  services: Services,
  { acceptedTokenMs, tokenUseMs }: Times,
  browser: { cookie: SessionCookie; requireOwnPage(req: IncomingMessage): void },
  settings: SessionSettings,
): Sessions<AcceptedSession> | undefined {
  const { db, drivers, telemetry } = services;
  if (!drivers.identity) return undefined;
  const findByHash = (from: Database, ids: readonly string[]) => acceptedSessions(from, ids, settings);
  const accepted = createAcceptedSecrets(db, acceptedTokenMs, findByHash, telemetry);
  const rechecks = new SessionRechecks(services, settings);
  return {
    ...browser,
    async find(secret, beforeUnknown) {
      const found = await accepted(secret, beforeUnknown);
      const recheckAt = found?.row.recheckAt;
      if (!recheckAt || recheckAt > new Date()) return found;
      await rechecks.run(found.row.id);
      return accepted(secret);
    },
    touch: (found, clientAddress) => touchSession(services, found, clientAddress, tokenUseMs, settings),
    actorIn: (tx, sessionId) => sessionActorWithin(db, tx, sessionId),
  };
}

/** A service account as an actor without a credential, for reads on its behalf. Undefined if it was deleted. */
export async function serviceAccountActor({ db }: Services, id: string): Promise<Actor | undefined> {
  const owner = (await serviceAccounts(db, [id])).get(id);
  return owner && actorFor(owner, { tokenId: null, sessionId: null, isReadOnly: true });
}
