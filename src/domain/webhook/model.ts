import { z } from 'zod';
import { deliveredActions } from '../../db/write/events.ts';
import { identifier, integerId, reference } from '../../kernel/reference.ts';
import { expectedRevision, line, plannedChange, prose } from '../../kernel/validate.ts';
import { serviceAccountRef } from '../service-account/model.ts';
import { teamRef } from '../team/model.ts';
import { hasShortJson, isWebhookUrl, variablesLength } from './values-model.ts';

export const webhookRef = reference('webhook', { webhookId: identifier('The `uid` of the webhook.') });
export type WebhookRef = z.infer<typeof webhookRef>;

export const webhookDeliveryRef = reference('delivery', {
  deliveryId: integerId('The `uid` of the delivery.'),
});
export type WebhookDeliveryRef = z.infer<typeof webhookDeliveryRef>;

/** The most tests of one webhook that are not finished. */
export const maxPendingTests = 10;

/** The most patterns of one webhook. */
const maxPatterns = 50;

/** The patterns of actions: all actions, those of a kind of object, and each action. */
const patterns: ReadonlySet<string> = new Set([
  '*',
  ...deliveredActions,
  ...deliveredActions.filter((action) => action.includes('.')).map((action) => `${action.split('.')[0]}.*`),
]);

const eventPattern = line(64).refine(
  (value) => patterns.has(value),
  'Must be an action of events such as port.add, all actions of a kind of object such as port.*, or *',
);

const eventPatterns = z.array(eventPattern).min(1).max(maxPatterns);

const url = line(2048).refine(isWebhookUrl, 'Must be an http or https URL without credentials and fragment');

const document = prose(65_536).min(1);

const variables = z
  .record(z.string(), z.unknown())
  .refine(hasShortJson, `Must be at most ${variablesLength} characters of JSON`)
  .meta({ scalar: 'JSON' });

export const createWebhook = z.strictObject({
  team: teamRef.describe('The team whose events are sent.'),
  url: url.describe(
    'The http or https URL that events are sent to. It must have a public address, which is checked for each delivery. Members of the team can read it.',
  ),
  events: eventPatterns.describe(
    'The events to send, as 1 to 50 patterns of their actions: an action such as `port.add`, all actions of a kind of object such as `port.*`, or all actions: `*`.',
  ),
  document: document
    .nullish()
    .describe(
      'A GraphQL query whose result is sent instead of the event. It must have the variable `$event: ID!`, which is the global id of the event, for `node`. It is executed with the rights of the service account.',
    ),
  variables: variables
    .nullish()
    .describe('The values of the other variables of the document, as an object. Requires a document.'),
  serviceAccount: serviceAccountRef
    .nullish()
    .describe(
      'The service account of the team with whose rights the document is executed. Required with a document, and not allowed without one. The caller must have all rights of its role.',
    ),
});
export type CreateWebhook = z.infer<typeof createWebhook>;

export const updateWebhook = z.strictObject({
  webhook: webhookRef.describe('The webhook to change. Omitted fields are unchanged.'),
  url: url.nullish().describe('The new URL.'),
  events: eventPatterns.nullish().describe('The new patterns, which replace all of the previous ones.'),
  document: document
    .nullish()
    .describe(
      'The new document. Null to send the events themselves, which also removes the variables and the service account.',
    ),
  variables: variables.nullish().describe('The new variables of the document. Null for none.'),
  serviceAccount: serviceAccountRef
    .nullish()
    .describe('The new service account with whose rights the document is executed.'),
  isEnabled: z
    .boolean()
    .nullish()
    .describe('Whether new events are sent. Set it to true to switch on a webhook that was switched off.'),
  expectedRevision: expectedRevision('the webhook'),
});
export type UpdateWebhook = z.infer<typeof updateWebhook>;

export const deleteWebhook = z.strictObject({
  webhook: webhookRef.describe('The webhook to delete.'),
  ...plannedChange('the webhook'),
});
export type DeleteWebhook = z.infer<typeof deleteWebhook>;

export const rotateWebhookSecret = z.strictObject({
  webhook: webhookRef.describe('The webhook that gets a new secret.'),
  expectedRevision: expectedRevision('the webhook'),
});
export type RotateWebhookSecret = z.infer<typeof rotateWebhookSecret>;

export const testWebhook = z.strictObject({ webhook: webhookRef.describe('The webhook to test.') });
export type TestWebhook = z.infer<typeof testWebhook>;

export const redeliver = z.strictObject({
  delivery: webhookDeliveryRef.describe('The delivery to send again.'),
});
export type Redeliver = z.infer<typeof redeliver>;

export const deliveryStatus = z.enum(['PENDING', 'DELIVERED', 'FAILED']);

/** Why a webhook is switched off, if no user did. */
export const disabledReason = z.enum(['GONE', 'FAILED']);
