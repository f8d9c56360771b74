import type { Services } from '../../../context.ts';
import type { Topic } from '../../../db/channel/topic.ts';
import { lockRows } from '../../../db/write/locks.ts';
import type { OwnWrite } from '../../../db/write/own-events.ts';
import { notifyWith } from '../../../db/write/record.ts';

/** Times that are looked at together. */
export const firedAtOnce = 20;

/**
 * Does work in a transaction that has locked a component. Of several gateways, one does so for each time of a schedule: the work
 * reads the schedule again, and sets when its next time is.
 */
export async function withComponentLocked<T>(
  { db }: Pick<Services, 'db'>,
  componentId: string,
  work: (write: OwnWrite) => Promise<T>,
): Promise<T> {
  let topics: Set<Topic> = new Set();
  const result = await db.transaction(async (tx) => {
    // A transaction can be run again.
    topics = new Set();
    const write: OwnWrite = { context: { db }, tx, announce: (topic) => void topics.add(topic) };
    await lockRows(write, 'Component', componentId);
    const done = await work(write);
    if (topics.size > 0) await notifyWith(tx, db, db.channel.payloadOf(topics));
    return done;
  });
  db.channel.publish(topics);
  return result;
}

/**
 * Fires what is due, one after the other. What fails is tried again later, and delays nothing else. Returns whether something was
 * done.
 */
export async function fireEach<T extends { id: string; componentId: string }>(
  { log }: Pick<Services, 'log'>,
  due: readonly T[],
  fire: (schedule: T) => Promise<unknown>,
): Promise<boolean> {
  let count = 0;
  for (const schedule of due) {
    try {
      await fire(schedule);
      count++;
    } catch (error) {
      log.warn({ schedule: schedule.id, component: schedule.componentId, error }, 'a schedule is delayed');
    }
  }
  return count > 0;
}
