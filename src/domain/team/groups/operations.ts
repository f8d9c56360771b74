import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { change, requireRightsStill } from '../../../db/write/change.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { requireRevision } from '../../../db/write/revision.ts';
import { actionsOfRole, type Role } from '../../../kernel/actions.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { requireGiving, requireTeamFor } from '../reads.ts';
import { requireTaking } from '../rows.ts';
import { maxGroupRoles, type SetGroupRole } from './model.ts';
import { changeGroupRole, insertGroupRole, removeGroupRole } from './rows.ts';

/** Sets the role of a group in a team, or takes it away. Members of the group get it when they sign in the next time. */
export async function setGroupRole(
  context: Context,
  input: SetGroupRole,
): Promise<{ team: Row<'Team'>; groupRole: Row<'GroupRole'> | null }> {
  const team = await requireTeamFor(context, input.team, 'setGroupRole');
  const { group, role } = input;
  if (role) requireGiving(context, team, { role, actions: actionsOfRole(role) });
  const groupRole = await change(context, 'team.set_group_role', async (write) => {
    await lockRows(write, 'Team', team.id);
    const before = await write.tx.groupRole.findUnique({
      where: { teamId_group: { teamId: team.id, group } },
    });
    const taken = before && (before.role as Role);
    if (taken) await requireTaking(write, team, { role: taken, actions: actionsOfRole(taken) });
    else await requireRightsStill(context, write.tx);
    requireRevision(before ?? { revision: 0 }, input, 'role of the group');
    if (role === null) {
      if (before) await removeGroupRole(write, before);
      return null;
    }
    if (before) return changeGroupRole(write, before, role);
    const count = await write.tx.groupRole.count({ where: { teamId: team.id } });
    if (count >= maxGroupRoles) {
      throw new ConflictError(
        `${maxGroupRoles} groups have a role in the team ${team.name}. Remove one first.`,
      );
    }
    return insertGroupRole(write, { teamId: team.id, group, role });
  });
  return { team, groupRole };
}
