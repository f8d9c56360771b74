import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, requireRightsStill, type Write } from '../../db/write/change.ts';
import { locked } from '../../db/write/locked.ts';
import { lockRows } from '../../db/write/locks.ts';
import { type Expecting, patched } from '../../db/write/revision.ts';
import { allActions } from '../../kernel/actions.ts';
import { ConflictError } from '../../kernel/errors.ts';
import type { CreateUser, UpdateUser } from './model.ts';
import { ownUser, requireAdministrator, requireChangeableUser, requireGivingEverywhere } from './reads.ts';
import { insertUser, setUser } from './rows.ts';

export async function createUser(context: Context, input: CreateUser): Promise<Row<'User'>> {
  requireAdministrator(context, 'createUser');
  if (input.isAdministrator) requireGivingEverywhere(context, allActions);
  const email = input.email.toLowerCase();
  return change(
    context,
    'user.create',
    (write) =>
      insertUser(write, {
        enterpriseId: context.actor.enterpriseId,
        email,
        nickName: input.nickName,
        phone: input.phone ?? '',
        isAdministrator: input.isAdministrator ?? false,
        createdAt: new Date(),
      }),
    () => `A user with the email address ${email} already exists.`,
  );
}

/**
 * Changes a user. Users change their own name and phone number; administrators all fields of every user. CONFLICT if
 * no active administrator would be left.
 */
export async function updateUser(context: Context, input: UpdateUser): Promise<Row<'User'>> {
  const user = await requireChangeableUser(context, input.user ?? ownUser(context));
  const { phone, isActive, isAdministrator } = input;
  if (isActive != null || isAdministrator != null) {
    requireAdministrator(context, 'updateUser', 'change whether a user is active or an administrator');
  }
  // A user who is active again has all rights of before.
  if (isAdministrator || isActive) requireGivingEverywhere(context, allActions);
  return change(context, 'user.update', async (write) => {
    const before = await lockUser(write, user, input, isActive === false || isAdministrator === false);
    const columns = { ...input, phone: phone === null ? '' : phone };
    return setUser(
      write,
      before,
      patched(before, columns, ['nickName', 'phone', 'isActive', 'isAdministrator']),
    );
  });
}

/**
 * Locks a user until the commit. If the user stops being an active administrator, the enterprise is locked as well, so that
 * two administrators cannot demote each other at once: the rights of the second are checked again after the wait.
 */
async function lockUser(
  write: Write<Context>,
  { id, enterpriseId, email }: Row<'User'>,
  expecting: Expecting,
  isDemotion: boolean,
): Promise<Row<'User'>> {
  const { context, tx } = write;
  if (isDemotion) {
    await lockRows(write, 'Enterprise', enterpriseId);
    await requireRightsStill(context, tx);
  }
  const user = await locked(write, 'User', id, expecting);
  if (isDemotion && user.isActive && user.isAdministrator) {
    const others = { enterpriseId, isActive: true, isAdministrator: true, id: { not: id } };
    if (!(await tx.user.findFirst({ where: others, select: { id: true } }))) {
      throw new ConflictError(
        `${email} is the last active administrator of the enterprise. Make another user an administrator first.`,
      );
    }
  }
  return user;
}
