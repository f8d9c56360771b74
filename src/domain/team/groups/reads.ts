import type { Context } from '../../../context.ts';
import { batchedRow, type List } from '../../../db/list.ts';
import type { Row } from '../../../db/tables.ts';
import { visibleTeam } from '../reads.ts';

export const groupRolesOf = (teamId: string): List<'GroupRole'> => ({
  key: teamId,
  spec: { model: 'GroupRole', parent: { field: 'teamId' }, order: ['group', 'id'] },
});

const groupRoleById = batchedRow('GroupRole', 'id');

export async function visibleGroupRole(context: Context, id: string): Promise<Row<'GroupRole'> | null> {
  const groupRole = await groupRoleById(context, id);
  return groupRole && (await visibleTeam(context, groupRole.teamId)) ? groupRole : null;
}
