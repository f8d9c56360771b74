import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { named, pageAnswer, pageAt, paging, searched } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { fieldsOf, view } from '../../rest/view.ts';
import { visibleUserById } from '../user/reads.ts';
import type { TeamRef } from './model.ts';
import { componentCountOf, ownRole, ownTeams, regionCountOf, requireTeam, visibleTeam } from './reads.ts';

export const teamPath = { team_id: named('The id or name of the team. An id takes precedence.', 'retail') };

/** The team with this id or, if there is none, this name. */
export const teamNamed = async (context: Context, idOrName: string): Promise<TeamRef> =>
  (await visibleTeam(context, idOrName)) ? { teamId: idOrName } : { name: idOrName };

export const teamAt = async (context: Context, path: { team_id: string }): Promise<Row<'Team'>> =>
  requireTeam(context, await teamNamed(context, path.team_id));

const field = fieldsOf<Row<'Team'>>();

const teamInfo = view('TeamInfo', 'A team, also called a tenant.', {
  tenant_id: field(z.string(), 'The id of the team.', '6b1f0a3c5d7e49f08a2b4c6d8e0f1a2b', (team) => team.id),
  tenant_name: field(z.string(), 'Name of the team.', 'retail', (team) => team.name),
  tenant_alias: field(z.string(), 'The display name.', 'Retail', (team) => team.alias),
  enterprise_id: field(
    z.string(),
    "The id of the team's enterprise.",
    '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
    (team) => team.enterpriseId,
  ),
  is_active: field(
    z.boolean(),
    'Whether the team is active. Always true, because teams are deleted and not deactivated.',
    true,
    (team) => team.isActive,
  ),
  create_time: field(z.iso.datetime(), 'The creation time, in UTC.', '2026-01-31T12:00:00.000Z', (team) =>
    team.createdAt.toISOString(),
  ),
  creater: field.each(
    z.string(),
    'The name of the user who created the team. Empty if the account no longer exists or is not visible to the caller.',
    'admin',
    async (team, context) =>
      team.creatorId === null ? '' : ((await visibleUserById(context, team.creatorId))?.nickName ?? ''),
  ),
  role_infos: field.each(
    z.array(z.object({ role_name: z.string(), role_id: z.string() })),
    'The roles of the caller in the team.',
    [{ role_name: 'owner', role_id: 'owner' }],
    async (team, context) => {
      const role = await ownRole(context, team.id);
      return role
        ? [{ role_name: role.custom?.name ?? role.role, role_id: role.custom?.id ?? role.role }]
        : [];
    },
  ),
  service_num: field.each(
    z.int(),
    'The number of components of the team, in all regions.',
    25,
    (team, context) => componentCountOf(context, team.id),
  ),
  region_num: field.each(z.int(), 'The number of regions that are open for the team.', 2, (team, context) =>
    regionCountOf(context, team.id),
  ),
});

export const teamRoutes: Route[] = [
  route('get /teams', {
    operationId: 'listTeams',
    tag: 'Teams',
    summary: 'List teams',
    description: 'The teams that the caller is a member of, sorted by name.',
    query: { query: searched('the name or alias', 'ret'), ...paging },
    answer: pageAnswer('ListTeamResp', 'teams', 'tenants', teamInfo.schema),
    run: async (context, { query }) => {
      const { rows, total } = await pageAt(context, ownTeams(context, { search: query.query }), query);
      return { total, tenants: await teamInfo.all(context, rows) };
    },
  }),
];
