import type { Transaction } from '../../../db/open.ts';
import type { NewRow, Row } from '../../../db/tables.ts';
import { type Bulk, deleteByIds, findByKeys, insertMany, reviseMany } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { databaseNow } from '../../../db/write/database-now.ts';
import { revised } from '../../../db/write/revision.ts';
import { yieldInTransaction } from '../../../kernel/event-loop.ts';
import { newId } from '../../../kernel/new-id.ts';
import type { ComponentHooks } from '../../component/hooks.ts';
import { requireObjectRoom } from '../../component/size/rows.ts';
import { nextTime, prepareTimes, timeAfterChange } from '../../component/timing/times-model.ts';
import type { SkipReason } from './model.ts';

type Schedule = Row<'Schedule'>;
type Owner = Pick<Row<'Component'>, 'teamId' | 'applicationId'>;

const eventOf = ({ teamId, applicationId }: Owner, { id, componentId, name }: Schedule) => ({
  subject: { type: 'Schedule', id } as const,
  name,
  teamId,
  applicationId,
  componentId,
});

const eventFieldsOf = ({
  name,
  cron,
  timeZone,
  command,
  concurrency,
  timeoutSeconds,
  isPaused,
}: Schedule) => ({
  name,
  cron,
  timeZone,
  command: JSON.parse(command) as string[],
  concurrency,
  timeoutSeconds,
  isPaused,
});

export async function insertSchedule(
  write: Write,
  component: Row<'Component'>,
  data: Pick<
    Schedule,
    'name' | 'cron' | 'timeZone' | 'command' | 'concurrency' | 'timeoutSeconds' | 'nextRunAt'
  >,
): Promise<Schedule> {
  const { tx, recordEvent } = write;
  await requireObjectRoom(write, component.applicationId);
  const id = newId();
  const schedule = await tx.schedule.create({
    data: { id, componentId: component.id, ...data, createdAt: new Date() },
  });
  recordEvent({ ...eventOf(component, schedule), after: eventFieldsOf(schedule) });
  return schedule;
}

export async function changeSchedule(
  { tx, recordEvent }: Write,
  component: Owner,
  before: Schedule,
  data: Partial<Schedule>,
): Promise<Schedule> {
  const after = await tx.schedule.update({ where: { id: before.id }, data: revised(before, data) });
  recordEvent({ ...eventOf(component, before), before: eventFieldsOf(before), after: eventFieldsOf(after) });
  return after;
}

export async function removeSchedule(
  { tx, recordEvent }: Write,
  component: Owner,
  schedule: Schedule,
): Promise<void> {
  await tx.schedule.deleteMany({ where: { id: schedule.id } });
  recordEvent({ ...eventOf(component, schedule), before: eventFieldsOf(schedule) });
}

/** The columns of a schedule that was never due. */
const unused = { lastSkippedAt: null, lastSkipReason: null };

type NewSchedule = Omit<NewRow<'Schedule'>, 'id' | keyof typeof unused | 'nextRunAt' | 'createdAt'>;

export interface ScheduleChanges {
  create: NewSchedule[];
  update: { before: Schedule; data: Partial<Schedule> }[];
  remove: Schedule[];
}

/** Writes the changes of many locked components in few statements, with their events. */
export async function changeAllSchedules(
  write: Write,
  changed: readonly { component: Row<'Component'>; changes: ScheduleChanges }[],
): Promise<void> {
  const now = await databaseNow(write);
  const timed = changed.flatMap(({ changes: { create, update } }) => [
    ...create,
    ...update.map(({ before, data }) => ({ ...before, ...data })),
  ]);
  await prepareTimes(timed, now, write.context.signal);
  const all = changed.flatMap(({ component, changes: { create, update, remove } }) => ({
    component,
    created: create.map(
      (each): Schedule => ({
        ...unused,
        manifestId: null,
        revision: 1,
        ...each,
        id: newId(),
        createdAt: now,
        nextRunAt: each.isPaused ? null : nextTime(each, now),
      }),
    ),
    updated: update.map(({ before, data }) => ({
      before,
      data: { ...data, ...timeAfterChange(before, data, now) },
    })),
    removed: remove,
  }));
  await deleteByIds(
    write,
    'Schedule',
    all.flatMap(({ removed }) => removed),
  );
  await reviseMany(
    write,
    'Schedule',
    all.flatMap(({ updated }) => updated.map(({ before, data }) => ({ id: before.id, data }))),
  );
  await insertMany(
    write,
    'Schedule',
    all.flatMap(({ created }) => created),
  );
  for (const { component, created, updated, removed } of all) {
    for (const schedule of removed) {
      write.recordEvent({
        action: 'schedule.delete',
        ...eventOf(component, schedule),
        before: eventFieldsOf(schedule),
      });
    }
    for (const { before, data } of updated) {
      const [was, is] = [eventFieldsOf(before), eventFieldsOf({ ...before, ...data })];
      write.recordEvent({ action: 'schedule.update', ...eventOf(component, before), before: was, after: is });
    }
    for (const schedule of created) {
      write.recordEvent({
        action: 'schedule.create',
        ...eventOf(component, schedule),
        after: eventFieldsOf(schedule),
      });
    }
    await yieldInTransaction(write.context.signal);
  }
}

/** Schedules that a manifest adopts as they are. */
export const setManifestOfSchedules = (
  write: Bulk,
  ids: readonly string[],
  manifestId: number,
): Promise<void> =>
  reviseMany(
    write,
    'Schedule',
    ids.map((id) => ({ id, data: { manifestId } })),
  );

/** Notes that a time of a schedule has passed. Not recorded, because the schedule stays as it is. */
export const passTime = (
  tx: Transaction,
  { id }: Pick<Schedule, 'id'>,
  next: { nextRunAt: Date | null; lastSkippedAt?: Date; lastSkipReason?: SkipReason },
): Promise<unknown> => tx.schedule.updateMany({ where: { id }, data: next });

export const schedulesOfComponents: ComponentHooks = {
  async deleting(write, components) {
    const owners = new Map(components.map((component) => [component.id, component]));
    const schedules = await findByKeys(write, 'Schedule', 'componentId', [...owners.keys()], ['id']);
    if (schedules.length === 0) return;
    await deleteByIds(write, 'Schedule', schedules);
    for (const schedule of schedules) {
      const event = eventOf(owners.get(schedule.componentId)!, schedule);
      write.recordEvent({ ...event, action: 'schedule.delete', before: eventFieldsOf(schedule) });
    }
  },
};
