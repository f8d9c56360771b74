import type { Context } from '../context.ts';
import { batchedRow, type List } from '../db/list.ts';
import type { Row } from '../db/tables.ts';
import { ForbiddenError, NotFoundError } from '../kernel/errors.ts';
import { idOfType, numericId } from '../kernel/global-id.ts';
import type { UserRef } from './model.ts';

/** The user by its number; what hangs on a visible object may be seen. */
export const userById = batchedRow('User', 'id');
const userByEmail = batchedRow('User', 'email');

/** The user, if it belongs to the actor's enterprise: colleagues see each other. */
export async function visibleUser(context: Context, id: string | number): Promise<Row<'User'> | null> {
  const number = numericId(String(id));
  const user = number === undefined ? null : await userById(context, number);
  return user?.enterpriseId === context.actor.enterpriseId ? user : null;
}

export async function requireUser(context: Context, ref: UserRef): Promise<Row<'User'>> {
  const user =
    ref.email != null
      ? await userByEmail(context, ref.email.toLowerCase())
      : await visibleUser(context, ref.userId ?? idOfType('User', ref.id ?? '') ?? '');
  if (user?.enterpriseId !== context.actor.enterpriseId) throw new NotFoundError('user');
  return user;
}

export function requireAdministrator(context: Context, what: string): void {
  if (!context.actor.isAdministrator) throw new ForbiddenError(`Only enterprise administrators may ${what}.`);
}

/** Whether the actor may see the user's contact data. */
export const maySeeContact = ({ actor }: Context, user: Row<'User'>) =>
  actor.isAdministrator || actor.userId === user.id;

/** Administrators of the actor's enterprise, by number. */
export function administrators(context: Context, enterpriseId?: string | null): List<'User'> {
  requireAdministrator(context, 'list administrators');
  const key = enterpriseId ?? context.actor.enterpriseId;
  if (key !== context.actor.enterpriseId) throw new NotFoundError('enterprise');
  return {
    key,
    spec: {
      model: 'User',
      parent: { field: 'enterpriseId' },
      order: ['id'],
      where: [{ field: 'isAdministrator', is: true }],
    },
  };
}

/** Everybody of the actor's enterprise, by number. */
export function users(context: Context, search?: string | null): List<'User'> {
  requireAdministrator(context, 'list users');
  return {
    key: context.actor.enterpriseId,
    spec: {
      model: 'User',
      parent: { field: 'enterpriseId' },
      order: ['id'],
      where: search ? [{ field: 'folded', contains: search }] : [],
    },
  };
}
