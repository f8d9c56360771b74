import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { relatedOrNull } from '../../graphql/schema/related.ts';
import { Event } from '../event/graphql.ts';
import { Webhook } from './graphql.ts';
import { deliveryStatus, redeliver, testWebhook, webhookDeliveryRef } from './model.ts';
import * as operations from './operations.ts';
import { payloadOfDelivery } from './payload-reads.ts';
import { deliveriesOf, visibleDelivery, visibleWebhook } from './reads.ts';

referenceOf('WebhookDeliveryRef', webhookDeliveryRef, 'Identifies a delivery. Set exactly one field.');

const WebhookDeliveryStatus = enumOf(
  'WebhookDeliveryStatus',
  deliveryStatus,
  'The status of a delivery to a webhook.',
  {
    PENDING: 'Waiting for `nextAttemptAt`, or being sent.',
    DELIVERED: 'The receiver responded with a status from 200 to 299.',
    FAILED: 'Failed, and not sent again.',
  },
);

const WebhookDelivery = entity('WebhookDelivery', 'WebhookDelivery', {
  description:
    'The delivery of an event to a webhook. It fails permanently after three days of attempts. Finished deliveries are deleted after 30 days.',
  read: visibleDelivery,
  uid: 'The numeric id of the delivery. Use it as `deliveryId` in references.',
  exposes: {
    'messageId: String!':
      'The id of the message, the header `webhook-id`: the same for each attempt and for redeliveries.',
    'attempts: Int!': 'The number of attempts.',
    'createdAt: DateTime!': 'The creation time.',
    'nextAttemptAt: DateTime': 'The time of the next attempt. Null if the delivery is finished.',
    'attemptedAt: DateTime': 'The time of the last attempt. Null if there was no attempt.',
    'responseCode: Int':
      'The HTTP status of the response to the last attempt. Null if there was no response.',
    'response: String':
      'The first 1024 bytes of the response to the last attempt. Null if there was no response.',
    'error: String': 'Why the last attempt got no response. Null if it got one.',
    'durationMs: Int': 'The duration of the last attempt, in milliseconds. Null if there was no attempt.',
    'finishedAt: DateTime':
      'The time at which the delivery succeeded or failed permanently. Null while it is pending.',
    status: property(WebhookDeliveryStatus, 'The status of the delivery.'),
  },
  fields: (t) => ({
    payload: t.using('teamId', 'sealedPayload', 'payloadAccountId').string({
      nullable: true,
      description:
        'The first 4096 bytes of the body of the last attempt. A longer body is cut and ends with `…`. Null if there was no attempt, if the message could not be created, and for callers who cannot change the webhook. If the body has the result of a document, the caller must also have all rights of the role of its service account.',
      resolve: (delivery, _, context) => payloadOfDelivery(context, delivery),
    }),
    event: relatedOrNull(
      t,
      'eventId',
      Event,
      'The event that is sent. Null for tests, and if the event was deleted or is not visible to the caller.',
    ),
    webhook: t.using('webhookId').field({
      type: Webhook,
      description: 'The webhook that the event is sent to.',
      resolve: async ({ webhookId }, _, context) => (await visibleWebhook(context, webhookId))!,
    }),
  }),
});

builder.objectField(Webhook, 'deliveries', (t) =>
  connectionField(t.using('id'), {
    node: WebhookDelivery,
    plural: 'deliveries',
    isEndless: true,
    description:
      'The deliveries of the webhook, newest first: those of tests, and of events that are visible to the caller.',
    args: {
      status: t.arg({
        type: WebhookDeliveryStatus,
        description: 'Returns only deliveries with this status.',
      }),
    },
    list: ({ id }, args, context) => deliveriesOf(context, id, args),
  }),
);

mutation('testWebhook', testWebhook, operations.testWebhook, {
  description:
    'Sends a message of the type `webhook.test` to a webhook, to see whether it arrives. Fails with CONFLICT if the webhook is switched off.',
  returns: { delivery: property(WebhookDelivery, 'The new delivery.') },
});

mutation('redeliver', redeliver, operations.redeliver, {
  description:
    'Sends a delivery again. If it has finished, a new delivery of the same message is created. If it is pending, it is sent immediately. Fails with CONFLICT if the webhook is switched off.',
  returns: { delivery: property(WebhookDelivery, 'The new delivery, or the one that was pending.') },
});
