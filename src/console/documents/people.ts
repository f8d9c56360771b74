import { graphql } from '../api/graphql.ts';
import { page } from './query.ts';

export const RoleParts = graphql(`
  fragment RoleParts on Role @_unmask { id uid name actions revision }
`);

/** The members of a team, what groups give, and what the caller may do about them. */
export const MembersQuery = graphql(
  `
  query Members($by: TeamRef!, $after: String) {
    viewer { isAdministrator user { id } }
    team(by: $by) {
      id uid name alias
      roles { name role }
      mayAdd: viewerCan(action: ADD_TEAM_MEMBER)
      mayChange: viewerCan(action: CHANGE_TEAM_MEMBER_ROLE)
      mayRemove: viewerCan(action: REMOVE_TEAM_MEMBER)
      maySetGroup: viewerCan(action: SET_GROUP_ROLE)
      members(first: 50, after: $after) {
        ${page(`
          id role isFromGroup joinedAt revision
          customRole { id uid name }
          applications { id uid name }
          user { id uid email nickName isActive }
        `)}
      }
      groupRoles(first: 100) { totalCount nodes { id group role revision } }
      enterprise { id roles(first: 100) { nodes { ...RoleParts } } }
    }
  }
`,
  [RoleParts],
);

export const RolesQuery = graphql(
  `
  query Roles($after: String) {
    viewer {
      isAdministrator
      accessToken { id isReadOnly }
      enterprise {
        id
        roles(first: 50, after: $after) { ${page('...RoleParts')} }
      }
    }
  }
`,
  [RoleParts],
);

/** The users of the enterprise, for its administrators. */
export const UsersQuery = graphql(`
  query Users($search: String, $after: String) {
    viewer {
      isAdministrator
      accessToken { id isReadOnly }
      enterprise {
        id
        users(first: 50, after: $after, search: $search) {
          ${page('id uid email nickName isActive isAdministrator createdAt origin')}
        }
      }
    }
  }
`);

/** Users to choose from, and the members of the team, who cannot be chosen again. */
export const UserChoiceQuery = graphql(`
  query UserChoice($team: ID!, $search: String!) {
    viewer { enterprise { id users(first: 20, search: $search) { nodes { id email nickName } } } }
    team(by: { id: $team }) { id members(first: 100) { nodes { id user { id } } } }
  }
`);

export const UserParts = graphql(`
  fragment UserParts on User @_unmask {
    id uid email nickName phone isActive isAdministrator createdAt origin clientIp revision
  }
`);

export const UserQuery = graphql(
  `
  query User($by: UserRef!) {
    viewer { isAdministrator user { id } accessToken { id isReadOnly } }
    user(by: $by) { ...UserParts }
  }
`,
  [UserParts],
);
