import { graphql } from '../api/graphql.ts';
import { lookup, page } from './query.ts';
import { GrantParts, TokensOf } from './tokens.ts';

/** The service accounts of a team, and the pipelines that they trust. */
export const AutomationQuery = lookup('team', 'Automation', {
  variables: '$after: String',
  select: `
    id uid name alias
    mayManage: viewerCan(action: CREATE_SERVICE_ACCOUNT)
    serviceAccounts(first: 20, after: $after) {
      ${page(`
        id uid name role revision createdAt
        trusts(first: 100) {
          nodes {
            id uid issuer audience createdAt expiresAt
            claims { name pattern }
            grants { ...GrantParts }
          }
        }
      `)}
    }
  `,
  fragments: [GrantParts],
});

/** The tokens of a service account, for admins of its team. */
export const AccountTokensQuery = graphql(
  `
  query AccountTokens($id: ID!, $after: String) {
    node(id: $id) {
      __typename
      id
      ... on ServiceAccount { accessTokens(first: 50, after: $after) { ...TokensOf } }
    }
  }
`,
  [TokensOf],
);
