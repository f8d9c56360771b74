import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, type Write } from '../../db/write/change.ts';
import { locked, lockedForDelete } from '../../db/write/locked.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { nameList, nameListQuery } from '../../kernel/name-list.ts';
import { requireAdministrator, requireGivingEverywhere } from '../user/reads.ts';
import type { CreateRole, DeleteRole, UpdateRole } from './model.ts';
import { requireRole, storedActions } from './reads.ts';
import { insertRole, removeRole, setRoleActions } from './rows.ts';

const taken = (name: string) => () => `A role named ${name} already exists.`;

export async function createRole(context: Context, { name, actions }: CreateRole): Promise<Row<'Role'>> {
  requireAdministrator(context, 'createRole');
  requireGivingEverywhere(context, actions);
  const { enterpriseId } = context.actor;
  return change(
    context,
    'role.create',
    (write) => insertRole(write, { enterpriseId, name, actions: storedActions(actions) }),
    taken(name),
  );
}

/** Changes a role. Its members may do what it allows from now on. */
export async function updateRole(context: Context, input: UpdateRole): Promise<Row<'Role'>> {
  requireAdministrator(context, 'updateRole');
  const target = await requireRole(context, input.role);
  if (input.actions) requireGivingEverywhere(context, input.actions);
  return change(
    context,
    'role.update',
    async (write) => {
      const before = await locked(write, 'Role', target.id, input);
      return setRoleActions(write, before, {
        name: input.name ?? before.name,
        actions: input.actions ? storedActions(input.actions) : before.actions,
      });
    },
    taken(input.name ?? target.name),
  );
}

/** Deletes a role and returns it. CONFLICT while it has members. */
export async function deleteRole(context: Context, input: DeleteRole): Promise<Row<'Role'>> {
  requireAdministrator(context, 'deleteRole');
  const target = await requireRole(context, input.role);
  return change(context, 'role.delete', async (write) => {
    const role = await lockedForDelete(write, 'Role', target.id, input);
    await requireUnused(write, role);
    await removeRole(write, role);
    return role;
  });
}

async function requireUnused({ tx }: Write, { id, name }: Row<'Role'>): Promise<void> {
  const where = { roleId: id };
  const members = await tx.membership.findMany({
    where,
    select: { team: { select: { name: true } }, user: { select: { email: true } } },
    orderBy: { id: 'asc' },
    ...nameListQuery,
  });
  if (members.length === 0) return;
  const names = members.map(({ team, user }) => `${user.email} in ${team.name}`);
  const list = nameList(names, await tx.membership.count({ where }));
  throw new ConflictError(`The role ${name} is the role of ${list}. Give them another role first.`);
}
