import type { Context } from '../../../context.ts';
import { batchedRow, type List } from '../../../db/list.ts';
import type { Row } from '../../../db/tables.ts';
import { seesIn } from '../reads.ts';
import { visibleBesides } from '../visible-reads.ts';

export const groupRolesOf = ({ actor }: Context, teamId: string): List<'GroupRole'> => ({
  key: teamId,
  spec: {
    model: 'GroupRole',
    parent: { field: 'teamId' },
    order: ['group', 'id'],
    where: visibleBesides(actor, 'teamId'),
  },
});

const groupRoleById = batchedRow('GroupRole', 'id');

export async function visibleGroupRole(context: Context, id: string): Promise<Row<'GroupRole'> | null> {
  const groupRole = await groupRoleById(context, id);
  return groupRole && (await seesIn(context, { teamId: groupRole.teamId })) ? groupRole : null;
}
