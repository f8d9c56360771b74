import type { Context } from '../../context.ts';
import type { List } from '../../db/list.ts';
import type { Filter } from '../../db/query/statement.ts';
import { fold } from '../../kernel/validate.ts';
import { visibleTeams } from '../team/visible-reads.ts';
import { regionOrders } from './model.ts';

interface RegionFilter {
  search?: string | null;
  status?: string | null;
  orderBy?: { field: keyof typeof regionOrders; direction?: string | null } | null;
}

const filtered = ({ search, status }: RegionFilter): Filter<'Region'>[] => [
  ...(search ? [{ field: 'folded' as const, contains: fold(search) }] : []),
  ...(status ? [{ field: 'status' as const, is: status }] : []),
];

const orderOf = ({ orderBy }: RegionFilter) => ({
  order: regionOrders[orderBy?.field ?? 'NAME'],
  descending: orderBy?.direction === 'desc',
});

/** The regions that are open for a team, in any status. */
export const regionsOfTeam = (teamId: string, filter: RegionFilter): List<'Region'> => ({
  key: teamId,
  spec: {
    model: 'Region',
    parent: { through: 'TeamRegion', parent: 'teamId', target: 'regionId', field: 'id' },
    where: filtered(filter),
    ...orderOf(filter),
  },
});

/** The regions of an enterprise that are visible to the actor. */
export const regionsOfEnterprise = (
  context: Context,
  enterpriseId: string,
  filter: RegionFilter,
): List<'Region'> => ({
  key: enterpriseId,
  spec: {
    model: 'Region',
    parent: { field: 'enterpriseId' },
    where: [
      ...(context.actor.everywhere
        ? []
        : [
            {
              any: [
                { field: 'scope' as const, is: 'public' },
                {
                  field: 'id' as const,
                  through: 'TeamRegion' as const,
                  on: 'regionId',
                  where: [{ field: 'teamId', in: [...context.actor.teams.keys()] }],
                },
              ],
            },
          ]),
      ...filtered(filter),
    ],
    ...orderOf(filter),
  },
});

/** The teams that a region is open for and that are visible to the actor. */
export const teamsOfRegion = (context: Context, regionId: string): List<'Team'> => ({
  key: regionId,
  spec: {
    model: 'Team',
    parent: { through: 'TeamRegion', parent: 'regionId', target: 'teamId', field: 'id' },
    order: ['name', 'id'],
    where: visibleTeams(context),
  },
});
