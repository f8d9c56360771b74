import type { Database, Statements } from '../../../db/open.ts';
import { Params } from '../../../db/query/statement.ts';
import type { Row } from '../../../db/tables.ts';

const pending = `status = 'PENDING'`;

export interface PendingWebhook {
  id: string;
  teamId: string;
  isEnabled: boolean;
  /** When its first delivery is sent. */
  firstMs: number;
  /** Whether its team has another webhook that is enabled. */
  hasSiblings: boolean;
}

export const webhooksAtOnce = 100;

/**
 * The webhooks with pending deliveries whose ids come after another one, in order of their ids. Goes from one to the next in
 * the index, so that it does not matter how many deliveries each of them has.
 */
export async function pendingWebhooks(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Pick<Statements, '$read'>,
  after: string,
): Promise<PendingWebhook[]> {
  const next = (than: string) =>
    `SELECT d.webhook_id FROM webhook_delivery d WHERE d.${pending} AND d.webhook_id > ${than} ORDER BY d.webhook_id LIMIT 1`;
  const params = new Params(dialect);
  const first = dialect.milliseconds(
    `(SELECT d.next_attempt_at FROM webhook_delivery d WHERE d.${pending} AND d.webhook_id = w.id ORDER BY d.next_attempt_at LIMIT 1)`,
  );
  const rows = await tx.$read(
    `WITH RECURSIVE pending(webhook_id, number) AS (
       SELECT first.webhook_id, 1 FROM (${next(params.add(after))}) first
       UNION ALL
       SELECT (${next('p.webhook_id')}), p.number + 1 FROM pending p
       WHERE p.webhook_id IS NOT NULL AND p.number < ${webhooksAtOnce})
     SELECT w.id, w.team_id, w.is_enabled, ${first},
       (SELECT count(*) FROM (SELECT 1 FROM webhook o WHERE o.team_id = w.team_id AND o.is_enabled LIMIT 2) enabled)
     FROM pending p JOIN webhook w ON w.id = p.webhook_id ORDER BY p.number`,
    params.values,
  );
  return rows.map(([id, teamId, isEnabled, firstMs, enabled]) => ({
    id: id as string,
    teamId: teamId as string,
    isEnabled: dialect.decode(isEnabled, 'Boolean') as boolean,
    firstMs: Number(firstMs),
    hasSiblings: Number(enabled) > 1,
  }));
}

/** A delivery whose time has come. */
export interface DueDelivery {
  id: number;
  /** When the first unfinished delivery of its object is sent, which it has to wait for. Undefined if it is that itself. */
  waitsForMs: number | undefined;
}

/** How many deliveries of a webhook one look reads. */
export const deliveriesAtOnce = 100;

/** The first deliveries of a webhook whose time has come. */
export async function dueDeliveries(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Pick<Statements, '$read'>,
  webhookId: string,
  now: Date,
): Promise<DueDelivery[]> {
  const params = new Params(dialect);
  const before = dialect.milliseconds(
    `(SELECT e.next_attempt_at FROM webhook_delivery e WHERE e.${pending} AND e.webhook_id = d.webhook_id AND e.subject = d.subject AND e.id < d.id ORDER BY e.id LIMIT 1)`,
  );
  const rows = await tx.$read(
    `SELECT d.id, ${before} FROM webhook_delivery d
     WHERE d.${pending} AND d.webhook_id = ${params.add(webhookId)} AND d.next_attempt_at <= ${params.add(now)}
       AND (d.owner IS NULL OR d.held_until <= ${params.add(now)})
     ORDER BY d.next_attempt_at, d.id LIMIT ${deliveriesAtOnce}`,
    params.values,
  );
  return rows.map(([id, waitsFor]) => ({
    id: Number(id),
    waitsForMs: waitsFor === null ? undefined : Number(waitsFor),
  }));
}

/** The first unfinished delivery of each object that some deliveries are of. */
export async function nextDeliveries(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Pick<Statements, '$read'>,
  ids: readonly number[],
): Promise<number[]> {
  const params = new Params(dialect);
  const given = ids.map((id) => params.add(id)).join(', ');
  const rows = await tx.$read(
    `SELECT (SELECT e.id FROM webhook_delivery e WHERE e.${pending} AND e.webhook_id = d.webhook_id AND e.subject = d.subject ORDER BY e.id LIMIT 1)
     FROM webhook_delivery d WHERE d.id IN (${given})`,
    params.values,
  );
  return rows.flatMap(([id]) => (id === null ? [] : [Number(id)]));
}

/** What a delivery is made of. Undefined if it was deleted. */
export interface DeliveryParts {
  webhook: Row<'Webhook'> | undefined;
  event: Row<'Event'> | undefined;
}

/** The webhooks and events of deliveries, read together. */
export async function partsOfDeliveries(
  db: Database,
  deliveries: readonly Pick<Row<'WebhookDelivery'>, 'webhookId' | 'eventId'>[],
): Promise<(delivery: Pick<Row<'WebhookDelivery'>, 'webhookId' | 'eventId'>) => DeliveryParts> {
  const webhookIds = [...new Set(deliveries.map(({ webhookId }) => webhookId))];
  const eventIds = [...new Set(deliveries.flatMap(({ eventId }) => eventId ?? []))];
  const [webhooks, events] = await Promise.all([
    db.webhook.findManyByKeys({ by: 'id', keys: webhookIds }),
    db.event.findManyByKeys({ by: 'id', keys: eventIds }),
  ]);
  const webhookOf = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  const eventOf = new Map(events.map((event) => [event.id, event]));
  return ({ webhookId, eventId }) => ({
    webhook: webhookOf.get(webhookId),
    event: eventId === null ? undefined : eventOf.get(eventId),
  });
}
