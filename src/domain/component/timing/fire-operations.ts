import type { Services } from '../../../context.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { type OwnWrite, ownTransaction } from '../../../db/write/own-events.ts';

/** Times that are looked at together. */
export const firedAtOnce = 20;

/**
 * Does work in a transaction that has locked a component. Of several gateways, one does so for each time of a schedule: the work
 * reads the schedule again, and sets when its next time is.
 */
export const withComponentLocked = <T>(
  { db }: Pick<Services, 'db'>,
  componentId: string,
  work: (write: OwnWrite) => Promise<T>,
): Promise<T> =>
  ownTransaction(db, async (write) => {
    await lockRows(write, 'Component', componentId);
    return work(write);
  });

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
