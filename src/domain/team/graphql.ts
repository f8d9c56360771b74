import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { viewerCan } from '../../graphql/schema/viewer-can.ts';
import { allows, placeOf } from '../../kernel/access.ts';
import { search } from '../../kernel/validate.ts';
import { Enterprise } from '../enterprise/graphql.ts';
import { loadEnterprise } from '../enterprise/reads.ts';
import { User } from '../user/graphql.ts';
import { visibleUserById } from '../user/reads.ts';
import { teamActions } from './action-model.ts';
import { createTeam, deleteTeam, teamRef, teamRole, updateTeam } from './model.ts';
import * as operations from './operations.ts';
import {
  componentCountOf,
  type OwnRole,
  ownRole,
  ownTeams,
  regionCountOf,
  requireTeam,
  teamsOfEnterprise,
  visibleTeam,
} from './reads.ts';

export const TeamRef = referenceOf('TeamRef', teamRef, 'Identifies a team. Set exactly one field.');

export const TeamRole = enumOf(
  'TeamRole',
  teamRole,
  'The role of a member in a team. In the order VIEWER, DEVELOPER, ADMIN, OWNER, each role includes the rights of the roles before it.',
  {
    viewer: 'All read operations.',
    developer:
      'Can also change applications, components, ports and gateway rules, and install and upgrade templates.',
    admin: 'Can also change the members and regions of the team.',
    owner: 'Can also change the team itself.',
  },
);

const RoleInfo = builder.objectRef<OwnRole>('RoleInfo').implement({
  description: 'A role of the caller in a team.',
  fields: (t) => ({
    role: t.expose('role', {
      type: TeamRole,
      description: restName('The role. VIEWER for a role of the enterprise, which has a `name`.', 'role_id'),
    }),
    name: t.string({
      description: restName('The name of the role.', 'role_name'),
      resolve: ({ role, custom }) => custom?.name ?? role,
    }),
  }),
});

export const Team = entity('Team', 'Team', {
  description: 'A team, also called a tenant. It owns applications in the regions that are open for it.',
  read: visibleTeam,
  id: (row) => row.id,
  revision: 'Changes of its members, regions and quotas are not counted.',
  fields: (t) => ({
    uid: t.exposeID('id', {
      description: restName('The id of the team. Use it as `teamId` in references.', 'tenant_id'),
    }),
    name: t.exposeString('name', { description: restName('The unique name, a DNS label.', 'tenant_name') }),
    alias: t.exposeString('alias', { description: restName('The display name.', 'tenant_alias') }),
    isActive: t.exposeBoolean('isActive', {
      description: restName(
        'Whether the team is active. Always true, because teams are deleted and not deactivated.',
        'is_active',
      ),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: restName('The creation time.', 'create_time'),
    }),
    creator: relatedOrNull(t, 'creatorId', User, {
      read: visibleUserById,
      description: restName(
        'The user who created it. Null if the account no longer exists or is not visible to the caller.',
        'creater',
      ),
    }),
    roles: t.using('id').field({
      type: [RoleInfo],
      description: restName(
        'The roles of the caller in the team. Empty if the caller is an administrator who is not a member.',
        'role_infos',
      ),
      resolve: async (team, _, context) => {
        const own = await ownRole(context, team.id);
        return own ? [own] : [];
      },
    }),
    componentCount: t.using('id').int({
      description: restName('The number of components of the team, in all regions.', 'service_num'),
      resolve: (team, _, context) => componentCountOf(context, team.id),
    }),
    regionCount: t.using('id').int({
      description: restName('The number of regions that are open for the team.', 'region_num'),
      resolve: (team, _, context) => regionCountOf(context, team.id),
    }),
    enterprise: related(t, 'enterpriseId', Enterprise, {
      read: loadEnterprise,
      description: restName('The enterprise of the team.', 'enterprise_id'),
    }),
  }),
});

const TeamOrder = orderInput('Team', { NAME: 'Name.', CREATED_AT: 'Creation time.' });

const listArgs = builder.args((t) => ({
  search: t.string({
    description: restName('A case-insensitive substring of the name or alias.', 'query'),
    validate: validatedBy(search()),
  }),
  orderBy: t.field({ type: TeamOrder, description: 'The sort order. Defaults to name.' }),
}));

lookup('team', Team, {
  description: 'Looks up a team. Fails with NOT_FOUND if it does not exist or is not visible to the caller.',
  ref: TeamRef,
  schema: teamRef,
  read: requireTeam,
});

builder.queryField('teams', (t) =>
  connectionField(t, {
    node: Team,
    plural: 'teams',
    description: 'The teams that the caller is a member of. REST: `GET /teams`.',
    args: listArgs,
    list: (_, args, context) => ownTeams(context, args),
  }),
);

builder.objectField(Enterprise, 'teams', (t) =>
  connectionField(t.using('id'), {
    node: Team,
    plural: 'teams',
    description:
      'The teams of the enterprise. Administrators see all teams, other callers the teams that they are a member of.',
    args: listArgs,
    list: (enterprise, args, context) => teamsOfEnterprise(context, enterprise.id, args),
  }),
);

mutation('createTeam', {
  description: 'Creates a team.',
  input: createTeam,
  run: async (context, input) => ({ team: await operations.createTeam(context, input) }),
  payload: (t) => ({ team: t.expose('team', { type: Team, description: 'The new team.' }) }),
});

mutation('updateTeam', {
  description:
    'Changes the display name of a team. The name, which is part of default domains, cannot change.',
  input: updateTeam,
  run: async (context, input) => ({ team: await operations.updateTeam(context, input) }),
  payload: (t) => ({ team: t.expose('team', { type: Team, description: 'The changed team.' }) }),
});

mutation('deleteTeam', {
  description:
    'Deletes a team with its memberships, service accounts, webhooks, the roles of groups, certificates, registry credentials, app store connections, domains and openings of regions. Its audit events remain. Fails with CONFLICT while it has applications or unfinished jobs.',
  input: deleteTeam,
  run: operations.deleteTeam,
  payload: (t) => ({
    team: t.expose('team', { type: Team, description: 'The deleted team.' }),
  }),
});

viewerCan(Team, {
  noun: 'a team',
  actions: teamActions,
  columns: ['id', 'enterpriseId'],
  decide: ({ actor }, team, action) => allows(actor, action, placeOf(team)),
});
