import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { revised } from '../../db/write/revision.ts';
import { fold } from '../../kernel/validate.ts';

type NewUser = Pick<Row<'User'>, 'enterpriseId' | 'email' | 'nickName' | 'isAdministrator' | 'createdAt'> &
  Partial<Pick<Row<'User'>, 'phone' | 'origin'>>;

/** Adds the first administrator. Recorded in the event of the enterprise. */
export const insertFirstUser = ({ tx }: Pick<Write, 'tx'>, user: NewUser): Promise<Row<'User'>> =>
  tx.user.create({ data: { ...user, folded: fold(user.email, user.nickName) } });

export async function insertUser(write: Write, user: NewUser): Promise<Row<'User'>> {
  const inserted = await insertFirstUser(write, user);
  write.recordEvent({ subject: { type: 'User', id: inserted.id }, after: inserted });
  return inserted;
}

/** Sets columns. Accepted tokens are looked up again if they depend on what changed. */
export async function setUser(
  { tx, recordEvent, announce }: Write,
  before: Row<'User'>,
  data: Partial<Pick<Row<'User'>, 'email' | 'nickName' | 'phone' | 'isActive' | 'isAdministrator'>>,
): Promise<Row<'User'>> {
  const { id, email } = before;
  const folded = fold(data.email ?? email, data.nickName ?? before.nickName);
  const after = await tx.user.update({ where: { id }, data: revised(before, { ...data, folded }) });
  recordEvent({ subject: { type: 'User', id }, before, after });
  const { isActive, isAdministrator } = after;
  if (isActive !== before.isActive || isAdministrator !== before.isAdministrator) {
    announce('rights');
  }
  return after;
}

/** Sets the address of the last sign-in. Not recorded, because it does not change the user. */
export async function setClientIp(tx: Transaction, id: number, clientIp: string): Promise<void> {
  await tx.user.updateMany({ where: { id }, data: { clientIp } });
}
