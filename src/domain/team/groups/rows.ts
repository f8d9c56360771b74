import type { Row } from '../../../db/tables.ts';
import { deleteByIds } from '../../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../../db/write/change.ts';
import { revised } from '../../../db/write/revision.ts';
import type { Role } from '../../../kernel/actions.ts';
import { newId } from '../../../kernel/new-id.ts';

type GroupRole = Row<'GroupRole'>;

const subjectOf = ({ id }: GroupRole) => ({ type: 'GroupRole', id }) as const;

export async function insertGroupRole(
  { tx, recordEvent }: Write,
  data: Pick<GroupRole, 'teamId' | 'group' | 'role'>,
): Promise<GroupRole> {
  const id = newId();
  const after = await tx.groupRole.create({ data: { id, ...data, createdAt: new Date() } });
  recordEvent({ subject: subjectOf(after), name: after.group, teamId: after.teamId, after });
  return after;
}

export async function changeGroupRole(
  { tx, recordEvent }: Write,
  before: GroupRole,
  role: Role,
): Promise<GroupRole> {
  const after = await tx.groupRole.update({ where: { id: before.id }, data: revised(before, { role }) });
  recordEvent({ subject: subjectOf(before), name: before.group, teamId: before.teamId, before, after });
  return after;
}

export async function removeGroupRole(write: StatementWrite, groupRole: GroupRole): Promise<void> {
  await deleteByIds(write, 'GroupRole', [groupRole]);
  const { group: name, teamId } = groupRole;
  write.recordEvent({ subject: subjectOf(groupRole), name, teamId, before: groupRole });
}
