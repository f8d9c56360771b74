import { builder } from '../../graphql/schema/builder.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList, addListQuery } from '../../graphql/schema/list.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { viewerCan } from '../../graphql/schema/viewer-can.ts';
import { allows, placeOf } from '../../kernel/access.ts';
import { search, words } from '../../kernel/validate.ts';
import { Enterprise } from '../enterprise/graphql.ts';
import { User } from '../user/graphql.ts';
import { createTeam, deleteTeam, teamRef, teamRole, updateTeam } from './model.ts';
import * as operations from './operations.ts';
import {
  componentCountOf,
  loadTeam,
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

const RoleInfo = objectType<OwnRole>('RoleInfo', {
  description: 'A role of the caller in a team.',
  exposes: {
    role: property(
      TeamRole,
      'The role. VIEWER for a role of the enterprise, which has a `name`. REST: `role_id`.',
    ),
  },
  fields: (t) => ({
    name: t.string({
      description: 'The name of the role. REST: `role_name`.',
      resolve: ({ role, custom }) => custom?.name ?? role,
    }),
  }),
});

export const Team = entity('Team', 'Team', {
  description: 'A team, also called a tenant. It owns applications in the regions that are open for it.',
  read: visibleTeam,
  load: loadTeam,
  revision: 'Changes of its members, regions and quotas are not counted.',
  uid: 'The id of the team. Use it as `teamId` in references. REST: `tenant_id`.',
  exposes: {
    'name: String!': 'The unique name, a DNS label. REST: `tenant_name`.',
    'alias: String!': 'The display name. REST: `tenant_alias`.',
    'isActive: Boolean!':
      'Whether the team is active. Always true, because teams are deleted and not deactivated. REST: `is_active`.',
    'createdAt: DateTime!': 'The creation time. REST: `create_time`.',
  },
  fields: (t) => ({
    creator: relatedOrNull(
      t,
      'creatorId',
      User,
      'The user who created the object. Null if the account no longer exists or is not visible to the caller. REST: `creater`.',
    ),
    roles: t.using('id').field({
      type: [RoleInfo],
      description:
        'The roles of the caller in the team. Empty if the caller is an administrator who is not a member. REST: `role_infos`.',
      resolve: async (team, _, context) => {
        const own = await ownRole(context, team.id);
        return own ? [own] : [];
      },
    }),
    componentCount: t.using('id').int({
      description: 'The number of components of the team, in all regions. REST: `service_num`.',
      resolve: (team, _, context) => componentCountOf(context, team.id),
    }),
    regionCount: t.using('id').int({
      description: 'The number of regions that are open for the team. REST: `region_num`.',
      resolve: (team, _, context) => regionCountOf(context, team.id),
    }),
    enterprise: related(t, 'enterpriseId', Enterprise, 'The enterprise of the team. REST: `enterprise_id`.'),
  }),
});

const TeamOrder = orderInput('Team', { NAME: 'Name.', CREATED_AT: 'Creation time.' });

const listArgs = builder.args((t) => ({
  search: t.string({
    description: 'A case-insensitive substring of the name or alias. REST: `query`.',
    validate: validatedBy(search()),
  }),
  orderBy: t.field({ type: TeamOrder, description: 'The sort order. Defaults to name.' }),
}));

/** The argument of lists that are searched for words. */
export const wordsArgument = (description: string) =>
  builder.args((t) => ({
    words: t.string({
      description: `Words in any order and case. ${description}`,
      validate: validatedBy(words()),
    }),
  }));

lookup('team', Team, { ref: teamRef, read: requireTeam });

addListQuery('teams', Team, {
  description: 'The teams that the caller is a member of. REST: `GET /teams`.',
  args: { ...listArgs, ...wordsArgument('Each must be part of the name or alias.') },
  list: (_, args, context) => ownTeams(context, args),
});

addList(Enterprise, 'teams', Team, {
  description:
    'The teams of the enterprise. Administrators see all teams; other callers see the teams that they are a member of.',
  args: listArgs,
  list: (enterprise, args, context) => teamsOfEnterprise(context, enterprise.id, args),
});

mutation('createTeam', createTeam, operations.createTeam, {
  description: 'Creates a team.',
  returns: { team: property(Team, 'The new team.') },
});

mutation('updateTeam', updateTeam, operations.updateTeam, {
  description:
    'Changes the display name of a team. The name, which is part of default domains, cannot change.',
  returns: { team: property(Team, 'The changed team.') },
});

mutation('deleteTeam', deleteTeam, operations.deleteTeam, {
  description:
    'Deletes a team with its memberships, service accounts, webhooks, the roles of groups, certificates, registry credentials, app store connections, domains and openings of regions. Its audit events remain. Fails with CONFLICT while it has applications or unfinished jobs.',
  payload: { team: property(Team, 'The deleted team.') },
});

viewerCan(Team, {
  noun: 'a team',
  type: 'Team',
  columns: ['id', 'enterpriseId'],
  decide: ({ actor }, team, action) => allows(actor, action, placeOf(team)),
});
