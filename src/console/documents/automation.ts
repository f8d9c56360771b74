import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';
import { GrantParts, TokensOf } from './tokens.ts';

/** The service accounts of a team, and the pipelines that they trust. */
export const AutomationQuery = graphql(
  `
  query Automation($by: TeamRef!, $after: String) {
    team(by: $by) {
      id uid name alias
      mayManage: viewerCan(action: CREATE_SERVICE_ACCOUNT)
      serviceAccounts(first: 20, after: $after) {
        totalCount
        pageInfo { endCursor hasNextPage }
        nodes {
          id uid name role revision createdAt
          trusts(first: 100) {
            nodes {
              id uid issuer audience createdAt expiresAt
              claims { name pattern }
              grants { ...GrantParts }
            }
          }
        }
      }
    }
  }
`,
  [GrantParts],
);

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

export const CreateServiceAccount = graphql(
  mutation('createServiceAccount', 'serviceAccount { id uid name }'),
  [FailureParts],
);

export const UpdateServiceAccount = graphql(mutation('updateServiceAccount'), [FailureParts]);

export const DeleteServiceAccount = graphql(mutation('deleteServiceAccount', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);

export const AddTrust = graphql(mutation('addTrust', 'trust { id uid }'), [FailureParts]);

export const RemoveTrust = graphql(mutation('removeTrust', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);
