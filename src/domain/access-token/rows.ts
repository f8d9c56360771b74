import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { hashToken } from './reads.ts';

interface NewToken extends Pick<Row<'AccessToken'>, 'userId' | 'name' | 'createdAt'> {
  secret: string;
  isReadOnly?: boolean;
  expiresAt?: Date | null;
}

/** Adds the first administrator's token. Recorded in the event of the enterprise. */
export const insertFirstToken = (
  { tx }: Pick<Write, 'tx'>,
  { secret, ...token }: NewToken,
): Promise<Row<'AccessToken'>> =>
  tx.accessToken.create({
    data: { id: randomUUID().replaceAll('-', ''), hash: hashToken(secret), ...token },
  });

export async function insertToken(write: Write, token: NewToken): Promise<Row<'AccessToken'>> {
  const inserted = await insertFirstToken(write, token);
  write.recordEvent({ subject: { type: 'AccessToken', id: inserted.id }, after: inserted });
  return inserted;
}

/** Revokes tokens that are not revoked yet. */
export async function revokeTokens(
  { tx, recordEvent, announce }: Write,
  ids: readonly string[],
): Promise<void> {
  const revokedAt = new Date();
  for (const id of ids) {
    const { count } = await tx.accessToken.updateMany({
      where: { id, revokedAt: null },
      data: { revokedAt },
    });
    if (count === 0) continue;
    recordEvent({ subject: { type: 'AccessToken', id }, before: { revokedAt: null }, after: { revokedAt } });
  }
  announce('rights');
}

/** Sets the time of the last use. Not recorded, because it does not change the token. */
export async function setLastUsed(tx: Transaction, id: string, lastUsedAt: Date): Promise<void> {
  await tx.accessToken.updateMany({ where: { id }, data: { lastUsedAt } });
}
