import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

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

export const CreateWebhook = graphql(mutation('createWebhook', 'secret'), [FailureParts]);

export const UpdateWebhook = graphql(mutation('updateWebhook'), [FailureParts]);

export const DeleteWebhook = graphql(mutation('deleteWebhook', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);

export const RotateWebhookSecret = graphql(mutation('rotateWebhookSecret', 'secret'), [FailureParts]);

export const TestWebhook = graphql(mutation('testWebhook'), [FailureParts]);

export const Redeliver = graphql(mutation('redeliver'), [FailureParts]);
