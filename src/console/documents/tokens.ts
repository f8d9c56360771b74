import { graphql } from '../api/graphql.ts';
import { lookup, page } from './query.ts';

export const GrantParts = graphql(`
  fragment GrantParts on AccessGrant @_unmask {
    actions
    team { id alias }
    application { id name team { id alias } }
    component { id name application { id name } }
  }
`);

const TokenParts = graphql(
  `
  fragment TokenParts on AccessToken @_unmask {
    id uid name isReadOnly createdAt expiresAt revokedAt lastUsedAt
    grants { ...GrantParts }
    trust { id issuer }
  }
`,
  [GrantParts],
);

export const TokensOf = graphql(
  `
  fragment TokensOf on AccessTokenConnection @_unmask { ${page('...TokenParts')} }
`,
  [TokenParts],
);

const SessionsOf = graphql(`
  fragment SessionsOf on SessionConnection @_unmask {
    ${page('id uid address browser createdAt lastUsedAt expiresAt')}
  }
`);

/** The caller, with their own tokens and sessions. */
export const AccountQuery = graphql(
  `
  query Account($tokensAfter: String, $sessionsAfter: String) {
    viewer {
      isAdministrator
      user { id uid email nickName phone revision createdAt }
      serviceAccount { id name role team { id name alias } }
      accessToken { id isReadOnly }
      session { id }
      accessTokens(first: 50, after: $tokensAfter) { ...TokensOf }
      sessions(first: 50, after: $sessionsAfter) { ...SessionsOf }
    }
  }
`,
  [TokensOf, SessionsOf],
);

/** The tokens and sessions of a user, for administrators. */
export const UserAccessQuery = lookup('user', 'UserAccess', {
  variables: '$tokensAfter: String, $sessionsAfter: String',
  select: `
    id
    accessTokens(first: 50, after: $tokensAfter) { ...TokensOf }
    sessions(first: 50, after: $sessionsAfter) { ...SessionsOf }
  `,
  fragments: [TokensOf, SessionsOf],
});

/** The limits of the tokens that the caller makes, and whom they can be for in a team. */
export const TokenMakerQuery = graphql(`
  query TokenMaker {
    viewer {
      user { id email nickName }
      accessToken { id expiresAt }
    }
  }
`);

export const TokenOwnersQuery = lookup('team', 'TokenOwners', {
  select: `
    id alias
    mayManage: viewerCan(action: CREATE_SERVICE_ACCOUNT)
    serviceAccounts(first: 100) { nodes { id uid name role } }
  `,
});

/** Places that a token can be limited to. */
export const PlaceChoiceQuery = graphql(`
  query PlaceChoice(
    $search: String! $teams: Boolean! $applications: Boolean! $components: Boolean!
  ) {
    teams(first: 6, search: $search) @include(if: $teams) { nodes { id alias name } }
    applications(first: 8, search: $search) @include(if: $applications) {
      nodes { id name team { id alias } }
    }
    components(first: 8, search: $search) @include(if: $components) {
      nodes { id name application { id name } team { id alias } }
    }
  }
`);

export const TeamApplicationChoiceQuery = lookup('team', 'TeamApplicationChoice', {
  variables: '$search: String!',
  select: 'id applications(first: 8, search: $search) { nodes { id name } }',
});
