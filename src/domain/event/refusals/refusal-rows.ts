import type { Topic } from '../../../db/channel/topic.ts';
import type { Database } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';
import { insertMany } from '../../../db/write/bulk.ts';
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
  await db.transaction((tx) => {
    const write = { context: { db }, tx };
    return insertMany(write, 'Event', events, beside);
  });
  db.channel.publish(topics);
}
