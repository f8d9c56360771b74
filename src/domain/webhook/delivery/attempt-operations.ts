import type { Services } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { WebhookSendError, type WebhookSender } from '../../../drivers/webhook/driver.ts';
import { UnavailableError } from '../../../kernel/errors.ts';
import type { ExecuteDocument } from './document-operations.ts';
import {
  type Attempt,
  type AttemptOutcome,
  type DeliverySettings,
  noPayload,
  outcomeOfStatus,
  shownPayload,
} from './model.ts';
import { headersOf, payloadOf } from './payload-operations.ts';
import type { DeliveryParts } from './reads.ts';

export interface AttemptOptions {
  services: Pick<Services, 'seal' | 'log'>;
  sender: WebhookSender;
  execute: ExecuteDocument;
  settings: DeliverySettings;
}

const failed = (error: string): AttemptOutcome => ({
  kind: 'failed',
  responseCode: null,
  response: null,
  error,
});

/** Sends a delivery once. Never throws. `now` is the time of the database. */
export async function attemptDelivery(
  options: AttemptOptions,
  delivery: Row<'WebhookDelivery'>,
  parts: Promise<DeliveryParts>,
  now: () => Date,
  signal: AbortSignal,
): Promise<Attempt> {
  const since = performance.now();
  const sent = await send(options, delivery, parts, now, signal).catch((error: unknown): Sent => {
    if (signal.aborted) return withoutPayload({ kind: 'handBack', waitMs: 0 });
    if (error instanceof UnavailableError)
      return withoutPayload({ kind: 'handBack', waitMs: options.settings.backoffMinMs });
    options.services.log.error({ error, delivery: delivery.id }, 'a webhook delivery failed');
    return withoutPayload(failed('Trellis could not create the message. The server log has details.'));
  });
  return { delivery, ...sent, durationMs: performance.now() - since };
}

type Sent = Pick<Attempt, 'outcome' | 'payload'>;

const withoutPayload = (outcome: AttemptOutcome): Sent => ({ outcome, payload: noPayload });

async function send(
  { services, sender, execute }: AttemptOptions,
  delivery: Row<'WebhookDelivery'>,
  parts: Promise<DeliveryParts>,
  now: () => Date,
  signal: AbortSignal,
): Promise<Sent> {
  const { seal } = services;
  const { webhook, event } = await parts;
  // The delivery was deleted with the webhook, or is given up with the others of it.
  if (!webhook?.isEnabled) return withoutPayload({ kind: 'handBack', waitMs: 0 });
  if (delivery.eventId !== null && !event) {
    return withoutPayload(failed('The event is no longer in the record.'));
  }
  const body = await payloadOf(delivery, webhook, event, execute, signal);
  const headers = await headersOf(delivery, webhook, body, { seal, now: now() });
  const outcome = await sender.send({ url: webhook.url, headers, body }, signal).then(
    ({ status, text }): AttemptOutcome => ({
      kind: outcomeOfStatus(status),
      responseCode: status,
      response: text,
      error: null,
    }),
    (error: unknown) => {
      if (signal.aborted || !(error instanceof WebhookSendError)) throw error;
      return failed(error.message);
    },
  );
  const sealedPayload = seal.close(shownPayload(body));
  // A test executes no document.
  const payloadAccountId = event && webhook.document !== null ? webhook.serviceAccountId : null;
  return { outcome, payload: { sealedPayload, payloadAccountId } };
}
