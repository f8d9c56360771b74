import type { Services } from '../../../../context.ts';
import type { Transaction } from '../../../../db/open.ts';
import type { OwnWrite } from '../../../../db/write/own-events.ts';
import { isEnabled } from '../../../region/reads.ts';
import { wasDeployed } from '../../model.ts';
import { firedAtOnce, fireEach, withComponentLocked } from '../../timing/fire-operations.ts';
import { mostLateMs } from '../../timing/model.ts';
import { nextTime } from '../../timing/times-model.ts';
import type { SkipReason } from './model.ts';
import { overtaken, setProgress, skippedAt } from './rows.ts';

/**
 * Notes which snapshots are to be made, of schedules that are due. Of several gateways, one does so for each time: it locks the
 * component, and sets when the next time is in the same transaction. Returns whether it has got on.
 */
export async function fireSnapshots(services: Services, now: Date): Promise<boolean> {
  const found = await services.db.transaction((tx) =>
    tx.snapshotSchedule.findMany({
      where: { nextRunAt: { lte: now } },
      orderBy: { nextRunAt: 'asc' },
      take: firedAtOnce,
      select: { id: true, volume: { select: { componentId: true } } },
    }),
  );
  const due = found.map(({ id, volume: { componentId } }) => ({ id, componentId }));
  return fireEach(services, due, ({ id, componentId }) =>
    withComponentLocked(services, componentId, (write) => fire(services, write, id, now)),
  );
}

async function fire(services: Services, { tx, announce }: OwnWrite, id: string, now: Date): Promise<void> {
  const found = await readSchedule(tx, id);
  // Another gateway was faster, or a user has changed or removed it.
  if (!found?.schedule.nextRunAt || found.schedule.nextRunAt > now) return;
  const { schedule, component } = found;
  const at = found.schedule.nextRunAt;
  const nextRunAt = nextTime(schedule, now);
  const reason = skipped(services, component, { at, now });
  if (reason) {
    await setProgress(tx, schedule, { nextRunAt, ...skippedAt(at, reason) });
    announce(`application/${component.applicationId}`);
    return;
  }
  const { pendingAt, owner } = schedule;
  // A process that looks at it goes on when it has stored what its look came to, for the time before as well.
  const isFree = owner === null;
  await setProgress(tx, schedule, {
    nextRunAt,
    pendingAt: at,
    ...(isFree && { dueAt: now }),
    ...(isFree && pendingAt && overtaken(pendingAt)),
  });
}

/** The schedule with what decides whether it makes a snapshot. Null if it was removed. */
async function readSchedule(tx: Transaction, id: string) {
  const found = await tx.snapshotSchedule.findUnique({
    where: { id },
    include: {
      volume: {
        select: {
          component: {
            select: {
              applicationId: true,
              deployState: true,
              region: { select: { driver: true, status: true } },
            },
          },
        },
      },
    },
  });
  if (!found) return null;
  const { volume, ...schedule } = found;
  return { schedule, component: volume.component };
}

/** Why no snapshot is made at the time that has come. Undefined if one is: what the cluster says is asked for later. */
function skipped(
  { drivers }: Pick<Services, 'drivers'>,
  component: NonNullable<Awaited<ReturnType<typeof readSchedule>>>['component'],
  { at, now }: { at: Date; now: Date },
): SkipReason | undefined {
  if (now.getTime() - at.getTime() > mostLateMs) return 'late';
  if (!wasDeployed(component)) return 'not_deployed';
  const { driver } = component.region;
  const hasCluster = drivers.region.get(driver)?.snapshots !== undefined;
  return hasCluster && isEnabled(component.region) ? undefined : 'unavailable';
}
