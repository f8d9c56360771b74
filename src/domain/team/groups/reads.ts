import type { Context } from '../../../context.ts';
import { batchedRow, type List } from '../../../db/list.ts';
import { visibleIn } from '../reads.ts';
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

export const visibleGroupRole = visibleIn(groupRoleById);
