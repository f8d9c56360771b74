import type { GraphQLError } from 'graphql';
import type { Row } from '../../../db/tables.ts';
import { eventVariable } from '../../../graphql/server/document-check.ts';
import { encodeGlobalId } from '../../../kernel/global-id.ts';
import type { Seal } from '../../../kernel/seal.ts';
import { lineOfEvent } from '../../event/export/line-model.ts';
import { parseVariables } from '../values-model.ts';
import { type ExecuteDocument, refusedDocument, withoutAccount } from './document-operations.ts';

type Delivery = Row<'WebhookDelivery'>;
type Webhook = Row<'Webhook'>;

/** The action of messages that only test a webhook. */
const testAction = 'webhook.test';

/** The body of a message, as Standard Webhooks have it. With `errors` if the document had some. */
interface Payload {
  type: string;
  timestamp: Date;
  data: unknown;
  errors?: unknown;
}

/** The part of an error in a document that is sent to the receiver. */
const shownError = ({ message, path, extensions }: GraphQLError) => ({
  message,
  ...(path && { path }),
  code: extensions?.code,
});

/** The body of the message for an event, or of a test if there is none. */
export async function payloadOf(
  delivery: Delivery,
  webhook: Webhook,
  event: Row<'Event'> | undefined,
  execute: ExecuteDocument,
  signal: AbortSignal,
): Promise<string> {
  const payload: Payload = event
    ? { type: event.action, timestamp: event.at, data: null }
    : { type: testAction, timestamp: delivery.createdAt, data: { webhookId: webhook.id } };
  if (event && webhook.document === null) {
    const { type: _, ...data } = lineOfEvent(event);
    payload.data = data;
  } else if (event) {
    const { document, serviceAccountId } = webhook;
    const variables = {
      ...parseVariables(webhook.variables),
      [eventVariable]: encodeGlobalId('Event', event.id),
    };
    const { data = null, errors } =
      serviceAccountId === null
        ? refusedDocument(withoutAccount)
        : await execute({ document: document!, variables, serviceAccountId, signal });
    payload.data = data;
    if (errors?.length) payload.errors = errors.map(shownError);
  }
  return JSON.stringify(payload);
}

/** The headers of a message. After a rotation, the secret before it signs as well for a while. */
export async function headersOf(
  { messageId }: Pick<Delivery, 'messageId'>,
  webhook: Pick<Webhook, 'sealedSecret' | 'sealedOldSecret' | 'oldSecretUntil'>,
  body: string,
  { seal, now }: { seal: Seal; now: Date },
): Promise<Record<string, string>> {
  // Loaded with the first message, because many gateways send none.
  const { signatureOf } = await import('./signature-model.ts');
  const { sealedSecret, sealedOldSecret, oldSecretUntil } = webhook;
  const isOldAccepted = sealedOldSecret !== null && oldSecretUntil !== null && oldSecretUntil > now;
  const secrets = [sealedSecret, ...(isOldAccepted ? [sealedOldSecret] : [])];
  const signatures = secrets.map((sealed) => signatureOf({ messageId, now, body }, seal.open(sealed)));
  return {
    'content-type': 'application/json',
    'user-agent': 'Trellis-Webhooks',
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}
