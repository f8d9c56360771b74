import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';

/** Links a user with an account of the identity provider. */
export async function insertIdentity(
  { tx, recordEvent }: Write,
  data: Row<'Identity'>,
): Promise<Row<'Identity'>> {
  const identity = await tx.identity.create({ data });
  const { userId, issuer, subject } = identity;
  recordEvent({ action: 'user.link', subject: { type: 'User', id: userId }, after: { issuer, subject } });
  return identity;
}

/** Sets whether a group makes the user an administrator. The event of the user says what has changed. */
export async function setGrantsAdministration(
  { tx }: Write,
  { userId }: Row<'Identity'>,
  grantsAdministration: boolean,
): Promise<void> {
  await tx.identity.update({ where: { userId }, data: { grantsAdministration } });
}
