import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Row } from '../../db/tables.ts';
import type { Action } from '../../kernel/actions.ts';
import { namedBy } from '../../kernel/global-id.ts';
import { loadTeam, requireAllowed, seesIn } from '../team/reads.ts';
import { visibleBesides } from '../team/visible-reads.ts';
import { loadUser, visibleUserById } from '../user/reads.ts';
import type { ServiceAccountRef } from './model.ts';

/** The service account by its id, without an access check. */
export const serviceAccountById = batchedRow('ServiceAccount', 'id');

/** The service account, for itself and for those who may see what belongs to its team. */
export async function visibleServiceAccount(
  context: Context,
  id: string,
): Promise<Row<'ServiceAccount'> | null> {
  const account = await serviceAccountById(context, id);
  if (!account || account.id === context.actor.serviceAccountId) return account;
  return (await seesIn(context, { teamId: account.teamId })) ? account : null;
}

const namedServiceAccount = namedBy(
  'service account',
  'ServiceAccount',
  'serviceAccountId',
  visibleServiceAccount,
);

/** Finds the service account with its team, for a caller who may do the action with it. */
export async function requireServiceAccount(
  context: Context,
  ref: ServiceAccountRef,
  action: Action,
): Promise<{ account: Row<'ServiceAccount'>; team: Row<'Team'> }> {
  const account = await namedServiceAccount(context, ref);
  const team = await loadTeam(context, account.teamId);
  requireAllowed(context, team, action, { noun: 'service account' });
  return { account, team };
}

export const serviceAccountsOf = ({ actor }: Context, teamId: string): List<'ServiceAccount'> => ({
  key: teamId,
  spec: {
    model: 'ServiceAccount',
    parent: { field: 'teamId' },
    order: ['name', 'id'],
    where: visibleBesides(actor, 'teamId'),
  },
});

/** The user or service account that made a change, or null if not visible to the actor. */
export async function visibleCaller(
  context: Context,
  { userId, serviceAccountId }: { userId: number | null; serviceAccountId: string | null },
): Promise<Row<'User'> | Row<'ServiceAccount'> | null> {
  if (userId !== null) return visibleUserById(context, userId);
  return serviceAccountId === null ? null : visibleServiceAccount(context, serviceAccountId);
}

export async function callerName(context: Context): Promise<string> {
  const { userId, serviceAccountId } = context.actor;
  if (userId !== null) return (await loadUser(context, userId)).nickName;
  return (await serviceAccountById(context, serviceAccountId!))?.name ?? '';
}
