import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { maxSessions } from './model.ts';

/** The most logout tokens that are deleted at once, so that none waits for them. */
const maxForgotten = 100;

/** The columns of a session that follow from what the identity provider has said. */
type Provided =
  | 'providerSession'
  | 'sealedRefreshToken'
  | 'recheckAt'
  | 'recheckLeaseUntil'
  | 'unconfirmedSince';
type NewSession = Omit<Row<'Session'>, Provided> & Partial<Pick<Row<'Session'>, Provided>>;

export async function insertSession(write: Write, data: NewSession): Promise<void> {
  const { tx, recordEvent } = write;
  await removeSuperfluous(write, data.userId);
  await tx.session.create({ data });
  const { id, userId, address, browser } = data;
  recordEvent({ subject: { type: 'Session', id }, after: { userId, address, browser } });
}

/** Deletes the sessions of a user that have expired, and ends those beyond the limit, the least recently used first. */
async function removeSuperfluous(write: Write, userId: number): Promise<void> {
  await write.tx.session.deleteMany({ where: { userId, expiresAt: { lte: new Date() } } });
  const superfluous = await write.tx.session.findMany({
    where: { userId },
    orderBy: [{ lastUsedAt: 'desc' }, { id: 'asc' }],
    skip: maxSessions - 1,
  });
  for (const session of superfluous) await removeSession(write, session);
}

/** Ends a session. Does nothing if it has ended meanwhile. `reason` is recorded, where nobody has ended it in Trellis. */
export async function removeSession(
  { tx, recordEvent, announce }: Write,
  { id, userId }: Pick<Row<'Session'>, 'id' | 'userId'>,
  reason?: string,
): Promise<void> {
  const { count } = await tx.session.deleteMany({ where: { id } });
  if (count === 0) return;
  const after = reason === undefined ? null : { reason };
  recordEvent({ action: 'session.end', subject: { type: 'Session', id }, before: { userId }, after });
  announce('rights');
}

/** Remembers a logout token or a code that is used. A unique constraint refuses it the second time. Forgets some that have expired. */
export async function insertUsed(tx: Transaction, data: Row<'LogoutToken'>): Promise<void> {
  await tx.logoutToken.deleteMany({ where: { expiresAt: { lte: new Date() } }, limit: maxForgotten });
  await tx.logoutToken.create({ data });
}

/** Remembers that somebody has signed out, for sign-ins that are under way. */
export async function setSignedOut(tx: Transaction, rows: readonly Row<'LogoutToken'>[]): Promise<void> {
  for (const { id, expiresAt } of rows) {
    await tx.logoutToken.upsert({ where: { id }, create: { id, expiresAt }, update: { expiresAt } });
  }
}

/** Sets the time and the address of the last use. Not recorded, because it does not change the session. */
export async function setSessionUse(
  tx: Transaction,
  { id, lastUsedAt, expiresAt, address }: Pick<Row<'Session'>, 'id' | 'lastUsedAt' | 'expiresAt' | 'address'>,
): Promise<void> {
  await tx.session.updateMany({ where: { id }, data: { lastUsedAt, expiresAt, address } });
}

/** Lets one gateway ask the provider about a session until a time. Returns whether it is this one. */
export async function leaseRecheck(
  tx: Transaction,
  { id, recheckAt, recheckLeaseUntil }: Pick<Row<'Session'>, 'id' | 'recheckAt' | 'recheckLeaseUntil'>,
  until: Date,
): Promise<boolean> {
  const where = { id, recheckAt, recheckLeaseUntil };
  return (await tx.session.updateMany({ where, data: { recheckLeaseUntil: until } })).count > 0;
}

/** Stores the refresh token for the next time. Not recorded, because it does not change the session. */
export async function setRefreshToken(
  tx: Transaction,
  id: string,
  sealedRefreshToken: string,
): Promise<void> {
  await tx.session.updateMany({ where: { id }, data: { sealedRefreshToken } });
}

/** Stores what the provider has said, unless another gateway asks it meanwhile. */
export async function settleRecheck(
  tx: Transaction,
  { id, leaseUntil }: { id: string; leaseUntil: Date },
  data: Pick<Row<'Session'>, 'recheckAt' | 'unconfirmedSince'>,
): Promise<void> {
  const where = { id, recheckLeaseUntil: leaseUntil };
  await tx.session.updateMany({ where, data: { ...data, recheckLeaseUntil: null } });
}
