import type { Context } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { deleteByIds, findByKeys } from '../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import { newId } from '../../kernel/new-id.ts';
import { removeTokensOfTrusts } from '../access-token/rows.ts';
import type { ServiceAccountHooks } from '../service-account/hooks.ts';

type Account = Pick<Row<'ServiceAccount'>, 'id' | 'teamId'>;

export async function insertTrust(
  { tx, recordEvent }: Write,
  { id: serviceAccountId, teamId }: Account,
  data: Pick<Row<'Trust'>, 'issuer' | 'audience' | 'claims' | 'grants' | 'expiresAt'>,
): Promise<Row<'Trust'>> {
  const id = newId();
  const trust = await tx.trust.create({ data: { id, serviceAccountId, ...data, createdAt: new Date() } });
  recordEvent({ subject: { type: 'Trust', id }, name: trust.issuer, teamId, after: trust });
  return trust;
}

/** Removes a trust with the tokens that were exchanged because of it. */
export async function removeTrust(
  write: StatementWrite<Context>,
  account: Account,
  trust: Row<'Trust'>,
): Promise<void> {
  const { id } = trust;
  await removeTokensOfTrusts(write, [id], account);
  await deleteByIds(write, 'Trust', [id]);
  const subject = { type: 'Trust', id } as const;
  write.recordEvent({ subject, name: trust.issuer, teamId: account.teamId, before: trust });
}

/** Removes the trusts of deleted service accounts. Their tokens are deleted with the others of the service accounts. */
export const trustsOfServiceAccounts: ServiceAccountHooks = {
  async deleting(write, accounts) {
    const teamOf = new Map(accounts.map(({ id, teamId }) => [id, teamId]));
    const trusts = await findByKeys(write, 'Trust', 'serviceAccountId', [...teamOf.keys()], ['id']);
    await deleteByIds(write, 'Trust', trusts);
    for (const trust of trusts) {
      write.recordEvent({
        action: 'trust.remove',
        subject: { type: 'Trust', id: trust.id },
        name: trust.issuer,
        teamId: teamOf.get(trust.serviceAccountId)!,
        before: trust,
      });
    }
  },
};

/** Remembers a token that is exchanged. A unique constraint refuses it the second time. */
export async function insertExchangedToken(tx: Transaction, data: Row<'ExchangedToken'>): Promise<void> {
  await tx.exchangedToken.create({ data });
}

/** Forgets exchanged tokens that would be refused as expired. Returns how many, at most `limit`. */
export async function removeExchangedTokens(tx: Transaction, now: Date, limit: number): Promise<number> {
  const where = { expiresAt: { lte: now } };
  return (await tx.exchangedToken.deleteMany({ where, limit })).count;
}
