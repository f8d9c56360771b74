import { property } from '../../graphql/schema/exposed.ts';
import { addList } from '../../graphql/schema/list.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { Application } from '../application/graphql.ts';
import { CustomRole } from '../role/graphql.ts';
import { roleById } from '../role/reads.ts';
import { Team, TeamRole } from '../team/graphql.ts';
import { loadTeam } from '../team/reads.ts';
import { User } from '../user/graphql.ts';
import { loadUser } from '../user/reads.ts';
import { addTeamMember, changeTeamMemberRole, removeTeamMember } from './model.ts';
import * as operations from './operations.ts';
import { applicationsOfMember, membersOf, visibleMembership } from './reads.ts';

const TeamMember = entity('TeamMember', 'Membership', {
  description: 'The membership of a user in a team.',
  read: visibleMembership,
  exposes: {
    'isFromGroup: Boolean!':
      'Whether the membership comes from a group of the identity provider. Such a membership follows the groups of the user at each sign-in, and cannot be changed or removed manually.',
    'joinedAt: DateTime!': 'The time at which the user joined the team.',
    role: property(
      TeamRole,
      'The role of the user in the team. VIEWER for a member with a `customRole`, which counts instead.',
    ),
  },
  fields: (t) => ({
    team: related(t, 'teamId', Team, 'The team.'),
    user: t.using('userId').field({
      type: User,
      description: 'The user.',
      // Memberships are only visible to members of the team and administrators, who may also see the user.
      resolve: (member, _, context) => loadUser(context, member.userId),
    }),
    customRole: relatedOrNull(
      t,
      'roleId',
      CustomRole,
      'The role of the enterprise that the user has in the team. Null for one of the four roles.',
      roleById,
    ),
    applications: t.using('applications').field({
      type: [Application],
      nullable: true,
      description:
        'The applications that the role is limited to, without those that are not visible to the caller. Null if it is not limited.',
      resolve: (member, _, context) => applicationsOfMember(member, context),
    }),
  }),
});

addList(Team, 'members', TeamMember, {
  plural: 'team members',
  description: 'The members of the team, sorted by user id.',
  list: (team, _, context) => membersOf(context, team.id),
});

mutation('addTeamMember', addTeamMember, operations.addTeamMember, {
  description: 'Adds a user to a team.',
  orElse: 'the `owner` role to add an owner',
  returns: { member: property(TeamMember, 'The new membership.') },
});

mutation('changeTeamMemberRole', changeTeamMemberRole, operations.changeTeamMemberRole, {
  description:
    'Changes the role of a team member. Fails with CONFLICT if the team would have no owner, and for memberships that come from a group of the identity provider.',
  orElse: 'the `owner` role to give or take the role of an owner',
  returns: { member: property(TeamMember, 'The changed membership.') },
});

mutation('removeTeamMember', removeTeamMember, operations.removeTeamMember, {
  description:
    'Removes a user from a team. Fails with CONFLICT for the last owner, and for memberships that come from a group of the identity provider.',
  orElse: 'the `owner` role to remove an owner; every member can leave a team',
  load: async (context, member) => ({ member, team: await loadTeam(context, member.teamId) }),
  payload: {
    member: property(TeamMember, 'The removed membership.'),
    team: property(Team, 'The team that the user was removed from.'),
  },
});
