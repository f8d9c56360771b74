import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Filter } from '../../db/query/statement.ts';
import { type OpenField, openFields, type Part, type Row } from '../../db/tables.ts';
import type { Actor } from '../../kernel/access.ts';
import type { Action } from '../../kernel/actions.ts';
import { absentId, byNumber, namedBy } from '../../kernel/global-id.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { visibleEvent, visibleEvents } from '../event/reads.ts';
import { loadTeam, requireAllowed, seesIn, visibleIn } from '../team/reads.ts';
import { visibleBesides } from '../team/visible-reads.ts';
import type { WebhookDeliveryRef, WebhookRef } from './model.ts';

/** The columns of a webhook without its secrets. */
const visibleFields = openFields('Webhook');
export type Webhook = Part<'Webhook', OpenField<'Webhook'>>;

const webhookById = batchedRow('Webhook', 'id', visibleFields);

/** The webhook, for those who may see what belongs to the team. */
export const visibleWebhook = visibleIn(webhookById);

/** The webhook that a reference names, for a caller who may see it. */
export const requireWebhook = namedBy('webhook', 'Webhook', 'webhookId', visibleWebhook);

/** Finds the webhook with its team, for a caller who may do the action with it. */
export async function requireWebhookFor(
  context: Context,
  ref: WebhookRef,
  action: Action,
): Promise<{ webhook: Webhook; team: Row<'Team'> }> {
  const webhook = await requireWebhook(context, ref);
  const team = await loadTeam(context, webhook.teamId);
  requireAllowed(context, team, action, { noun: 'webhook' });
  return { webhook, team };
}

export const webhooksOf = ({ actor }: Context, teamId: string): List<'Webhook'> => ({
  key: teamId,
  spec: {
    model: 'Webhook',
    parent: { field: 'teamId' },
    order: ['createdAt', 'id'],
    where: visibleBesides(actor, 'teamId'),
  },
});

const deliveryById = batchedRow('WebhookDelivery', 'id');

/** The delivery, for those who may see its webhook and its event: it has the time of the event, and what the receiver says of it. */
export async function visibleDelivery(context: Context, id: string): Promise<Row<'WebhookDelivery'> | null> {
  const delivery = await byNumber(deliveryById)(context, id);
  const hasEvent = context.actor.isPartial && delivery?.eventId !== null;
  const event = hasEvent ? await visibleEvent(context, String(delivery?.eventId ?? absentId)) : null;
  if (!delivery || !(await seesIn(context, { teamId: delivery.teamId }))) return null;
  return hasEvent && !event ? null : delivery;
}

const namedDelivery = namedBy('delivery', 'WebhookDelivery', 'deliveryId', visibleDelivery);

/** Finds the delivery for a caller who may do the action with its webhook. */
export async function requireDeliveryFor(
  context: Context,
  ref: WebhookDeliveryRef,
  action: Action,
): Promise<{ delivery: Row<'WebhookDelivery'>; team: Row<'Team'> }> {
  const delivery = await namedDelivery(context, ref);
  const team = await loadTeam(context, delivery.teamId);
  requireAllowed(context, team, action, { noun: 'delivery' });
  return { delivery, team };
}

/** For actors who see only a part of a team: tests, and the deliveries of the events that they see. */
const ofVisibleEvents = memoizeByIdentity((actor: Actor): Filter<'WebhookDelivery'>[] =>
  actor.isPartial
    ? [
        {
          any: [
            { field: 'eventId', is: null },
            { field: 'eventId', through: 'Event', on: 'id', where: visibleEvents(actor) },
          ],
        },
      ]
    : [],
);

/** The deliveries of a webhook that the actor may see, newest first. */
export function deliveriesOf(
  { actor }: Context,
  webhookId: string,
  { status }: { status?: string | null },
): List<'WebhookDelivery'> {
  const where: Filter<'WebhookDelivery'>[] = [
    ...ofVisibleEvents(actor),
    ...(status == null ? [] : [{ field: 'status' as const, is: status }]),
  ];
  return {
    key: webhookId,
    spec: {
      model: 'WebhookDelivery',
      parent: { field: 'webhookId' },
      order: ['id'],
      descending: true,
      where,
      growing: { indexed: [['status']], time: 'createdAt', hasHidden: actor.isPartial },
    },
  };
}
