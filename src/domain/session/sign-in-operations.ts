import { randomBytes } from 'node:crypto';
import type { Context, Services } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { type ChangeContext, change } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import type { ProvidedIdentity, ProvidedLogout } from '../../drivers/identity/driver.ts';
import { createLoaders } from '../../kernel/batch.ts';
import { SignInRefusedError } from '../../kernel/errors.ts';
import { asTrellis } from '../access-token/bootstrap-operations.ts';
import { hashToken } from '../access-token/reads.ts';
import { commandLineUses } from './command-line-operations.ts';
import { enterpriseOfSignIns, userOfIdentity } from './identity-operations.ts';
import { endProvidedSessions } from './logout-operations.ts';
import { expiryOf, maxBrowserLength, type SessionSettings } from './model.ts';
import { endSession } from './operations.ts';
import { insertSession, removeSession } from './rows.ts';
import { requireNotSignedOut } from './signed-out-reads.ts';

/** Where a sign-in comes from. */
export interface SignInRequest {
  requestId: string;
  address: string;
  browser: string;
  /** The cookie of the session that the browser had before. */
  previous: string | undefined;
}

/** Signs a user in: begins a session, and ends the one that the browser had before. Returns the secret for the cookie. */
async function signIn(
  { db, seal }: Pick<Services, 'db' | 'seal'>,
  identity: ProvidedIdentity,
  { requestId, address, browser, previous }: SignInRequest,
  settings: SessionSettings,
): Promise<string> {
  const { id: userId, enterpriseId } = await userOfIdentity({ db }, identity, requestId);
  const secret = randomBytes(32).toString('base64url');
  const id = hashToken(secret);
  const actor = {
    userId,
    serviceAccountId: null,
    tokenId: null,
    sessionId: id,
    enterpriseId,
    isReadOnly: false,
  };
  const context: ChangeContext = { db, requestId, loaders: createLoaders(), actor };
  await change(context, 'session.create', async (write) => {
    await lockRows(write, 'Enterprise', enterpriseId);
    await lockRows(write, 'User', userId);
    await requireStillActive(write.tx, userId);
    await requireNotSignedOut(write.tx, identity);
    const ended = previous && (await write.tx.session.findUnique({ where: { id: hashToken(previous) } }));
    if (ended) await removeSession(write, ended);
    const now = new Date();
    const times = { createdAt: now, lastUsedAt: now, expiresAt: expiryOf(now, now, settings) };
    await insertSession(write, {
      id,
      userId,
      ...times,
      address,
      browser: browser.slice(0, maxBrowserLength),
      providerSession: identity.session ?? null,
      ...recheckOf(identity, now),
    });
  });
  return secret;

  /** The data for asking the provider again, if it has given a refresh token. */
  function recheckOf({ refreshToken }: ProvidedIdentity, now: Date) {
    if (refreshToken === undefined || settings.recheckMs === 0) return {};
    const recheckAt = new Date(now.getTime() + settings.recheckMs);
    return { sealedRefreshToken: seal.close(refreshToken), recheckAt };
  }
}

/** The user can have been deactivated since the transaction before. */
async function requireStillActive(tx: Transaction, id: Row<'User'>['id']): Promise<void> {
  const user = await tx.user.findUnique({ where: { id } });
  if (!user?.isActive) throw new SignInRefusedError(`user ${id} is inactive`, 'Your user is not active.');
}

/** The functions for signing in. */
export function sessionUses(services: Pick<Services, 'db' | 'seal'>, settings: SessionSettings) {
  return {
    ...commandLineUses(services, settings),
    signIn: (identity: ProvidedIdentity, request: SignInRequest) =>
      signIn(services, identity, request, settings),
    async signOut(context: Context): Promise<void> {
      const { sessionId } = context.actor;
      if (sessionId !== null) await endSession(context, { session: { sessionId } });
    },
    endProvidedSessions: (logout: ProvidedLogout, requestId: string) =>
      endProvidedSessions(services, logout, requestId),
    recordRefusal: createRefusalRecord(services),
  };
}

/** The most refusals in the record in a minute, so that strangers cannot fill it. The log has all. */
const refusalsPerMinute = 10;

/** Records why sign-ins are refused, in the record of the enterprise. */
function createRefusalRecord({ db }: Pick<Services, 'db'>) {
  let minute = { begunAt: Number.NEGATIVE_INFINITY, count: 0 };
  return async (reason: string, address: string, requestId: string): Promise<void> => {
    const now = performance.now();
    if (now - minute.begunAt >= 60_000) minute = { begunAt: now, count: 0 };
    if (++minute.count > refusalsPerMinute) return;
    const id = await enterpriseOfSignIns({ db });
    await change(asTrellis(db, id, requestId), 'sign_in.refuse', async ({ recordEvent }) => {
      recordEvent({ subject: { type: 'Enterprise', id }, after: { reason, address } });
    });
  };
}
