import type { IncomingMessage } from 'node:http';
import type { Services } from './context.ts';
import { createAcceptedSecrets, createAcceptedTokens } from './domain/access-token/accepted-reads.ts';
import { touchAccessToken } from './domain/access-token/operations.ts';
import { actorFor, serviceAccounts } from './domain/access-token/owner-reads.ts';
import { type Accepted, actorWithin, tokenOf } from './domain/access-token/reads.ts';
import { touchSession } from './domain/session/operations.ts';
import { type AcceptedSession, acceptedSessions, sessionActorWithin } from './domain/session/reads.ts';
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
): Sessions<AcceptedSession> | undefined {
  const { db, drivers, telemetry } = services;
  if (!drivers.identity) return undefined;
  return {
    ...browser,
    find: createAcceptedSecrets(db, acceptedTokenMs, acceptedSessions, telemetry),
    touch: (found, clientAddress) => touchSession(services, found, clientAddress, tokenUseMs),
    actorIn: (tx, sessionId) => sessionActorWithin(db, tx, sessionId),
  };
}

/** A service account as an actor without a credential, for reads on its behalf. Undefined if it was deleted. */
export async function serviceAccountActor({ db }: Services, id: string): Promise<Actor | undefined> {
  const owner = (await serviceAccounts(db, [id])).get(id);
  return owner && actorFor(owner, { tokenId: null, sessionId: null, isReadOnly: true });
}
