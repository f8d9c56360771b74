import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { Row } from '../../src/db/tables.ts';
import { insertMany } from '../../src/db/write/bulk.ts';
import type { DeliverySettings } from '../../src/domain/webhook/delivery/model.ts';
import { unique } from './fixtures.ts';
import type { Trellis } from './trellis.ts';
import type { ReceivedMessage } from './webhook-receiver.ts';

/** Tests do not wait for retries and polls. */
export const hastyDeliveries: Partial<DeliverySettings> = {
  pollMs: 100,
  backoffMinMs: 20,
  backoffMaxMs: 50,
};

export const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

export interface TestWebhook {
  id: string;
  teamId: string;
  secret: string;
}

/** A webhook as it is stored. */
export async function insertWebhook(
  { services }: Trellis,
  { teamId, url, ...values }: Partial<Row<'Webhook'>> & Pick<Row<'Webhook'>, 'teamId' | 'url'>,
): Promise<TestWebhook> {
  const [id, secret, now] = [unique('webhook'), newSecret(), new Date()];
  const sealedSecret = services.seal.close(secret);
  const data = { id, teamId, url, events: '["*"]', sealedSecret, createdAt: now, updatedAt: now, ...values };
  await services.db.transaction((tx) => tx.webhook.create({ data }));
  return { id, teamId, secret };
}

/** Events of a team, one for each subject such as `Port/3`, as a mutation records them. Returns their ids. */
async function insertEvents(
  { services: { db } }: Trellis,
  teamId: string,
  subjects: readonly string[],
): Promise<number[]> {
  return db.transaction(async (tx) => {
    const { enterpriseId } = (await tx.team.findUnique({ where: { id: teamId } }))!;
    const requestId = unique('request');
    const events = subjects.map((subject, index) => ({
      enterpriseId,
      teamId,
      at: new Date(),
      requestId,
      action: 'port.add',
      subjectType: subject.split('/')[0]!,
      subjectId: subject.split('/')[1]!,
      changes: JSON.stringify({ number: [null, index] }),
    }));
    await insertMany({ context: { db }, tx }, 'Event', events);
    const rows = await tx.event.findMany({
      where: { requestId },
      orderBy: { id: 'asc' },
      select: { id: true },
    });
    return rows.map(({ id }) => id);
  });
}

/** Events of the webhook's team, each with its delivery to the webhook. */
export async function insertDeliveries(
  trellis: Trellis,
  webhook: Pick<TestWebhook, 'id' | 'teamId'>,
  subjects: readonly string[],
  values: Partial<Row<'WebhookDelivery'>> = {},
): Promise<void> {
  const eventIds = await insertEvents(trellis, webhook.teamId, subjects);
  const now = new Date();
  const { db } = trellis.services;
  const rows = subjects.map((subject, index) => ({
    webhookId: webhook.id,
    teamId: webhook.teamId,
    eventId: eventIds[index]!,
    messageId: `msg_${unique('message')}`,
    subject,
    status: 'PENDING',
    attempts: 0,
    createdAt: now,
    nextAttemptAt: now,
    ...values,
  }));
  await db.transaction((tx) => insertMany({ context: { db }, tx }, 'WebhookDelivery', rows));
  trellis.services.webhooks?.wake();
}

export const deliveriesOf = ({ services }: Trellis, { id }: Pick<TestWebhook, 'id'>) =>
  services.db.transaction((tx) =>
    tx.webhookDelivery.findMany({ where: { webhookId: id }, orderBy: { id: 'asc' } }),
  );

export const webhookRow = ({ services }: Trellis, { id }: Pick<TestWebhook, 'id'>) =>
  services.db.transaction((tx) => tx.webhook.findUniqueOrThrow({ where: { id } }));

/** Resolves with the deliveries of a webhook once all are finished. */
export async function finishedDeliveries(trellis: Trellis, webhook: Pick<TestWebhook, 'id'>) {
  const where = { webhookId: webhook.id, status: 'PENDING' };
  // Counted, because reading hundreds of rows at each look takes longer than sending them.
  const pending = () => trellis.services.db.transaction((tx) => tx.webhookDelivery.count({ where }));
  await expect.poll(pending, { timeout: 60_000, interval: 20 }).toBe(0);
  return deliveriesOf(trellis, webhook);
}

/** The payload of a message whose signature is right for this secret. Throws otherwise. */
export const verified = ({ body, headers }: ReceivedMessage, secret: string): any =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
