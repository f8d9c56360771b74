import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import { type Write, withAction } from '../../../db/write/change.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { type Role, roles } from '../../../kernel/actions.ts';
import type { SignInHook } from '../../user/hooks.ts';
import type { TeamHooks } from '../hooks.ts';
import { insertMember, removeMember, setMember } from '../rows.ts';
import { removeGroupRole } from './rows.ts';

/** Gives a user who signs in the memberships that their groups give now, and takes away those that others gave. */
export const membershipsOfGroups: SignInHook = async (write, user, groups) => {
  const wanted = await rolesOfGroups(write, user, groups);
  const fromGroups = await write.tx.membership.findMany({ where: { userId: user.id, isFromGroup: true } });
  const teamIds = [...new Set([...wanted.keys(), ...fromGroups.map(({ teamId }) => teamId)])];
  if (teamIds.length === 0) return;
  // As changes of members do, so that they happen one after the other.
  await lockRows(write, 'Team', ...teamIds);
  const teams = await write.tx.team.findMany({ where: { id: { in: teamIds } }, select: { id: true } });
  const existing = await write.tx.membership.findMany({
    where: { userId: user.id, teamId: { in: teamIds } },
  });
  const membershipOf = new Map(existing.map((membership) => [membership.teamId, membership]));
  // A team can have been deleted during the wait.
  for (const { id: teamId } of teams) {
    await follow(write, { user, teamId, membership: membershipOf.get(teamId), role: wanted.get(teamId) });
  }
};

/** The highest role that the groups give in each team of the user's enterprise. */
async function rolesOfGroups(
  { tx }: Write,
  { enterpriseId }: Row<'User'>,
  groups: readonly string[],
): Promise<Map<string, Role>> {
  const groupRoles = await tx.groupRole.findMany({
    where: { group: { in: [...groups] }, team: { enterpriseId } },
    select: { teamId: true, role: true },
  });
  const highest = new Map<string, Role>();
  for (const { teamId, role } of groupRoles as { teamId: string; role: Role }[]) {
    const current = highest.get(teamId);
    if (!current || roles.indexOf(role) > roles.indexOf(current)) highest.set(teamId, role);
  }
  return highest;
}

interface Following {
  user: Row<'User'>;
  teamId: string;
  membership: Row<'Membership'> | undefined;
  /** The role that the groups give. Undefined if they give none. */
  role: Role | undefined;
}

/** Memberships that were made by hand stay as they are, and so does the last owner of a team. */
async function follow(write: Write, { user, teamId, membership, role }: Following): Promise<void> {
  if (!membership) {
    if (!role) return;
    const columns = { role, roleId: null, applications: null, isFromGroup: true };
    await insertMember(withAction(write, 'team.add_member'), { teamId, userId: user.id, ...columns });
    return;
  }
  if (!membership.isFromGroup || membership.role === role) return;
  if (membership.role === 'owner') {
    const owners = await write.tx.membership.count({ where: { teamId, role: 'owner' } });
    if (owners === 1) return;
  }
  if (role) {
    const columns = { role, roleId: null, applications: null };
    await setMember(withAction(write, 'team.change_member_role'), membership, columns);
  } else await removeMember(withAction(write, 'team.remove_member'), membership);
}

export const groupRolesOfTeam: TeamHooks = {
  async deleting(write, { id: teamId }) {
    for (const groupRole of await findByKeys(write, 'GroupRole', 'teamId', [teamId], ['group'])) {
      await removeGroupRole(withAction(write, 'team.set_group_role'), groupRole);
    }
  },
};
