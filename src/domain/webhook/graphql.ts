import type { z } from 'zod';
import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { ServiceAccount } from '../service-account/graphql.ts';
import { Team } from '../team/graphql.ts';
import {
  createWebhook,
  deleteWebhook,
  disabledReason,
  rotateWebhookSecret,
  updateWebhook,
  webhookRef,
} from './model.ts';
import * as operations from './operations.ts';
import { requireWebhook, visibleWebhook, type Webhook as WebhookRow, webhooksOf } from './reads.ts';
import { parsePatterns, parseVariables } from './values-model.ts';

referenceOf('WebhookRef', webhookRef, 'Identifies a webhook. Set exactly one field.');

const WebhookDisabledReason = enumOf(
  'WebhookDisabledReason',
  disabledReason,
  'The reason why Trellis switched a webhook off.',
  {
    GONE: 'The receiver responded with status 410.',
    FAILED: 'All deliveries have failed for three days.',
  },
);

const patternsOf = derived(
  ({ events }: { events: string }) => parsePatterns(events),
  ({ events }) => lengthOf(events),
);

const variablesOf = derived(
  ({ variables }: { variables: string | null }) => parseVariables(variables),
  ({ variables }) => lengthOf(variables ?? ''),
);

export const Webhook = entity<'Webhook', WebhookRow>('Webhook', 'Webhook', {
  description:
    'A URL that Trellis sends the events of a team to. Each event is sent at least once, signed with a secret that is shown only once.',
  read: visibleWebhook,
  uid: 'The id of the webhook. Use it as `webhookId` in references.',
  exposes: {
    'url: String!': 'The URL that events are sent to.',
    'document: String': 'The GraphQL query whose result is sent. Null if the events themselves are sent.',
    'isEnabled: Boolean!': 'Whether new events are sent.',
    'failingSince: DateTime':
      'The time of the first failed attempt since the last successful delivery. Null if no attempt has failed since then.',
    'oldSecretUntil: DateTime':
      'The time until which messages are also signed with the previous secret. Null if the secret was never rotated.',
    'createdAt: DateTime!': 'The creation time.',
  },
  fields: (t) => ({
    events: t.using('events').stringList({
      description:
        'The events that are sent, as patterns of their actions: an action such as `port.add`, all actions of a kind of object such as `port.*`, or `*` for all.',
      resolve: (webhook, _, context) => patternsOf(webhook, context),
    }),
    variables: t.using('variables').field({
      type: 'JSON',
      nullable: true,
      description: 'The variables of the document, besides `$event`. Null if not set.',
      resolve: (webhook, _, context) => (webhook.variables === null ? null : variablesOf(webhook, context)),
    }),
    serviceAccount: relatedOrNull(
      t,
      'serviceAccountId',
      ServiceAccount,
      'The service account with whose rights the document is executed. Null without a document.',
    ),
    disabledReason: t.using('disabledReason').field({
      type: WebhookDisabledReason,
      nullable: true,
      description: 'Why Trellis switched the webhook off. Null if it is on, or if a user switched it off.',
      resolve: (webhook) => webhook.disabledReason as z.infer<typeof disabledReason> | null,
    }),
    team: related(t, 'teamId', Team, 'The team whose events are sent.'),
  }),
});

lookup('webhook', Webhook, { ref: webhookRef, read: requireWebhook });

addList(Team, 'webhooks', Webhook, {
  description: 'The webhooks of the team, oldest first.',
  list: (team, _, context) => webhooksOf(context, team.id),
});

const secretText =
  'The secret that messages are signed with, as specified by Standard Webhooks: `whsec_` followed by 32 bytes in base64. It cannot be read again.';

mutation('createWebhook', createWebhook, operations.createWebhook, {
  description: 'Creates a webhook that receives new events of the team. A team can have at most 20.',
  operation: { noTool: 'The result has a secret, which a model must not see.' },
  payload: {
    webhook: property(Webhook, 'The new webhook.'),
    'secret: String!': secretText,
  },
});

mutation('updateWebhook', updateWebhook, operations.updateWebhook, {
  description:
    'Changes a webhook. If it has a document afterwards, the caller must have all rights of the role of its service account.',
  returns: { webhook: property(Webhook, 'The changed webhook.') },
});

mutation('deleteWebhook', deleteWebhook, operations.deleteWebhook, {
  description: 'Deletes a webhook and its deliveries. Pending deliveries are not sent.',
  payload: { webhook: property(Webhook, 'The deleted webhook.') },
});

mutation('rotateWebhookSecret', rotateWebhookSecret, operations.rotateWebhookSecret, {
  description:
    'Replaces the secret of a webhook. For a day, messages are signed with the previous secret as well. Earlier secrets are no longer used.',
  operation: { noTool: 'The result has a secret, which a model must not see.' },
  payload: {
    webhook: property(Webhook, 'The webhook.'),
    'secret: String!': secretText,
  },
});
