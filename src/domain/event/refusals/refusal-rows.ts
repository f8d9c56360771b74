import type { Topic } from '../../../db/channel/topic.ts';
import type { Database } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';
import { insertWith } from '../../../db/write/bulk.ts';
import { deliveriesOf } from '../../../db/write/deliveries.ts';

/** Inserts the events of refused changes with their deliveries to webhooks, and notifies the subscribers of their teams. */
export async function insertRefusals(
  db: Database,
  events: readonly Omit<Row<'Event'>, 'id'>[],
): Promise<void> {
  const topics = new Set(
    events.flatMap(({ teamId }): Topic[] => (teamId === null ? [] : [`events/${teamId}`])),
  );
  const isOfTeam = topics.size > 0;
  const beside = isOfTeam
    ? { notification: db.channel.payloadOf(topics), following: deliveriesOf(db.dialect) }
    : {};
  const deliveries = await db.transaction((tx) => {
    const write = { context: { db }, tx };
    return insertWith(write, 'Event', events, beside);
  });
  if (deliveries > 0) topics.add('deliveries');
  db.channel.publish(topics);
}
