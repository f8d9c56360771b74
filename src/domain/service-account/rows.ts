import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { deleteByIds, findByKeys } from '../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import { revised } from '../../db/write/revision.ts';
import { newId } from '../../kernel/new-id.ts';
import type { TeamHooks } from '../team/hooks.ts';
import { serviceAccountHooks } from './hooks.ts';

type AccountData = Pick<Row<'ServiceAccount'>, 'name' | 'role'>;

export async function insertServiceAccount(
  { tx, recordEvent }: Write,
  account: AccountData & Pick<Row<'ServiceAccount'>, 'enterpriseId' | 'teamId'>,
): Promise<Row<'ServiceAccount'>> {
  const data = { id: newId(), ...account, createdAt: new Date() };
  const inserted = await tx.serviceAccount.create({ data });
  const { id, teamId } = inserted;
  recordEvent({ subject: { type: 'ServiceAccount', id }, teamId, after: inserted });
  return inserted;
}

export async function setServiceAccount(
  { tx, recordEvent, announce }: Write,
  before: Row<'ServiceAccount'>,
  data: AccountData,
): Promise<Row<'ServiceAccount'>> {
  const { id, teamId } = before;
  const after = await tx.serviceAccount.update({ where: { id }, data: revised(before, data) });
  recordEvent({ subject: { type: 'ServiceAccount', id }, teamId, before, after });
  announce('rights');
  return after;
}

/** Deletes service accounts, with what the hooks know to belong to them. */
export async function removeServiceAccounts(
  write: StatementWrite<Context>,
  accounts: readonly Row<'ServiceAccount'>[],
): Promise<void> {
  const { recordEvent, announce } = write;
  if (accounts.length === 0) return;
  for (const { deleting } of serviceAccountHooks) await deleting(write, accounts);
  await deleteByIds(write, 'ServiceAccount', accounts);
  for (const account of accounts) {
    const { id, teamId } = account;
    const subject = { type: 'ServiceAccount', id } as const;
    recordEvent({ action: 'service_account.delete', subject, teamId, before: account });
  }
  announce('rights');
}

export const serviceAccountsOfTeam: TeamHooks = {
  async deleting(write, { id: teamId }) {
    await removeServiceAccounts(write, await findByKeys(write, 'ServiceAccount', 'teamId', [teamId], ['id']));
  },
};
