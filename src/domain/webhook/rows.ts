import type { Context } from '../../context.ts';
import type { NewRow, Row } from '../../db/tables.ts';
import { deleteByIds, findByKeys } from '../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import { databaseNow } from '../../db/write/database-now.ts';
import { messagePrefix, subjectOf } from '../../db/write/deliveries.ts';
import { revised } from '../../db/write/revision.ts';
import { newId } from '../../kernel/new-id.ts';
import type { ServiceAccountHooks } from '../service-account/hooks.ts';
import type { TeamHooks } from '../team/hooks.ts';

type Webhook = Row<'Webhook'>;

const eventOf = ({ id, url, teamId }: Webhook) =>
  ({ subject: { type: 'Webhook', id }, name: url, teamId }) as const;

export async function insertWebhook(
  { tx, recordEvent }: Write,
  data: Omit<NewRow<'Webhook'>, 'createdAt' | 'updatedAt'>,
): Promise<Webhook> {
  const createdAt = new Date();
  const after = await tx.webhook.create({ data: { id: newId(), ...data, createdAt, updatedAt: createdAt } });
  recordEvent({ ...eventOf(after), after });
  return after;
}

export async function setWebhook(
  { tx, recordEvent }: Write,
  before: Webhook,
  data: Partial<Omit<Webhook, 'id' | 'teamId' | 'createdAt' | 'updatedAt' | 'revision'>>,
): Promise<Webhook> {
  const { id } = before;
  const after = await tx.webhook.update({
    where: { id },
    data: revised(before, { ...data, updatedAt: new Date() }),
  });
  recordEvent({ ...eventOf(after), before, after });
  return after;
}

/** Deletes webhooks with their deliveries. */
export async function removeWebhooks(
  write: StatementWrite<Context>,
  webhooks: readonly Webhook[],
): Promise<void> {
  const { recordEvent } = write;
  for (const webhook of webhooks) {
    await deleteByIds(write, 'Webhook', [webhook]);
    recordEvent({ ...eventOf(webhook), action: 'webhook.delete', before: webhook });
  }
}

export const webhooksOfTeam: TeamHooks = {
  async deleting(write, { id: teamId }) {
    await removeWebhooks(write, await findByKeys(write, 'Webhook', 'teamId', [teamId], ['id']));
  },
};

/** Removes the webhooks whose documents are executed with the rights of deleted service accounts. */
export const webhooksOfServiceAccounts: ServiceAccountHooks = {
  async deleting(write, accounts) {
    const ids = accounts.map(({ id }) => id);
    await removeWebhooks(write, await findByKeys(write, 'Webhook', 'serviceAccountId', ids, ['id']));
  },
};

type Delivery = Row<'WebhookDelivery'>;

/** A delivery that is due now. */
async function insertDelivery(
  write: Write,
  data: Pick<Delivery, 'webhookId' | 'teamId' | 'applicationId' | 'eventId' | 'messageId' | 'subject'>,
): Promise<Delivery> {
  const createdAt = await databaseNow(write);
  return write.tx.webhookDelivery.create({ data: { ...data, createdAt, nextAttemptAt: createdAt } });
}

/** The object of the tests of a webhook, which are sent one after the other. */
export const testSubject = (webhookId: string): string => subjectOf('Webhook', webhookId);

/** A delivery without an event. */
export async function insertTest(write: Write, webhook: Webhook): Promise<Delivery> {
  const { id, teamId } = webhook;
  const messageId = `${messagePrefix}${newId()}`;
  const place = { webhookId: id, teamId, applicationId: 0 };
  const data = { ...place, eventId: null, messageId, subject: testSubject(id) };
  const delivery = await insertDelivery(write, data);
  write.recordEvent({ ...eventOf(webhook), after: { deliveryId: delivery.id }, evenIfUnchanged: true });
  return delivery;
}

/**
 * Sends a delivery again: one that is finished as a new delivery of the same message, so that receivers can tell that they
 * have it, and one that is pending at once.
 */
export async function repeatDelivery(write: Write, webhook: Webhook, delivery: Delivery): Promise<Delivery> {
  const { id, webhookId, teamId, applicationId, eventId, messageId, subject } = delivery;
  write.recordEvent({ ...eventOf(webhook), after: { deliveryId: id }, evenIfUnchanged: true });
  if (delivery.status !== 'PENDING')
    return insertDelivery(write, { webhookId, teamId, applicationId, eventId, messageId, subject });
  const nextAttemptAt = await databaseNow(write);
  return write.tx.webhookDelivery.update({ where: { id }, data: { nextAttemptAt } });
}
