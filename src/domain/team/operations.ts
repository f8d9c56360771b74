import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, requireRightsStill, type Write } from '../../db/write/change.ts';
import { lockForDelete, lockRows } from '../../db/write/locks.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import { type Expecting, requireRevision } from '../../db/write/revision.ts';
import { ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { requireAdministrator, requireInvitee, requireUser } from '../user/reads.ts';
import { teamActions } from './action-model.ts';
import { teamHooks } from './hooks.ts';
import type {
  AddTeamMember,
  ChangeTeamMemberRole,
  CreateTeam,
  DeleteTeam,
  RemoveTeamMember,
  UpdateTeam,
} from './model.ts';
import { requireRole, requireTeam, requireTeamFor } from './reads.ts';
import { insertMember, insertTeam, removeMember, removeTeam, setRole, setTeam } from './rows.ts';

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
  const team = await requireTeamFor(context, input.team, 'addTeamMember');
  if (input.role === 'owner') requireRole(context, team, 'owner');
  const user = await requireInvitee(context, input.user);
  return change(
    context,
    'team.add_member',
    (write) => insertMember(write, { teamId: team.id, userId: user.id, role: input.role }),
    () => `${user.email} is already a member of the team ${team.name}.`,
  );
}

/** Changes the display name of a team. */
export async function updateTeam(context: Context, input: UpdateTeam): Promise<Row<'Team'>> {
  const team = await requireTeamFor(context, input.team, 'updateTeam');
  return change(context, 'team.update', async (write) => {
    await lockRows(write, 'Team', team.id);
    const before = await write.tx.team.findUniqueOrThrow({ where: { id: team.id } });
    requireRevision(before, input, 'team');
    return setTeam(write, before, { alias: input.alias ?? before.alias });
  });
}

/** Deletes a team with all that belongs to it. CONFLICT while it has applications or unfinished jobs. */
export async function deleteTeam(
  context: Context,
  input: DeleteTeam,
): Promise<{ team: Row<'Team'>; plan: ObjectChange[] }> {
  const found = await requireTeamFor(context, input.team, 'deleteTeam');
  const isDryRun = input.dryRun ?? false;
  const { result, plan } = await changeWithPlan(context, 'team.delete', { isDryRun }, async (write) => {
    for (const { locking } of teamHooks) await locking?.(write, found);
    await lockForDelete(write, 'Team', found.id);
    if (!isDryRun) await requireRightsStill(context, write.tx);
    const team = await write.tx.team.findUnique({ where: { id: found.id } });
    if (!team) throw new NotFoundError('team');
    requireRevision(team, input, 'team');
    for (const { checking } of teamHooks) await checking?.(write, team);
    for (const { deleting } of teamHooks) await deleting?.(write, team);
    await removeTeam(write, team);
    return team;
  });
  return { team: result, plan };
}

/** Changes the role of a member. CONFLICT if the team would have no owner. */
export async function changeTeamMemberRole(
  context: Context,
  { team: ref, user: userRef, role, ...expecting }: ChangeTeamMemberRole,
): Promise<Row<'Membership'>> {
  const team = await requireTeamFor(context, ref, 'changeTeamMemberRole');
  const user = await requireUser(context, userRef);
  if (role === 'owner') requireRole(context, team, 'owner');
  return change(context, 'team.change_member_role', async (write) => {
    const membership = await lockMembership(write, team, user, expecting);
    if (membership.role === 'owner' && role !== 'owner') await requireAnotherOwner(write, team, user);
    return setRole(write, membership, role);
  });
}

/** Removes a member and returns the deleted membership. Every member can leave. CONFLICT for the last owner of the team. */
export async function removeTeamMember(
  context: Context,
  input: RemoveTeamMember,
): Promise<Row<'Membership'>> {
  const team = await requireTeam(context, input.team);
  const user = await requireUser(context, input.user);
  const isLeaving = user.id === context.actor.userId;
  requireRole(context, team, isLeaving ? 'viewer' : teamActions.removeTeamMember.role);
  return change(context, 'team.remove_member', async (write) => {
    const membership = await lockMembership(write, team, user, input);
    if (membership.role === 'owner') await requireAnotherOwner(write, team, user);
    await removeMember(write, membership);
    return membership;
  });
}

/**
 * The membership of a user. Locks the team until the commit, so that concurrent changes of its members happen one after the
 * other. Changes of owners require an owner: after the wait, the caller may no longer be one.
 */
async function lockMembership(
  write: Write<Context>,
  team: Row<'Team'>,
  user: Row<'User'>,
  expecting: Expecting,
): Promise<Row<'Membership'>> {
  const { context, tx } = write;
  await lockRows(write, 'Team', team.id);
  const membership = await tx.membership.findUnique({
    where: { teamId_userId: { teamId: team.id, userId: user.id } },
  });
  if (!membership) throw new NotFoundError('team member');
  if (membership.role === 'owner') requireRole(context, team, 'owner');
  await requireRightsStill(context, tx);
  if (membership.isFromGroup) {
    throw new ConflictError(
      `${user.email} is a member of the team ${team.name} by a group of the identity provider. Change the role of the group, or the group.`,
    );
  }
  requireRevision(membership, expecting, 'membership');
  return membership;
}

async function requireAnotherOwner({ tx }: Write, team: Row<'Team'>, user: Row<'User'>): Promise<void> {
  const owners = await tx.membership.count({ where: { teamId: team.id, role: 'owner' } });
  if (owners > 1) return;
  throw new ConflictError(
    `${user.email} is the last owner of the team ${team.name}. Add another owner first.`,
  );
}
