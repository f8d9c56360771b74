import type { Context } from '../../../context.ts';
import { batchedRow, type List } from '../../../db/list.ts';
import type { Row } from '../../../db/tables.ts';
import type { Action } from '../../../kernel/actions.ts';
import { namedBy } from '../../../kernel/global-id.ts';
import { requireComponent, visibleWithComponent } from '../../component/reads.ts';
import type { ScheduleRef } from './model.ts';

type Schedule = Row<'Schedule'>;

const scheduleById = batchedRow('Schedule', 'id');

export const visibleSchedule = visibleWithComponent(scheduleById);

/** The schedule that a reference names, for a caller who may see it. */
export const requireSchedule = namedBy('schedule', 'Schedule', 'scheduleId', visibleSchedule);

/** Finds the schedule with its component, for a caller who may do the action with it. */
export async function requireScheduleFor(
  context: Context,
  ref: ScheduleRef,
  action: Action,
): Promise<{ schedule: Schedule; component: Row<'Component'>; team: Row<'Team'> }> {
  const schedule = await requireSchedule(context, ref);
  return { schedule, ...(await requireComponent(context, { componentId: schedule.componentId }, action)) };
}

export const schedulesOf = (componentId: string): List<'Schedule'> => ({
  key: componentId,
  spec: { model: 'Schedule', parent: { field: 'componentId' }, order: ['createdAt', 'id'] },
});
