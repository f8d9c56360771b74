import { graphql } from '../api/graphql.ts';
import { lookup, page } from './query.ts';

const WebhookParts = graphql(`
  fragment WebhookParts on Webhook @_unmask {
    id uid url events isEnabled disabledReason failingSince oldSecretUntil createdAt revision
    document
    variables
    serviceAccount { id uid name }
  }
`);

export const WebhooksQuery = lookup('team', 'Webhooks', {
  variables: '$after: String',
  select: `
    id name alias
    mayCreate: viewerCan(action: CREATE_WEBHOOK)
    webhooks(first: 20, after: $after) { ${page('...WebhookParts')} }
  `,
  fragments: [WebhookParts],
});

/** A webhook with its deliveries, newest first. */
export const WebhookQuery = lookup('webhook', 'Webhook', {
  variables: '$status: WebhookDeliveryStatus, $after: String',
  select: `
    ...WebhookParts
    team { id name alias mayChange: viewerCan(action: CREATE_WEBHOOK) }
    deliveries(first: 25, status: $status, after: $after) {
      ${page(`
        id status attempts createdAt nextAttemptAt responseCode response error durationMs payload
        event { id action summary }
      `)}
    }
  `,
  fragments: [WebhookParts],
});

/** The service accounts with whose rights a document can be executed. */
export const WebhookAccountsQuery = lookup('team', 'WebhookAccounts', {
  select: 'id serviceAccounts(first: 100) { nodes { id uid name } }',
});
