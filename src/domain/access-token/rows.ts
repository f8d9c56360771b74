import type { Transaction } from '../../db/open.ts';
import { Params } from '../../db/query/statement.ts';
import { openFields, type Row } from '../../db/tables.ts';
import { type Bulk, deleteByIds, findByKeys } from '../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import { newId } from '../../kernel/new-id.ts';
import type { ServiceAccountHooks } from '../service-account/hooks.ts';
import { maxEndedTokens } from './model.ts';
import { hashToken } from './reads.ts';

interface NewToken
  extends Pick<Row<'AccessToken'>, 'name' | 'createdAt'>,
    Partial<
      Pick<
        Row<'AccessToken'>,
        'userId' | 'serviceAccountId' | 'trustId' | 'isReadOnly' | 'grants' | 'expiresAt'
      >
    > {
  secret: string;
}

/** Adds the first administrator's token. Recorded in the event of the enterprise. */
export const insertFirstToken = (
  { tx }: Pick<Write, 'tx'>,
  { secret, ...token }: NewToken,
): Promise<Row<'AccessToken'>> =>
  tx.accessToken.create({
    data: { id: newId(), hash: hashToken(secret), ...token },
  });

/**
 * @param teamId the team of the service account that the token is for, or null
 * @param origin what the event says about where the token comes from
 */
export async function insertToken(
  write: Write,
  token: NewToken,
  teamId: string | null,
  origin: object = {},
): Promise<Row<'AccessToken'>> {
  const inserted = await insertFirstToken(write, token);
  const subject = { type: 'AccessToken', id: inserted.id } as const;
  write.recordEvent({ subject, teamId, after: { ...inserted, ...origin } });
  return inserted;
}

/** Revokes tokens that are not revoked yet, of users or of service accounts of the team. */
export async function revokeTokens(
  { tx, recordEvent, announce }: Write,
  ids: readonly string[],
  teamId: string | null = null,
): Promise<void> {
  const revokedAt = new Date();
  for (const id of ids) {
    const { count } = await tx.accessToken.updateMany({
      where: { id, revokedAt: null },
      data: { revokedAt },
    });
    if (count === 0) continue;
    recordEvent({
      subject: { type: 'AccessToken', id },
      teamId,
      before: { revokedAt: null },
      after: { revokedAt },
    });
  }
  announce('rights');
}

export const tokensOfServiceAccounts: ServiceAccountHooks = {
  deleting: (write, accounts) =>
    removeTokens(
      write,
      'serviceAccountId',
      accounts.map(({ id }) => id),
      accounts,
    ),
};

/** Deletes the tokens that were exchanged because of deleted trusts of a service account. */
export const removeTokensOfTrusts = (
  write: StatementWrite,
  trustIds: readonly string[],
  account: Pick<Row<'ServiceAccount'>, 'id' | 'teamId'>,
): Promise<void> => removeTokens(write, 'trustId', trustIds, [account]);

/** Deletes tokens of service accounts. */
async function removeTokens(
  write: StatementWrite,
  field: 'serviceAccountId' | 'trustId',
  keys: readonly string[],
  accounts: readonly Pick<Row<'ServiceAccount'>, 'id' | 'teamId'>[],
): Promise<void> {
  const teamOf = new Map(accounts.map(({ id, teamId }) => [id, teamId]));
  const now = new Date();
  const fields = openFields('AccessToken');
  const tokens = await findByKeys(write, 'AccessToken', field, keys, ['id'], { fields });
  await deleteByIds(write, 'AccessToken', tokens);
  for (const token of tokens) {
    // Exchanged tokens are deleted soon after they expire, without an event.
    if (token.revokedAt || (token.trustId !== null && token.expiresAt && token.expiresAt <= now)) continue;
    write.recordEvent({
      action: 'access_token.revoke',
      subject: { type: 'AccessToken', id: token.id },
      teamId: teamOf.get(token.serviceAccountId!) ?? null,
      before: token,
    });
  }
  write.announce('rights');
}

/** Deletes exchanged tokens that have expired. Returns how many, at most `limit`. Not recorded, because nothing could use them. */
export async function removeExpiredTokens(tx: Transaction, now: Date, limit: number): Promise<number> {
  const where = { trustId: { not: null }, expiresAt: { lte: now } };
  return (await tx.accessToken.deleteMany({ where, limit })).count;
}

/**
 * Deletes tokens that expired or were revoked before a time. Returns how many, at most twice `limit`. Not recorded, because nothing
 * could use them; the event of their end stays.
 */
export async function removeEndedTokens(tx: Transaction, before: Date, limit: number): Promise<number> {
  let count = 0;
  // One after the other, because each has an index of its own.
  for (const where of [{ expiresAt: { lt: before } }, { revokedAt: { lt: before } }]) {
    count += (await tx.accessToken.deleteMany({ where, limit })).count;
  }
  return count;
}

/** The most tokens that are deleted at once because their owner has too many that have ended. */
const mostRemoved = 200;

/**
 * Deletes the ended tokens of a user or service account beyond the newest ones, which are kept. Otherwise, whoever creates and
 * revokes tokens in a loop fills the disk and slows down the next creation. Not recorded, because nothing could use them.
 */
export async function removeOldestEndedTokens(
  write: Bulk,
  owner: { userId: number } | { serviceAccountId: string },
  now: Date,
): Promise<void> {
  const params = new Params(write.context.db.dialect);
  const [column, id] =
    'userId' in owner ? ['user_id', owner.userId] : ['service_account_id', owner.serviceAccountId];
  // By their end: a token that was revoked today can be the oldest one.
  const rows = await write.tx.$read(
    `SELECT id FROM access_token
     WHERE ${column} = ${params.add(id)} AND trust_id IS NULL AND (revoked_at IS NOT NULL OR expires_at <= ${params.add(now)})
     ORDER BY coalesce(revoked_at, expires_at) DESC, id DESC LIMIT ${mostRemoved} OFFSET ${maxEndedTokens}`,
    params.values,
  );
  await deleteByIds(write, 'AccessToken', (rows as [string][]).flat());
}

/** Sets the time of the last use. Not recorded, because it does not change the token. */
export async function setLastUsed(tx: Transaction, id: string, lastUsedAt: Date): Promise<void> {
  await tx.accessToken.updateMany({ where: { id }, data: { lastUsedAt } });
}
