import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';

type Account = Pick<Row<'Identity'>, 'issuer' | 'subject'>;

/** Links a user with an account of the identity provider, instead of one of another provider. */
export async function linkIdentity(
  { tx, recordEvent }: Write,
  userId: number,
  { issuer, subject }: Account,
): Promise<Row<'Identity'>> {
  const before = await tx.identity.findUnique({
    where: { userId },
    select: { issuer: true, subject: true },
  });
  const account = { issuer, subject, linkedAt: new Date() };
  const link = before
    ? await tx.identity.update({ where: { userId }, data: account })
    : await tx.identity.create({ data: { userId, ...account } });
  const subjectOfEvent = { type: 'User', id: userId } as const;
  recordEvent({ action: 'user.link', subject: subjectOfEvent, before, after: { issuer, subject } });
  return link;
}

/** Sets whether a group makes the user an administrator. The event of the user says what has changed. */
export async function setGrantsAdministration(
  { tx }: Write,
  { userId }: Row<'Identity'>,
  grantsAdministration: boolean,
): Promise<void> {
  await tx.identity.update({ where: { userId }, data: { grantsAdministration } });
}

/** Sets when the provider has said which groups the user is in. Not recorded, because it changes nothing by itself. */
export async function setGroupsConfirmed(
  tx: Transaction,
  userId: number,
  groupsConfirmedAt: Date | null,
): Promise<void> {
  await tx.identity.update({ where: { userId }, data: { groupsConfirmedAt } });
}

/** Rights that can lapse: memberships of groups, and the rights of an administrator that a group has given. */
export const canLapse = {
  user: { isActive: true },
  OR: [{ grantsAdministration: true }, { user: { memberships: { some: { isFromGroup: true } } } }],
};

/** Begins to count for users of whom it is not known when their groups were confirmed. Returns how many, at most `limit`. */
export async function beginConfirmations(tx: Transaction, now: Date, limit: number): Promise<number> {
  const where = { groupsConfirmedAt: null, ...canLapse };
  return (await tx.identity.updateMany({ where, data: { groupsConfirmedAt: now }, limit })).count;
}
