import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, lockRows } from '../../db/write/change.ts';
import { ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { requireAdministrator, requireInvitee, requireUser } from '../user/reads.ts';
import type { AddTeamMember, CreateTeam, RemoveTeamMember } from './model.ts';
import { requireRole, requireTeam } from './reads.ts';
import { insertMember, insertTeam, removeMember } from './rows.ts';

export async function createTeam(context: Context, input: CreateTeam): Promise<Row<'Team'>> {
  requireAdministrator(context, 'create teams');
  const owner = await requireUser(context, input.owner ?? { userId: context.actor.userId });
  const alias = input.alias ?? input.name;
  return change(
    context,
    'team.create',
    (write) => {
      const { enterpriseId, userId: creatorId } = context.actor;
      return insertTeam(write, { enterpriseId, name: input.name, alias, creatorId }, owner.id);
    },
    () => `A team named ${input.name} already exists.`,
  );
}

export async function addTeamMember(context: Context, input: AddTeamMember): Promise<Row<'Membership'>> {
  const team = await requireTeam(context, input.team, 'admin');
  if (input.role === 'owner') requireRole(context, team, 'owner');
  const user = await requireInvitee(context, input.user);
  return change(
    context,
    'team.add_member',
    (write) => insertMember(write, { teamId: team.id, userId: user.id, role: input.role }),
    () => `${user.email} is already a member of the team ${team.name}.`,
  );
}

/** Removes a member and returns the deleted membership. CONFLICT for the last owner of the team. */
export async function removeTeamMember(
  context: Context,
  input: RemoveTeamMember,
): Promise<Row<'Membership'>> {
  const team = await requireTeam(context, input.team, 'admin');
  const user = await requireUser(context, input.user);
  return change(context, 'team.remove_member', async (write) => {
    const { tx } = write;
    await lockRows(write, 'Team', team.id);
    const membership = await tx.membership.findUnique({
      where: { teamId_userId: { teamId: team.id, userId: user.id } },
    });
    if (!membership) throw new NotFoundError('team member');
    if (membership.role === 'owner') {
      requireRole(context, team, 'owner');
      const owners = await tx.membership.count({ where: { teamId: team.id, role: 'owner' } });
      if (owners === 1)
        throw new ConflictError(
          `${user.email} is the last owner of the team ${team.name}. Add another owner first.`,
        );
    }
    await removeMember(write, membership);
    return membership;
  });
}
