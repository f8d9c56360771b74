import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { locked } from '../../db/write/locked.ts';
import { lockRows } from '../../db/write/locks.ts';
import { changeByStatements, type ObjectChange } from '../../db/write/plan.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { invalid } from '../../kernel/validate.ts';
import { requireGivingAccount, storedGrants } from '../access-token/grant-reads.ts';
import { boundedExpiry, grantsFor } from '../access-token/operations.ts';
import { requireServiceAccount } from '../service-account/reads.ts';
import { type AddTrust, maxTrusts, type RemoveTrust } from './model.ts';
import { requireTrust } from './reads.ts';
import * as rows from './rows.ts';

/** Adds a trust. It gives tokens of the service account to others, so the caller must be allowed to create such a token. */
export async function addTrust(context: Context, input: AddTrust): Promise<Row<'Trust'>> {
  const { account, team } = await requireServiceAccount(context, input.serviceAccount, 'addTrust');
  const { issuer, audience, claims } = input;
  if (!context.drivers.issuers.supports(issuer)) throw invalid(['input', 'issuer'], 'Must be an https URL');
  const grants = await grantsFor(context, input);
  requireGivingAccount(context, { account, team }, grants);
  return change(context, 'trust.add', async (write) => {
    await lockRows(write, 'ServiceAccount', account.id);
    if ((await write.tx.trust.count({ where: { serviceAccountId: account.id } })) >= maxTrusts) {
      throw new ConflictError(`The service account ${account.name} already has ${maxTrusts} trusts.`);
    }
    return rows.insertTrust(write, account, {
      issuer,
      audience,
      claims: JSON.stringify(claims),
      grants: storedGrants(grants),
      expiresAt: await boundedExpiry(context, write.tx, input.expiresAt),
    });
  });
}

/** Removes a trust with the tokens that were exchanged because of it. */
export async function removeTrust(
  context: Context,
  input: RemoveTrust,
): Promise<{ trust: Row<'Trust'>; plan: ObjectChange[] }> {
  const { trust, account } = await requireTrust(context, input.trust, 'removeTrust');
  const by = { by: 'trustId', keys: [trust.id], fields: ['id'] } as const;
  const tokens = await context.db.accessToken.findManyByKeys(by);
  const deleted = [{ model: 'AccessToken', ids: tokens.map(({ id }) => id) }] as const;
  const { plan } = await changeByStatements(context, 'trust.remove', { ...input, deleted }, async (write) => {
    // An exchange locks it as well, so that no token is given for a trust that is removed.
    await lockRows(write, 'ServiceAccount', account.id);
    await rows.removeTrust(write, account, await locked(write, 'Trust', trust.id));
  });
  return { trust, plan };
}
