import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, requireRightsStill, type Write } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { type Expecting, requireRevision } from '../../db/write/revision.ts';
import { allowsOwn, requireRight } from '../../kernel/access.ts';
import { actionsOfRole, type Role } from '../../kernel/actions.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { invalid } from '../../kernel/validate.ts';
import type { ApplicationRef } from '../application/model.ts';
import { namedApplication } from '../application/reads.ts';
import type { RoleRef } from '../role/model.ts';
import { parseActions, requireRole, roleById } from '../role/reads.ts';
import {
  type RoleRights,
  requireAllowed,
  requireGiving,
  requireTeam,
  requireTeamFor,
} from '../team/reads.ts';
import { insertMember, removeMember, requireTaking, setMember } from '../team/rows.ts';
import { requireInvitee, requireUser } from '../user/reads.ts';
import type { AddTeamMember, ChangeTeamMemberRole, RemoveTeamMember } from './model.ts';

interface GivenRole {
  role?: Role | null | undefined;
  customRole?: RoleRef | null | undefined;
}

/** The columns of the role that an input names, for a caller who may give it. */
async function roleColumns(
  context: Context,
  team: Row<'Team'>,
  { role, customRole }: GivenRole,
): Promise<Pick<Row<'Membership'>, 'role' | 'roleId'>> {
  if (role) {
    requireGiving(context, team, { role, actions: actionsOfRole(role) });
    return { role, roleId: null };
  }
  const custom = await requireRole(context, customRole!);
  requireGiving(context, team, { role: null, actions: parseActions(custom.actions) });
  // The column always has a built-in role; that of the custom role counts.
  return { role: 'viewer', roleId: custom.id };
}

/** The ids of applications of the team, as they are stored. */
async function applicationColumn(
  context: Context,
  team: Row<'Team'>,
  refs: readonly ApplicationRef[] | null,
): Promise<string | null> {
  if (refs === null) return null;
  const applications = await Promise.all(refs.map((ref) => namedApplication(context, ref)));
  const other = applications.findIndex(({ teamId }) => teamId !== team.id);
  if (other >= 0) throw invalid(['input', 'applications', other], 'Must be an application of the team');
  return JSON.stringify([...new Set(applications.map(({ id }) => id))].sort((one, another) => one - another));
}

export async function addTeamMember(context: Context, input: AddTeamMember): Promise<Row<'Membership'>> {
  const team = await requireTeamFor(context, input.team, 'addTeamMember');
  const columns = await roleColumns(context, team, input);
  const applications = await applicationColumn(context, team, input.applications ?? null);
  const user = await requireInvitee(context, input.user);
  return change(
    context,
    'team.add_member',
    (write) =>
      insertMember(write, {
        teamId: team.id,
        userId: user.id,
        ...columns,
        applications,
        isFromGroup: false,
      }),
    () => `${user.email} is already a member of the team ${team.name}.`,
  );
}

/** Changes the role of a member. CONFLICT if the team would have no owner. */
export async function changeTeamMemberRole(
  context: Context,
  { team: ref, user: userRef, role, customRole, applications, ...expecting }: ChangeTeamMemberRole,
): Promise<Row<'Membership'>> {
  const team = await requireTeamFor(context, ref, 'changeTeamMemberRole');
  const user = await requireUser(context, userRef);
  const columns = await roleColumns(context, team, { role, customRole });
  const limited =
    applications === undefined ? undefined : await applicationColumn(context, team, applications);
  return change(context, 'team.change_member_role', async (write) => {
    const membership = await lockMembership(write, team, user, expecting);
    await requireTaking(write, team, await roleOf(context, membership));
    if (membership.role === 'owner' && columns.role !== 'owner') {
      await requireAnotherOwner(write, team, user);
    }
    return setMember(write, membership, {
      ...columns,
      // An owner is not limited.
      applications:
        columns.role === 'owner' ? null : limited === undefined ? membership.applications : limited,
    });
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
  if (isLeaving) requireLeaving(context, team);
  else requireAllowed(context, team, 'removeTeamMember');
  return change(context, 'team.remove_member', async (write) => {
    const membership = await lockMembership(write, team, user, input);
    if (!isLeaving) await requireTaking(write, team, await roleOf(context, membership));
    if (membership.role === 'owner') await requireAnotherOwner(write, team, user);
    await removeMember(write, membership);
    return membership;
  });
}

const requireLeaving = (context: Context, team: Row<'Team'>): void =>
  requireRight(context, (actor) => {
    if (allowsOwn(actor, 'removeTeamMember', team.id)) return;
    throw new ForbiddenError('The access token does not allow this change. Use one with more rights.');
  });

/**
 * The membership of a user. Locks the team until the commit, so that concurrent changes of its members happen one after the
 * other.
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
  await requireRightsStill(context, tx);
  if (membership.isFromGroup) {
    throw new ConflictError(
      `${user.email} is a member of the team ${team.name} through a group of the identity provider. Change the role or the members of the group.`,
    );
  }
  requireRevision(membership, expecting, 'membership');
  return membership;
}

/** The role of a membership, with what it allows. */
async function roleOf(context: Context, { role, roleId }: Row<'Membership'>): Promise<RoleRights> {
  if (roleId === null) return { role: role as Role, actions: actionsOfRole(role as Role) };
  return { role: null, actions: parseActions((await roleById(context, roleId))?.actions ?? '[]') };
}

async function requireAnotherOwner({ tx }: Write, team: Row<'Team'>, user: Row<'User'>): Promise<void> {
  const owners = await tx.membership.count({ where: { teamId: team.id, role: 'owner' } });
  if (owners > 1) return;
  throw new ConflictError(
    `${user.email} is the last owner of the team ${team.name}. Add another owner first.`,
  );
}
