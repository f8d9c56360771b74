import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';
import { notOf } from '../../../db/work/fair.ts';
import {
  dueComponent,
  type ScheduleKind,
  scheduledComponent,
} from '../../component/timing/fire-operations.ts';
import { canBecome, maxUnfinished } from '../model.ts';
import { insertScheduledRun, setReplaced } from '../rows.ts';
import type { SkipReason } from './model.ts';
import { passTime } from './rows.ts';

type Schedule = Row<'Schedule'>;

const unfinishedOf = (tx: Transaction, { id }: Pick<Schedule, 'id'>) =>
  tx.componentRun.findMany({ where: { scheduleId: id, dueAt: { not: null } } });

export const runSchedules: ScheduleKind<Schedule, SkipReason> = {
  needs: 'runs',
  evenStopped: false,
  async due(tx, now, most, except, besides) {
    const rows = await tx.schedule.findMany({
      where: {
        nextRunAt: { lte: now },
        id: { notIn: except.ids },
        componentId: { notIn: except.componentIds },
        ...(besides && notOf(['component'], besides)),
      },
      orderBy: { nextRunAt: 'asc' },
      take: most,
      select: { id: true, componentId: true, component: dueComponent },
    });
    return rows.map(({ component, ...schedule }) => ({ ...schedule, ...component }));
  },
  async read(tx, id) {
    const row = await tx.schedule.findUnique({ where: { id }, include: { component: scheduledComponent } });
    if (!row) return null;
    const { component, ...schedule } = row;
    return { schedule, component };
  },
  async skipped(tx, schedule) {
    if (schedule.concurrency === 'forbid' && (await unfinishedOf(tx, schedule)).length > 0) {
      return 'unfinished';
    }
    const { componentId } = schedule;
    const count = await tx.componentRun.count({ where: { componentId, dueAt: { not: null } } });
    return count < maxUnfinished ? undefined : 'too_many';
  },
  skip: (tx, { schedule, at, nextRunAt }, reason) =>
    passTime(tx, schedule, { nextRunAt, lastSkippedAt: at, lastSkipReason: reason }),
  async start(write, { schedule, component, now, nextRunAt }) {
    await passTime(write.tx, schedule, { nextRunAt });
    const owner = { ...component, ...component.team };
    const requestId = randomUUID();
    if (schedule.concurrency === 'replace') {
      for (const run of await unfinishedOf(write.tx, schedule)) {
        if (run.status !== 'cancelling' && canBecome(run.status, 'cancelling')) {
          await setReplaced(write, owner, run, { schedule, requestId });
        }
      }
    }
    await insertScheduledRun(write, owner, schedule, { createdAt: now, requestId });
  },
};
