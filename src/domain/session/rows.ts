import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { maxSessions } from './model.ts';

export async function insertSession(write: Write, data: Row<'Session'>): Promise<void> {
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

/** Ends a session. Does nothing if it has ended meanwhile. */
export async function removeSession(
  { tx, recordEvent, announce }: Write,
  { id, userId }: Pick<Row<'Session'>, 'id' | 'userId'>,
): Promise<void> {
  const { count } = await tx.session.deleteMany({ where: { id } });
  if (count === 0) return;
  recordEvent({ action: 'session.end', subject: { type: 'Session', id }, before: { userId } });
  announce('rights');
}

/** Sets the time and the address of the last use. Not recorded, because it does not change the session. */
export async function setSessionUse(
  tx: Transaction,
  { id, lastUsedAt, expiresAt, address }: Pick<Row<'Session'>, 'id' | 'lastUsedAt' | 'expiresAt' | 'address'>,
): Promise<void> {
  await tx.session.updateMany({ where: { id }, data: { lastUsedAt, expiresAt, address } });
}
