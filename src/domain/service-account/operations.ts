import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { locked, lockedForDelete } from '../../db/write/locked.ts';
import { lockRows } from '../../db/write/locks.ts';
import { changeByStatements, type ObjectChange } from '../../db/write/plan.ts';
import { patched } from '../../db/write/revision.ts';
import { actionsOfRole, type Role } from '../../kernel/actions.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { requireGiving, requireTeamFor } from '../team/reads.ts';
import { requireTaking } from '../team/rows.ts';
import type { CreateServiceAccount, DeleteServiceAccount, UpdateServiceAccount } from './model.ts';
import { requireServiceAccount } from './reads.ts';
import { insertServiceAccount, removeServiceAccounts, setServiceAccount } from './rows.ts';

type Account = Row<'ServiceAccount'>;

/** The most service accounts of one team. */
const maxAccounts = 100;

const taken = (team: Row<'Team'>, name: string) => () =>
  `The team ${team.name} already has a service account named ${name}.`;

export async function createServiceAccount(
  context: Context,
  { team: ref, name, role }: CreateServiceAccount,
): Promise<Account> {
  const team = await requireTeamFor(context, ref, 'createServiceAccount');
  requireGiving(context, team, { role, actions: actionsOfRole(role) });
  const { id: teamId, enterpriseId } = team;
  return change(
    context,
    'service_account.create',
    async (write) => {
      await lockRows(write, 'Team', teamId);
      if ((await write.tx.serviceAccount.count({ where: { teamId } })) >= maxAccounts) {
        throw new ConflictError(`The team ${team.name} already has ${maxAccounts} service accounts.`);
      }
      return insertServiceAccount(write, { enterpriseId, teamId, name, role });
    },
    taken(team, name),
  );
}

export async function updateServiceAccount(context: Context, input: UpdateServiceAccount): Promise<Account> {
  const { account, team } = await requireServiceAccount(
    context,
    input.serviceAccount,
    'updateServiceAccount',
  );
  const { role } = input;
  if (role) requireGiving(context, team, { role, actions: actionsOfRole(role) });
  return change(
    context,
    'service_account.update',
    async (write) => {
      const before = await locked(write, 'ServiceAccount', account.id, input);
      if (role && role !== before.role) {
        // A token that is created meanwhile would get the role back.
        const role = before.role as Role;
        await requireTaking(write, team, { role, actions: actionsOfRole(role) });
      }
      return setServiceAccount(write, before, patched(before, input, ['name', 'role']));
    },
    taken(team, input.name ?? account.name),
  );
}

/** Deletes a service account with its access tokens. */
export async function deleteServiceAccount(
  context: Context,
  input: DeleteServiceAccount,
): Promise<{ serviceAccount: Account; plan: ObjectChange[] }> {
  const { account } = await requireServiceAccount(context, input.serviceAccount, 'deleteServiceAccount');
  const by = { by: 'serviceAccountId', keys: [account.id], fields: ['id'] } as const;
  const webhooks = await context.db.webhook.findManyByKeys(by);
  const deleted = [
    { model: 'ServiceAccount', ids: [account.id] },
    { model: 'Webhook', ids: webhooks.map(({ id }) => id) },
  ] as const;
  const { result, plan } = await changeByStatements(
    context,
    'service_account.delete',
    { ...input, deleted },
    async (write) => {
      const before = await lockedForDelete(write, 'ServiceAccount', account.id, input);
      await removeServiceAccounts(write, [before]);
      return before;
    },
  );
  return { serviceAccount: result, plan };
}
