import type { Row } from '../../src/db/tables.ts';
import { unique } from './fixtures.ts';
import type { Trellis } from './trellis.ts';

/** The input of a webhook of a team. */
export const webhookInput = (teamId: string, options: object = {}) => ({
  team: { teamId },
  url: `https://receiver.example/${unique('hook')}`,
  events: ['port.*'],
  ...options,
});

/** A new webhook of a team. */
export async function createWebhook(
  trellis: Trellis,
  teamId: string,
  options: object = {},
): Promise<{ webhookId: string; secret: string }> {
  const input = webhookInput(teamId, options);
  const { webhook, secret } = await trellis.succeed(
    'createWebhook',
    input,
    'secret webhook { webhookId: uid }',
  );
  return { ...webhook, secret };
}

/** A service account of a team. */
export async function createAccount(trellis: Trellis, teamId: string, role = 'VIEWER') {
  const input = { team: { teamId }, name: unique('robot'), role };
  const selection = 'serviceAccount { serviceAccountId: uid }';
  const { serviceAccount } = await trellis.succeed('createServiceAccount', input, selection);
  return serviceAccount as { serviceAccountId: string };
}

/** A service account in a new team. */
export async function createOtherAccount(trellis: Trellis) {
  const { teamId } = await trellis.createTeam();
  return createAccount(trellis, teamId);
}

/** What is to be sent to a webhook, oldest first. */
export const deliveriesTo = (trellis: Trellis, webhookId: string): Promise<Row<'WebhookDelivery'>[]> =>
  trellis.services.db.transaction((tx) =>
    tx.webhookDelivery.findMany({ where: { webhookId }, orderBy: { id: 'asc' } }),
  );

/** The actions of the events that are to be sent to a webhook, oldest first. */
export async function actionsSentTo(trellis: Trellis, webhookId: string): Promise<string[]> {
  const deliveries = await deliveriesTo(trellis, webhookId);
  const ids = deliveries.flatMap(({ eventId }) => eventId ?? []);
  const events = await trellis.services.db.event.findManyByKeys({ by: 'id', keys: ids });
  const actions = new Map(events.map(({ id, action }) => [id, action]));
  return ids.map((id) => actions.get(id)!);
}
