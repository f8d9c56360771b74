import type { Context, Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { administers, allows, allowsOwn, requireRight } from '../../kernel/access.ts';
import { ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { loadUser } from '../user/reads.ts';
import { setClientIp } from '../user/rows.ts';
import { expiryOf, type SessionRef, type SessionSettings } from './model.ts';
import { type AcceptedSession, requireSession } from './reads.ts';
import { removeSession, setSessionUse } from './rows.ts';

export async function endSession(context: Context, input: { session: SessionRef }): Promise<Row<'Session'>> {
  const session = await requireSession(context, input.session);
  const user = await loadUser(context, session.userId);
  requireRight(context, (actor) => {
    const isOwn = session.userId === actor.userId;
    if (isOwn ? allowsOwn(actor, 'endSession') : allows(actor, 'endSession', user)) return;
    if (!isOwn && !administers(actor, user)) throw new NotFoundError('session');
    throw new ForbiddenError('The access token does not allow this change. Use one with more rights.');
  });
  return change(context, 'session.end', async (write) => {
    await removeSession(write, session);
    return session;
  });
}

/** Limits writes for a session whose address alternates, which would otherwise write on every request. */
const addressEveryMs = 1_000;

/**
 * Records the last use of a session, at most once in `everyMs`, and the IP address of its user, also when
 * it changes. No event is recorded.
 */
export async function touchSession(
  { db }: Pick<Services, 'db'>,
  used: AcceptedSession,
  clientAddress: string,
  everyMs: number,
  settings: SessionSettings,
): Promise<void> {
  const { row } = used;
  const now = new Date();
  const isMoved = clientAddress !== '' && clientAddress !== row.address;
  const hasOtherIp = clientAddress !== '' && clientAddress !== used.clientIp;
  if (now.getTime() - row.lastUsedAt.getTime() < (isMoved || hasOtherIp ? addressEveryMs : everyMs)) return;
  // Updates the cached row, so that the next request does not write again.
  row.lastUsedAt = now;
  row.expiresAt = expiryOf(row.createdAt, now, settings);
  if (isMoved) row.address = clientAddress;
  if (hasOtherIp) used.clientIp = clientAddress;
  await db.transaction(async (tx) => {
    await setSessionUse(tx, row);
    if (hasOtherIp) await setClientIp(tx, row.userId, clientAddress);
  });
}
