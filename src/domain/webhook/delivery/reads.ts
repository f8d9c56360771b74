import type { Database, Statements } from '../../../db/open.ts';
import type { Dialect } from '../../../db/query/dialect.ts';
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

/** How many webhooks, or applications of a webhook, one statement reads. */
export const placesAtOnce = 100;

/** When the first delivery of a place is sent. */
const firstOf = (dialect: Dialect, place: string) =>
  dialect.milliseconds(
    `(SELECT d.next_attempt_at FROM webhook_delivery d WHERE d.${pending} AND ${place} ORDER BY d.next_attempt_at LIMIT 1)`,
  );

/**
 * The table `pending` of the values of a column after another one, in order. Goes from one to the next in the index, so that it
 * does not matter how many deliveries each of them has. Parameters are added in the order of the text.
 */
function pendingValues(
  column: 'webhook_id' | 'application_id',
  after: () => string,
  where = () => 'TRUE',
): string {
  const next = (than: () => string) =>
    `SELECT d.${column} FROM webhook_delivery d WHERE d.${pending} AND ${where()} AND d.${column} > ${than()} ORDER BY d.${column} LIMIT 1`;
  return `WITH RECURSIVE pending(value, number) AS (
       SELECT first.${column}, 1 FROM (${next(after)}) first
       UNION ALL
       SELECT (${next(() => 'p.value')}), p.number + 1 FROM pending p
       WHERE p.value IS NOT NULL AND p.number < ${placesAtOnce})`;
}

/** The webhooks with pending deliveries whose ids come after another one, in order of their ids. */
export async function pendingWebhooks(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Pick<Statements, '$read'>,
  after: string,
): Promise<PendingWebhook[]> {
  const params = new Params(dialect);
  const rows = await tx.$read(
    `${pendingValues('webhook_id', () => params.add(after))}
     SELECT w.id, w.team_id, w.is_enabled, ${firstOf(dialect, 'd.webhook_id = w.id')},
       (SELECT count(*) FROM (SELECT 1 FROM webhook o WHERE o.team_id = w.team_id AND o.is_enabled LIMIT 2) enabled)
     FROM pending p JOIN webhook w ON w.id = p.value ORDER BY p.number`,
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

/** Deliveries of a webhook, of one application or of none (0). */
export interface DeliveryPlace {
  webhookId: string;
  applicationId: number;
}

export interface PendingApplication {
  id: number;
  /** When its first delivery is sent. */
  firstMs: number;
}

/** The applications with pending deliveries of a webhook whose ids come after another one, in order of their ids. */
export async function pendingApplications(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Pick<Statements, '$read'>,
  webhookId: string,
  after: number,
): Promise<PendingApplication[]> {
  const params = new Params(dialect);
  const ofWebhook = () => `d.webhook_id = ${params.add(webhookId)}`;
  const rows = await tx.$read(
    `${pendingValues('application_id', () => params.add(after), ofWebhook)}
     SELECT p.value, ${firstOf(dialect, `${ofWebhook()} AND d.application_id = p.value`)}
     FROM pending p WHERE p.value IS NOT NULL ORDER BY p.number`,
    params.values,
  );
  return rows.map(([id, firstMs]) => ({ id: Number(id), firstMs: Number(firstMs) }));
}

/** A delivery whose time has come. */
export interface DueDelivery {
  id: number;
  /** When the first unfinished delivery of its object is sent, which it has to wait for. Undefined if it is that itself. */
  waitsForMs: number | undefined;
}

/** How many deliveries of a place one look reads. */
export const deliveriesAtOnce = 100;

/** The first deliveries of a place whose time has come. */
export async function dueDeliveries(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Pick<Statements, '$read'>,
  { webhookId, applicationId }: DeliveryPlace,
  now: Date,
): Promise<DueDelivery[]> {
  const params = new Params(dialect);
  const before = dialect.milliseconds(
    `(SELECT e.next_attempt_at FROM webhook_delivery e WHERE e.${pending} AND e.webhook_id = d.webhook_id AND e.subject = d.subject AND e.id < d.id ORDER BY e.id LIMIT 1)`,
  );
  const rows = await tx.$read(
    `SELECT d.id, ${before} FROM webhook_delivery d
     WHERE d.${pending} AND d.webhook_id = ${params.add(webhookId)} AND d.application_id = ${params.add(applicationId)} AND d.next_attempt_at <= ${params.add(now)}
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
