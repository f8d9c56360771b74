import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { deleteByIds, findByKeys } from '../../db/write/bulk.ts';
import { requireRightsStill, type StatementWrite, type Write } from '../../db/write/change.ts';
import { revised } from '../../db/write/revision.ts';
import { newId } from '../../kernel/new-id.ts';
import { fold } from '../../kernel/validate.ts';
import { type RoleRights, requireGiving } from './reads.ts';

/** A role is taken by those who may give it. After the wait for a lock, the caller may no longer be one of them. */
export async function requireTaking(
  { context, tx }: Write<Context>,
  team: Row<'Team'>,
  taken: RoleRights,
): Promise<void> {
  requireGiving(context, team, taken);
  await requireRightsStill(context, tx);
}

/** Adds a team with its first owner, who is included in its event. */
export async function insertTeam(
  { tx, recordEvent, announce }: Write,
  team: Pick<Row<'Team'>, 'enterpriseId' | 'name' | 'alias' | 'creatorId'>,
  ownerId: number,
): Promise<Row<'Team'>> {
  const now = new Date();
  const inserted = await tx.team.create({
    data: { id: newId(), ...team, createdAt: now, folded: fold(team.name, team.alias) },
  });
  const { id } = inserted;
  await tx.membership.create({
    data: { id: newId(), teamId: id, userId: ownerId, role: 'owner', joinedAt: now },
  });
  recordEvent({ subject: { type: 'Team', id }, teamId: id, after: { ...inserted, ownerId } });
  announce('rights');
  return inserted;
}

/** Sets the display name. The name is part of default domains and never changes. */
export async function setTeam(
  { tx, recordEvent }: Write,
  before: Row<'Team'>,
  { alias }: Pick<Row<'Team'>, 'alias'>,
): Promise<Row<'Team'>> {
  const { id } = before;
  const folded = fold(before.name, alias);
  const after = await tx.team.update({ where: { id }, data: revised(before, { alias, folded }) });
  recordEvent({ subject: { type: 'Team', id }, teamId: id, before, after });
  return after;
}

/** Deletes a team with its memberships. The hooks have deleted what else belongs to it. */
export async function removeTeam(write: StatementWrite, team: Row<'Team'>): Promise<void> {
  const { recordEvent, announce } = write;
  const { id: teamId } = team;
  const memberships = await findByKeys(write, 'Membership', 'teamId', [teamId], ['userId']);
  const userIds = memberships.map(({ userId }) => userId);
  const users = await findByKeys(write, 'User', 'id', userIds, ['id'], { fields: ['id', 'email'] });
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  await deleteByIds(write, 'Membership', memberships);
  for (const { id, userId, role } of memberships) {
    recordEvent({
      action: 'team.remove_member',
      subject: { type: 'TeamMember', id },
      name: emails.get(userId),
      teamId,
      before: { userId, role },
    });
  }
  await deleteByIds(write, 'Team', [team]);
  recordEvent({ subject: { type: 'Team', id: teamId }, teamId, before: team });
  announce('rights');
}

type MemberRole = Pick<Row<'Membership'>, 'role' | 'roleId' | 'applications'>;
type Member = MemberRole & Pick<Row<'Membership'>, 'teamId' | 'userId' | 'isFromGroup'>;

/** The recorded fields of a membership. */
const recorded = ({ userId, role, roleId, applications, isFromGroup }: Omit<Member, 'teamId'>) => ({
  userId,
  role,
  ...(roleId !== null && { roleId }),
  ...(applications !== null && { applications }),
  ...(isFromGroup && { isFromGroup }),
});

export async function insertMember(
  { tx, recordEvent, announce }: Write,
  member: Member,
): Promise<Row<'Membership'>> {
  const membership = await tx.membership.create({ data: { id: newId(), ...member, joinedAt: new Date() } });
  const { id, teamId } = membership;
  recordEvent({ subject: { type: 'TeamMember', id }, teamId, after: recorded(member) });
  announce('rights');
  return membership;
}

export async function setMember(
  { tx, recordEvent, announce }: Write,
  before: Row<'Membership'>,
  data: MemberRole,
): Promise<Row<'Membership'>> {
  const { id, teamId } = before;
  const membership = await tx.membership.update({ where: { id }, data: revised(before, data) });
  recordEvent({
    subject: { type: 'TeamMember', id },
    teamId,
    before: recorded(before),
    after: recorded(membership),
  });
  announce('rights');
  return membership;
}

export async function removeMember(
  { tx, recordEvent, announce }: Write,
  membership: Row<'Membership'>,
): Promise<void> {
  const { id, teamId } = membership;
  await tx.membership.delete({ where: { id } });
  recordEvent({ subject: { type: 'TeamMember', id }, teamId, before: recorded(membership) });
  announce('rights');
}
