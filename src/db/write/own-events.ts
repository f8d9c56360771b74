import type { Topic } from '../channel/topic.ts';
import type { Database, Transaction } from '../open.ts';
import type { EventAction } from './events.ts';
import { EventCollector, notifyWith, type RecordedEvent } from './record.ts';

/** An open transaction, of a mutation or of a process that works by itself. */
export interface OwnWrite {
  context: { db: Pick<Database, 'dialect' | 'channel'> };
  tx: Transaction;
  announce(topic: Topic): void;
}

/** Runs a transaction of a process that works by itself, and publishes what it announces after the commit. */
export async function ownTransaction<T>(
  db: Pick<Database, 'transaction' | 'dialect' | 'channel'>,
  work: (write: OwnWrite) => Promise<T>,
): Promise<T> {
  let topics: Set<Topic> = new Set();
  const result = await db.transaction(async (tx) => {
    // A transaction can be run again.
    topics = new Set();
    const done = await work({ context: { db }, tx, announce: (topic) => void topics.add(topic) });
    if (topics.size > 0) await notifyWith(tx, db, db.channel.payloadOf(topics));
    return done;
  });
  db.channel.publish(topics);
  return result;
}

/** Something that Trellis has found, and that no caller has done. */
export interface OwnEvent extends Omit<RecordedEvent, 'action' | 'evenIfUnchanged'> {
  action: EventAction;
  enterpriseId: string;
  requestId: string;
}

/**
 * Records what Trellis has found, in an open transaction. It changes no object, so the applications keep their `updatedAt`,
 * and a plan does not list it.
 */
export async function recordOwn(
  { context: { db }, tx, announce }: OwnWrite,
  { action, enterpriseId, requestId, ...event }: OwnEvent,
): Promise<void> {
  const actor = { enterpriseId, userId: null, serviceAccountId: null, tokenId: null };
  const collector = new EventCollector({ db, actor, requestId }, action, { touches: false });
  collector.add({ ...event, evenIfUnchanged: true });
  // The transaction publishes its topics when it ends.
  for (const topic of collector.topics) announce(topic);
  collector.topics.clear();
  await collector.save(tx);
  for (const topic of collector.topics) announce(topic);
}
