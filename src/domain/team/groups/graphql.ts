import { property, propertyOrNull } from '../../../graphql/schema/exposed.ts';
import { addList } from '../../../graphql/schema/list.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { related } from '../../../graphql/schema/related.ts';
import { Team, TeamRole } from '../graphql.ts';
import { setGroupRole } from './model.ts';
import * as operations from './operations.ts';
import { groupRolesOf, visibleGroupRole } from './reads.ts';

const GroupRole = entity('GroupRole', 'GroupRole', {
  description: 'The role of the members of a group of the identity provider in a team.',
  read: visibleGroupRole,
  exposes: {
    'group: String!': 'The group, as the identity provider names it.',
    'createdAt: DateTime!': 'The creation time.',
    role: property(TeamRole, 'The role of the members of the group in the team.'),
  },
  fields: (t) => ({
    team: related(t, 'teamId', Team, 'The team.'),
  }),
});

addList(Team, 'groupRoles', GroupRole, {
  plural: 'roles of groups',
  description: 'The groups of the identity provider that have a role in the team, sorted by group.',
  list: (team, _, context) => groupRolesOf(context, team.id),
});

mutation('setGroupRole', setGroupRole, operations.setGroupRole, {
  description:
    'Sets or removes the role of a group of the identity provider in a team. Applies the next time each group member signs in: they get the highest role of their groups. Manually added members and the last owner of a team are unaffected.',
  orElse: 'the `owner` role to give or take the role of an owner',
  payload: {
    team: property(Team, 'The team.'),
    groupRole: propertyOrNull(GroupRole, 'The role of the group. Null if it was removed.'),
  },
});
