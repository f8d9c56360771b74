import type { Services } from '../../../context.ts';
import type { Transaction } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';
import type { At, Besides } from '../../../db/work/fair.ts';
import { Rounds } from '../../../db/work/rounds.ts';
import { databaseNow } from '../../../db/write/database-now.ts';
import { lockFree, lockRows } from '../../../db/write/locks.ts';
import { type OwnWrite, ownTransaction } from '../../../db/write/own-events.ts';
import { isEnabled } from '../../region/reads.ts';
import { isClosed, wasDeployed } from '../state-model.ts';
import { type CommonSkipReason, mostLateMs } from './model.ts';
import { nextTime, type Timing } from './times-model.ts';

/** The most times of a look, and after how long it ends, so that one that waits for locks does not make all others late. */
export const mostOfLook = { times: 20, ms: 200 };

/** How long a component is left alone that is locked, and a schedule that failed. */
const asideMs = { locked: 2_000, failed: 5_000 };

/** What is left alone. */
interface Except {
  ids: string[];
  componentIds: string[];
}

/** The columns of a component that decide whose turn it is. */
export const dueComponent = { select: { teamId: true, applicationId: true } } as const;

/** The columns of a component that decide whether its schedules do something, and for whom. */
export const scheduledComponent = {
  select: {
    teamId: true,
    applicationId: true,
    regionId: true,
    deployState: true,
    region: { select: { driver: true, status: true } },
    team: { select: { enterpriseId: true } },
  },
} as const;

interface ScheduledComponent
  extends Pick<Row<'Component'>, 'teamId' | 'applicationId' | 'regionId' | 'deployState'> {
  region: Pick<Row<'Region'>, 'driver' | 'status'>;
  team: Pick<Row<'Team'>, 'enterpriseId'>;
}

/** A schedule whose time has come. */
interface Due<S> {
  schedule: S;
  component: ScheduledComponent;
  at: Date;
  now: Date;
  nextRunAt: Date | null;
}

interface DueSchedule extends At {
  id: string;
  componentId: string;
}

/** A kind of schedules: where they are, what they do, and the reasons for which they do not. */
export interface ScheduleKind<S extends Timing & { nextRunAt: Date | null }, R extends string> {
  /** The feature that the cluster of a region must have. */
  needs: 'runs' | 'snapshots';
  /** Whether it does something while its component is stopped. */
  evenStopped: boolean;
  /** The schedules that are due, the first ones first, except some, and those of some teams or applications. */
  due(tx: Transaction, now: Date, most: number, except: Except, besides?: Besides): Promise<DueSchedule[]>;
  /** Null if it was removed. */
  read(tx: Transaction, id: string): Promise<Pick<Due<S>, 'schedule' | 'component'> | null>;
  /** Why else it does nothing. */
  skipped?(tx: Transaction, schedule: S): Promise<R | undefined>;
  /** Stores that its time has passed. */
  skip(tx: Transaction, due: Due<S>, reason: R): Promise<unknown>;
  /** Does what there is to do, and stores when its next time is. */
  start(write: OwnWrite, due: Due<S>): Promise<void>;
}

/** Does work in a transaction that has locked a component. */
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
 * Fires schedules that are due, one after the other. Of several gateways, one does so for each time: it locks the component, and sets
 * when the next time is in the same transaction. Those whose component is locked, or that fail, are tried again later, and delay
 * nothing else. While there are more than those of one look, teams and applications take turns. The function returns whether another
 * look may find more to do at once.
 */
export function createFiring<S extends Timing & { nextRunAt: Date | null }, R extends string>(
  services: Services,
  kind: ScheduleKind<S, R>,
): (now: Date) => Promise<boolean> {
  const rounds = new Rounds();
  /** Until when schedules and components are left alone, by the monotonic clock. */
  const [failed, locked] = [new Map<string, number>(), new Map<string, number>()];
  return async (now) => {
    const { times, ms } = mostOfLook;
    for (const aside of [failed, locked]) removePast(aside);
    const except = { ids: [...failed.keys()], componentIds: [...locked.keys()] };
    const due = await services.db.transaction((tx) =>
      rounds.take(times, (besides) => kind.due(tx, now, times, except, besides)),
    );
    const begunAt = performance.now();
    let count = 0;
    for (const schedule of due) {
      rounds.served(schedule);
      const { id, componentId } = schedule;
      if (locked.has(componentId)) continue;
      try {
        const isFree = await ownTransaction(services.db, async (write) => {
          const [free] = await lockFree(write, 'Component', [componentId]);
          if (free !== undefined) await fire(services, kind, write, id);
          return free !== undefined;
        });
        if (isFree) count++;
        else locked.set(componentId, performance.now() + asideMs.locked);
      } catch (error) {
        failed.set(id, performance.now() + asideMs.failed);
        services.log.warn({ schedule: id, component: componentId, error }, 'a schedule is delayed');
      }
      if (performance.now() - begunAt > ms) break;
    }
    if (count === due.length && count < times) rounds.clear();
    return due.length > 0;
  };
}

function removePast(aside: Map<string, number>): void {
  for (const [id, untilMs] of aside) if (untilMs <= performance.now()) aside.delete(id);
}

async function fire<S extends Timing & { nextRunAt: Date | null }, R extends string>(
  services: Services,
  kind: ScheduleKind<S, R>,
  write: OwnWrite,
  id: string,
): Promise<void> {
  const row = await kind.read(write.tx, id);
  // The look may have begun before another gateway did something, and what is done is listed by its time.
  const now = await databaseNow(write);
  // Another gateway was faster, or a user has changed or removed it.
  if (!row?.schedule.nextRunAt || row.schedule.nextRunAt > now) return;
  const { schedule, component } = row;
  const due = { ...row, at: row.schedule.nextRunAt, now, nextRunAt: nextTime(schedule, now) };
  const common = commonReason(services, kind, due) as R | undefined;
  const reason = common ?? (await kind.skipped?.(write.tx, schedule));
  if (!reason) return kind.start(write, due);
  await kind.skip(write.tx, due, reason);
  write.announce(`application/${component.applicationId}`);
}

/** Why nothing is done at the time that has come, whatever kind of schedule it is. */
function commonReason(
  { drivers }: Pick<Services, 'drivers'>,
  { needs, evenStopped }: Pick<ScheduleKind<never, never>, 'needs' | 'evenStopped'>,
  { component, at, now }: Pick<Due<unknown>, 'component' | 'at' | 'now'>,
): CommonSkipReason | undefined {
  if (now.getTime() - at.getTime() > mostLateMs) return 'late';
  if (!wasDeployed(component)) return 'not_deployed';
  if (!evenStopped && isClosed(component)) return 'stopped';
  const hasCluster = drivers.region.get(component.region.driver)?.[needs] !== undefined;
  return hasCluster && isEnabled(component.region) ? undefined : 'unavailable';
}
