import type { Services } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import type { ProvidedLogout } from '../../drivers/identity/driver.ts';
import { ConflictError, LogoutRefusedError } from '../../kernel/errors.ts';
import { asTrellis } from '../access-token/bootstrap-operations.ts';
import { enterpriseOfSignIns } from './identity-operations.ts';
import { insertUsed, removeSession, setSignedOut } from './rows.ts';
import { signedOutBy } from './signed-out-reads.ts';

/** Gateways whose clocks differ may accept a logout token for somewhat longer. */
const forgottenAfterMs = 300_000;

/**
 * Ends the sessions of which the identity provider says that their user has signed out. Their streams end with them. A sign-in that
 * the provider has answered before, and that begins its session afterwards, is refused.
 */
export async function endProvidedSessions(
  { db }: Pick<Services, 'db'>,
  logout: ProvidedLogout,
  requestId: string,
): Promise<void> {
  const enterpriseId = await enterpriseOfSignIns({ db });
  const context = asTrellis(db, enterpriseId, requestId);
  try {
    await change(context, 'session.end', async (write) => {
      const expiresAt = new Date(logout.expiresAt.getTime() + forgottenAfterMs);
      // As sign-ins do: of the two at the same time, the later one sees what the other has stored.
      await lockRows(write, 'Enterprise', enterpriseId);
      await insertUsed(write.tx, { id: logout.uniqueId, expiresAt });
      await setSignedOut(write.tx, signedOutBy(logout));
      for (const session of await sessionsOf(write.tx, logout)) {
        await removeSession(write, session, 'signed out at the identity provider');
      }
    });
  } catch (error) {
    // The only unique value that can be taken is that of the token.
    if (!(error instanceof ConflictError)) throw error;
    throw new LogoutRefusedError('already used', 'The logout token is not accepted: it was already used.');
  }
}

/**
 * The sessions that began with the session of the provider; without one, all of the user. Sessions whose session of the provider is
 * not known can be the one that has ended, and count if the user is known.
 */
async function sessionsOf(
  tx: Transaction,
  { issuer, subject, session: providerSession }: ProvidedLogout,
): Promise<Pick<Row<'Session'>, 'id' | 'userId'>[]> {
  const select = { id: true, userId: true };
  const orderBy = { id: 'asc' } as const;
  if (subject === undefined) return tx.session.findMany({ where: { providerSession }, select, orderBy });
  const link = await tx.identity.findUnique({ where: { issuer_subject: { issuer, subject } } });
  if (!link) return [];
  const { userId } = link;
  const where = providerSession === undefined ? {} : { OR: [{ providerSession }, { providerSession: null }] };
  return tx.session.findMany({ where: { userId, ...where }, select, orderBy });
}
