import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Row } from '../../db/tables.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { visibleApplication } from '../application/reads.ts';
import { visibleIn } from '../team/reads.ts';
import { visibleBesides } from '../team/visible-reads.ts';

export const membersOf = ({ actor }: Context, teamId: string): List<'Membership'> => ({
  key: teamId,
  spec: {
    model: 'Membership',
    parent: { field: 'teamId' },
    order: ['userId'],
    where: visibleBesides(actor, 'teamId'),
  },
});

const membershipById = batchedRow('Membership', 'id');

export const visibleMembership = visibleIn(membershipById);

/** The applications that a membership is limited to, without those that were deleted or are not visible. Null if not limited. */
export const applicationsOfMember = derived(
  async ({ applications }: Pick<Row<'Membership'>, 'applications'>, context: Context) => {
    if (applications === null) return null;
    const ids = JSON.parse(applications) as number[];
    const rows = await Promise.all(ids.map((id) => visibleApplication(context, id)));
    return rows.filter((application) => application !== null);
  },
  ({ applications }) => lengthOf(applications),
);
