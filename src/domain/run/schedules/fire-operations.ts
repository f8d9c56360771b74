import { randomUUID } from 'node:crypto';
import type { Services } from '../../../context.ts';
import type { Transaction } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';
import type { OwnWrite } from '../../../db/write/own-events.ts';
import { isClosed, wasDeployed } from '../../component/model.ts';
import { firedAtOnce, fireEach, withComponentLocked } from '../../component/timing/fire-operations.ts';
import { mostLateMs } from '../../component/timing/model.ts';
import { nextTime } from '../../component/timing/times-model.ts';
import { isEnabled } from '../../region/reads.ts';
import { canBecome, maxUnfinished } from '../model.ts';
import { insertScheduledRun, setReplaced } from '../rows.ts';
import type { SkipReason } from './model.ts';
import { passTime } from './rows.ts';

type Schedule = Row<'Schedule'>;

/**
 * Starts the runs of schedules that are due. Of several gateways, one does so for each time: it locks the component, and sets when
 * the next time is in the same transaction. Returns whether it has got on.
 */
export async function fireSchedules(services: Services, now: Date): Promise<boolean> {
  const due = await services.db.transaction((tx) =>
    tx.schedule.findMany({
      where: { nextRunAt: { lte: now } },
      orderBy: { nextRunAt: 'asc' },
      take: firedAtOnce,
      select: { id: true, componentId: true },
    }),
  );
  return fireEach(services, due, (schedule) =>
    withComponentLocked(services, schedule.componentId, (write) => fire(services, write, schedule.id, now)),
  );
}

async function fire(services: Services, write: OwnWrite, id: string, now: Date): Promise<void> {
  const { tx } = write;
  const found = await readSchedule(tx, id);
  // Another gateway was faster, or a user has changed or deleted it.
  if (!found?.schedule.nextRunAt || found.schedule.nextRunAt > now) return;
  const { schedule, component } = found;
  const lastSkippedAt = found.schedule.nextRunAt;
  const nextRunAt = nextTime(schedule, now);
  const hasCluster = services.drivers.region.get(component.region.driver)?.runs !== undefined;
  const reason = await skipped(tx, found, { now, hasCluster });
  if (reason) {
    await passTime(tx, schedule, { nextRunAt, lastSkippedAt, lastSkipReason: reason });
    write.announce(`application/${component.applicationId}`);
  } else {
    await passTime(tx, schedule, { nextRunAt });
    await start(write, found, now);
  }
}

/** The schedule with what decides whether it starts a run. Null if it was deleted. */
async function readSchedule(tx: Transaction, id: string) {
  const found = await tx.schedule.findUnique({
    where: { id },
    include: {
      component: {
        select: {
          teamId: true,
          applicationId: true,
          regionId: true,
          deployState: true,
          region: { select: { driver: true, status: true } },
          team: { select: { enterpriseId: true } },
        },
      },
    },
  });
  if (!found) return null;
  const { component, ...schedule } = found;
  return { schedule, component };
}
type Found = NonNullable<Awaited<ReturnType<typeof readSchedule>>>;

const unfinishedOf = (tx: Transaction, { id }: Pick<Schedule, 'id'>) =>
  tx.componentRun.findMany({ where: { scheduleId: id, dueAt: { not: null } } });

/** Why no run is started at the time that has come. Undefined if one is. */
async function skipped(
  tx: Transaction,
  { schedule, component }: Found,
  { now, hasCluster }: { now: Date; hasCluster: boolean },
): Promise<SkipReason | undefined> {
  if (now.getTime() - schedule.nextRunAt!.getTime() > mostLateMs) return 'late';
  if (!wasDeployed(component)) return 'not_deployed';
  if (isClosed(component)) return 'stopped';
  if (!hasCluster || !isEnabled(component.region)) return 'unavailable';
  if (schedule.concurrency === 'forbid' && (await unfinishedOf(tx, schedule)).length > 0) return 'unfinished';
  const { componentId } = schedule;
  const count = await tx.componentRun.count({ where: { componentId, dueAt: { not: null } } });
  return count < maxUnfinished ? undefined : 'too_many';
}

async function start(write: OwnWrite, { schedule, component }: Found, now: Date): Promise<void> {
  const { enterpriseId } = component.team;
  const owner = { ...component, enterpriseId };
  const requestId = randomUUID();
  if (schedule.concurrency === 'replace') {
    for (const run of await unfinishedOf(write.tx, schedule)) {
      if (run.status !== 'cancelling' && canBecome(run.status, 'cancelling')) {
        await setReplaced(write, owner, run, requestId);
      }
    }
  }
  await insertScheduledRun(write, owner, schedule, { createdAt: now, requestId });
}
