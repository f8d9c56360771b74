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
