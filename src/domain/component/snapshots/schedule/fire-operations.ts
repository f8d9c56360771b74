import type { Row } from '../../../../db/tables.ts';
import { notOf } from '../../../../db/work/fair.ts';
import { dueComponent, type ScheduleKind, scheduledComponent } from '../../timing/fire-operations.ts';
import type { SkipReason } from './model.ts';
import { overtaken, setProgress, skippedAt } from './rows.ts';

/** Schedules that note which snapshots are to be made. What the cluster says is asked for later. */
export const snapshotSchedules: ScheduleKind<Row<'SnapshotSchedule'>, SkipReason> = {
  needs: 'snapshots',
  evenStopped: true,
  async due(tx, now, most, except, besides) {
    const rows = await tx.snapshotSchedule.findMany({
      where: {
        nextRunAt: { lte: now },
        id: { notIn: except.ids },
        AND: [
          { volume: { componentId: { notIn: except.componentIds } } },
          besides ? notOf(['volume', 'component'], besides) : {},
        ],
      },
      orderBy: { nextRunAt: 'asc' },
      take: most,
      select: { id: true, volume: { select: { componentId: true, component: dueComponent } } },
    });
    return rows.map(({ id, volume: { componentId, component } }) => ({ id, componentId, ...component }));
  },
  async read(tx, id) {
    const include = { volume: { select: { component: scheduledComponent } } };
    const row = await tx.snapshotSchedule.findUnique({ where: { id }, include });
    if (!row) return null;
    const { volume, ...schedule } = row;
    return { schedule, ...volume };
  },
  skip: (tx, { schedule, at, nextRunAt }, reason) =>
    setProgress(tx, schedule, { nextRunAt, ...skippedAt(at, reason) }),
  async start({ tx }, { schedule, at, now, nextRunAt }) {
    const { pendingAt, owner } = schedule;
    // A process that looks at it goes on when it has stored what its look came to, for the time before as well.
    const isFree = owner === null;
    await setProgress(tx, schedule, {
      nextRunAt,
      pendingAt: at,
      ...(isFree && { dueAt: now }),
      ...(isFree && pendingAt && overtaken(pendingAt)),
    });
  },
};
