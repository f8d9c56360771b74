import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';

const WebhookParts = graphql(`
  fragment WebhookParts on Webhook @_unmask {
    id uid url events isEnabled disabledReason failingSince oldSecretUntil createdAt revision
    document
    variables
    serviceAccount { id uid name }
  }
`);

/** The webhooks of a team. */
export const WebhooksQuery = graphql(
  `
  query Webhooks($by: TeamRef!, $after: String) {
    team(by: $by) {
      id name alias
      mayCreate: viewerCan(action: CREATE_WEBHOOK)
      webhooks(first: 20, after: $after) {
        totalCount
        pageInfo { endCursor hasNextPage }
        nodes { ...WebhookParts }
      }
    }
  }
`,
  [WebhookParts],
);

/** A webhook with its deliveries, newest first. */
export const WebhookQuery = graphql(
  `
  query Webhook($by: WebhookRef!, $status: WebhookDeliveryStatus, $after: String) {
    webhook(by: $by) {
      ...WebhookParts
      team { id name alias mayChange: viewerCan(action: CREATE_WEBHOOK) }
      deliveries(first: 25, status: $status, after: $after) {
        totalCount
        pageInfo { endCursor hasNextPage }
        nodes {
          id status attempts createdAt nextAttemptAt responseCode response error durationMs
          event { id action }
        }
      }
    }
  }
`,
  [WebhookParts],
);

/** The service accounts with whose rights a document can be executed. */
export const WebhookAccountsQuery = graphql(`
  query WebhookAccounts($by: TeamRef!) {
    team(by: $by) { id serviceAccounts(first: 100) { nodes { id uid name } } }
  }
`);

export const CreateWebhook = graphql(
  `
  mutation CreateWebhook($input: CreateWebhookInput!) {
    result: createWebhook(input: $input) {
      __typename
      ... on CreateWebhookPayload { secret }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const UpdateWebhook = graphql(
  `
  mutation UpdateWebhook($input: UpdateWebhookInput!) {
    result: updateWebhook(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);

export const DeleteWebhook = graphql(
  `
  mutation DeleteWebhook($input: DeleteWebhookInput!) {
    result: deleteWebhook(input: $input) {
      __typename
      ... on DeleteWebhookPayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const RotateWebhookSecret = graphql(
  `
  mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) {
    result: rotateWebhookSecret(input: $input) {
      __typename
      ... on RotateWebhookSecretPayload { secret }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const TestWebhook = graphql(
  `
  mutation TestWebhook($input: TestWebhookInput!) {
    result: testWebhook(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);

export const Redeliver = graphql(
  `
  mutation Redeliver($input: RedeliverInput!) {
    result: redeliver(input: $input) { __typename ... on Error { ...FailureParts } }
  }
`,
  [FailureParts],
);
