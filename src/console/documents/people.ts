import { graphql } from '../api/graphql.ts';
import { FailureParts } from './act-parts.ts';

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
        totalCount
        pageInfo { endCursor hasNextPage }
        nodes {
          id role isFromGroup joinedAt revision
          customRole { id uid name }
          applications { id uid name }
          user { id uid email nickName isActive }
        }
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
        roles(first: 50, after: $after) {
          totalCount
          pageInfo { endCursor hasNextPage }
          nodes { ...RoleParts }
        }
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
          totalCount
          pageInfo { endCursor hasNextPage }
          nodes { id uid email nickName isActive isAdministrator createdAt origin }
        }
      }
    }
  }
`);

/** Users to choose from. */
export const UserChoiceQuery = graphql(`
  query UserChoice($search: String!) {
    viewer { enterprise { id users(first: 8, search: $search) { nodes { id email nickName } } } }
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

export const AddTeamMember = graphql(
  `
  mutation AddTeamMember($input: AddTeamMemberInput!) {
    result: addTeamMember(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);

export const ChangeTeamMemberRole = graphql(
  `
  mutation ChangeTeamMemberRole($input: ChangeTeamMemberRoleInput!) {
    result: changeTeamMemberRole(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);

export const RemoveTeamMember = graphql(
  `
  mutation RemoveTeamMember($input: RemoveTeamMemberInput!) {
    result: removeTeamMember(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);

export const SetGroupRole = graphql(
  `
  mutation SetGroupRole($input: SetGroupRoleInput!) {
    result: setGroupRole(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);

export const CreateUser = graphql(
  `
  mutation CreateUser($input: CreateUserInput!) {
    result: createUser(input: $input) {
      __typename
      ... on CreateUserPayload { user { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const UpdateUser = graphql(
  `
  mutation UpdateUser($input: UpdateUserInput!) {
    result: updateUser(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);

export const CreateRole = graphql(
  `
  mutation CreateRole($input: CreateRoleInput!) {
    result: createRole(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);

export const UpdateRole = graphql(
  `
  mutation UpdateRole($input: UpdateRoleInput!) {
    result: updateRole(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);

export const DeleteRole = graphql(
  `
  mutation DeleteRole($input: DeleteRoleInput!) {
    result: deleteRole(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);
