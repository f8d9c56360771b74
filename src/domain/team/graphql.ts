import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField, orderInput } from '../../graphql/schema/connection.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import type { Role } from '../../kernel/access.ts';
import { search } from '../../kernel/validate.ts';
import { Enterprise } from '../enterprise/graphql.ts';
import { enterpriseById } from '../enterprise/reads.ts';
import { User } from '../user/graphql.ts';
import { userById, visibleUserById } from '../user/reads.ts';
import { addTeamMember, createTeam, removeTeamMember, teamRef, teamRole } from './model.ts';
import * as operations from './operations.ts';
import {
  componentCountOf,
  membersOf,
  ownRole,
  ownTeams,
  regionCountOf,
  requireTeam,
  teamById,
  teamsOfEnterprise,
  visibleMembership,
  visibleTeam,
} from './reads.ts';

export const TeamRef = referenceOf('TeamRef', teamRef, 'Names a team: exactly one field.');

export const TeamRole = enumOf(
  'TeamRole',
  teamRole,
  'What a member may do in a team; each may do what those before it may.',
  {
    viewer: 'Reads.',
    developer: 'Changes applications, components, ports and gateway rules, installs and upgrades.',
    admin: 'Changes members and regions of the team.',
    owner: 'Changes the team itself.',
  },
);

const RoleInfo = builder.objectRef<{ role: Role }>('RoleInfo').implement({
  description: 'A role that the caller has in a team.',
  fields: (t) => ({
    role: t.expose('role', { type: TeamRole, description: restName('The role.', 'role_id') }),
    name: t.string({ description: restName('Its name.', 'role_name'), resolve: ({ role }) => role }),
  }),
});

export const Team = entity('Team', 'Team', {
  description: 'A team, also called tenant: it owns applications in the regions that are opened for it.',
  read: visibleTeam,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeID('id', {
      description: restName('Identifier of the team; `{ teamId }` in references.', 'tenant_id'),
    }),
    name: t.exposeString('name', { description: restName('Unique name, a DNS label.', 'tenant_name') }),
    alias: t.exposeString('alias', { description: restName('Name shown to people.', 'tenant_alias') }),
    isActive: t.exposeBoolean('isActive', {
      description: restName('Whether the team is active.', 'is_active'),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: restName('When it was made.', 'create_time'),
    }),
    creator: t.field({
      type: User,
      nullable: true,
      description: restName(
        'The user who created it; null when the account is gone or not visible to the caller.',
        'creater',
      ),
      columns: ['creatorId'],
      resolve: (team, _, context) =>
        team.creatorId === null ? null : visibleUserById(context, team.creatorId),
    }),
    roles: t.field({
      type: [RoleInfo],
      description: restName(
        'The roles of the caller in the team; none for an administrator from outside.',
        'role_infos',
      ),
      columns: ['id'],
      resolve: async (team, _, context) => {
        const role = await ownRole(context, team.id);
        return role ? [{ role }] : [];
      },
    }),
    componentCount: t.int({
      description: restName('How many components it has, in all regions.', 'service_num'),
      columns: ['id'],
      resolve: (team, _, context) => componentCountOf(context, team.id),
    }),
    regionCount: t.int({
      description: restName('How many regions are opened for it.', 'region_num'),
      columns: ['id'],
      resolve: (team, _, context) => regionCountOf(context, team.id),
    }),
    enterprise: t.field({
      type: Enterprise,
      description: restName('The enterprise of the team.', 'enterprise_id'),
      columns: ['enterpriseId'],
      resolve: async (team, _, context) => (await enterpriseById(context, team.enterpriseId))!,
    }),
  }),
});

export const TeamMember = entity('TeamMember', 'Membership', {
  description: 'Somebody who belongs to a team, and what it may do there.',
  read: visibleMembership,
  id: (row) => row.id,
  fields: (t) => ({
    team: t.field({
      type: Team,
      description: 'The team.',
      columns: ['teamId'],
      resolve: async (member, _, context) => (await teamById(context, member.teamId))!,
    }),
    user: t.field({
      type: User,
      description: 'Who it is.',
      columns: ['userId'],
      // Whoever sees a membership belongs to the team or administers it, and so may see its user.
      resolve: async (member, _, context) => (await userById(context, member.userId))!,
    }),
    role: t.field({
      type: TeamRole,
      description: 'What it may do.',
      columns: ['role'],
      resolve: (member) => member.role as Role,
    }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', description: 'Since when it belongs to the team.' }),
  }),
});

const TeamOrder = orderInput('Team', { NAME: 'Name.', CREATED_AT: 'Time of creation.' });

const listArgs = builder.args((t) => ({
  search: t.string({
    description: restName('Part of the name or alias, in any case.', 'query'),
    validate: { schema: search() } as never,
  }),
  orderBy: t.field({ type: TeamOrder, description: 'The order; by name when left out.' }),
}));

builder.queryFields((t) => ({
  team: t.field({
    type: Team,
    nullable: true,
    description: 'A team that the caller may see.',
    args: {
      by: t.arg({
        type: TeamRef,
        required: true,
        description: 'Which team.',
        validate: { schema: teamRef } as never,
      }),
    },
    resolve: (_, { by }, context) => requireTeam(context, by),
  }),
  teams: connectionField(t, {
    node: Team,
    plural: 'teams',
    description: 'The teams that the caller belongs to. REST: `GET /teams`.',
    args: listArgs,
    list: (_, args, context) => ownTeams(context, args),
  }),
}));

builder.objectField(Enterprise, 'teams', (t) =>
  connectionField(t, {
    node: Team,
    plural: 'teams',
    description: 'The teams of the enterprise: all for administrators, the own ones for others.',
    args: listArgs,
    columns: ['id'],
    list: (enterprise, args, context) => teamsOfEnterprise(context, enterprise.id, args),
  }),
);

builder.objectField(Team, 'members', (t) =>
  connectionField(t, {
    node: TeamMember,
    plural: 'team members',
    description: 'Who belongs to the team, by number of the user.',
    columns: ['id'],
    list: (team) => membersOf(team.id),
  }),
);

mutation('createTeam', {
  description: 'Creates a team. For administrators.',
  input: createTeam,
  run: async (context, input) => ({ team: await operations.createTeam(context, input) }),
  payload: (t) => ({ team: t.expose('team', { type: Team, description: 'The new team.' }) }),
});

mutation('addTeamMember', {
  description: 'Adds a user to a team. Takes the role admin in the team, and owner to make an owner.',
  input: addTeamMember,
  run: async (context, input) => ({ member: await operations.addTeamMember(context, input) }),
  payload: (t) => ({ member: t.expose('member', { type: TeamMember, description: 'The new membership.' }) }),
});

mutation('removeTeamMember', {
  description: 'Removes a user from a team. Takes the role admin in the team, and owner to remove an owner.',
  input: removeTeamMember,
  run: async (context, input) => {
    const member = await operations.removeTeamMember(context, input);
    return { member, team: (await teamById(context, member.teamId))! };
  },
  payload: (t) => ({
    member: t.expose('member', { type: TeamMember, description: 'The membership as it was.' }),
    team: t.expose('team', { type: Team, description: 'The team it was removed from.' }),
  }),
});
