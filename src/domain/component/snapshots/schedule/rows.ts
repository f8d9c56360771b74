import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../../../db/open.ts';
import type { Row } from '../../../../db/tables.ts';
import { WorkTable } from '../../../../db/work/table.ts';
import { deleteByIds, insertMany, reviseMany, updateMany } from '../../../../db/write/bulk.ts';
import type { Write } from '../../../../db/write/change.ts';
import { databaseNow } from '../../../../db/write/database-now.ts';
import { type OwnWrite, recordOwn } from '../../../../db/write/own-events.ts';
import { isDifferent } from '../../../../db/write/record.ts';
import { ConflictError } from '../../../../kernel/errors.ts';
import { yieldInTransaction } from '../../../../kernel/event-loop.ts';
import { newId } from '../../../../kernel/new-id.ts';
import { nextTime, prepareTimes, timeAfterChange } from '../../timing/times-model.ts';
import { countChange } from '../../volumes/rows.ts';
import { snapshotEvent } from '../event-model.ts';
import type { SkipReason } from './model.ts';

type Schedule = Row<'SnapshotSchedule'>;
export type Settings = Pick<Schedule, 'cron' | 'timeZone' | 'keep'>;
/** The columns of a schedule that do not change with its times. */
export type StandingSchedule = Pick<Schedule, 'id' | 'volumeId'> & Settings;
type Owner = Pick<Row<'Component'>, 'teamId' | 'applicationId'>;

const eventOf = ({ teamId, applicationId }: Owner, { id, name, componentId }: Row<'Volume'>) => ({
  subject: { type: 'Volume', id } as const,
  name,
  teamId,
  applicationId,
  componentId,
});

const eventFieldsOf = ({ cron, timeZone, keep }: Settings) => ({ cron, timeZone, keep });

const newSchedule = (
  { id: volumeId }: Pick<Row<'Volume'>, 'id'>,
  settings: Settings,
  now: Date,
): StandingSchedule & Pick<Schedule, 'nextRunAt' | 'createdAt'> => {
  const id = newId();
  return { id, volumeId, ...settings, nextRunAt: nextTime(settings, now), createdAt: now };
};

const changedTo = (before: Settings, settings: Settings, now: Date) => ({
  ...settings,
  ...timeAfterChange(before, settings, now),
});

/** Sets the schedule of a volume, whose component is locked. Nothing is written if it already has it. */
export async function setSchedule(
  write: Write,
  component: Owner,
  volume: Row<'Volume'>,
  settings: Settings,
): Promise<Row<'Volume'>> {
  const { tx } = write;
  const before = await tx.snapshotSchedule.findUnique({ where: { volumeId: volume.id } });
  if (before && !isDifferent(before, settings)) return volume;
  const now = await databaseNow(write);
  if (before) {
    const data = changedTo(before, settings, now);
    await tx.snapshotSchedule.update({ where: { id: before.id }, data });
  } else {
    const data = newSchedule(volume, settings, now);
    await tx.snapshotSchedule.create({ data });
  }
  write.recordEvent({
    ...eventOf(component, volume),
    before: before && eventFieldsOf(before),
    after: eventFieldsOf(settings),
  });
  return countChange(write, volume);
}

/** Removes the schedule of a volume, if it has one. Its snapshots stay. */
export async function removeSchedule(
  write: Write,
  component: Owner,
  volume: Row<'Volume'>,
): Promise<Row<'Volume'>> {
  const { tx } = write;
  const before = await tx.snapshotSchedule.findUnique({ where: { volumeId: volume.id } });
  if (!before) return volume;
  await tx.snapshotSchedule.delete({ where: { id: before.id } });
  write.recordEvent({ ...eventOf(component, volume), before: eventFieldsOf(before), after: null });
  return countChange(write, volume);
}

/** A change of the schedule of a volume: set, or removed if `after` is null. One of both is not null. */
export interface ScheduleChange {
  component: Owner;
  volume: Row<'Volume'>;
  before: StandingSchedule | null;
  after: Settings | null;
  /** Columns of the volume that are set as well, whose revision counts the change. Null for a volume that is new. */
  data: Partial<Row<'Volume'>> | null;
}

/** Writes the changes of volumes of many locked components in few statements, with their events. */
export async function changeAllSnapshotSchedules(
  write: Write,
  changes: readonly ScheduleChange[],
): Promise<void> {
  const now = await databaseNow(write);
  await prepareTimes(
    changes.flatMap(({ after }) => after ?? []),
    now,
    write.context.signal,
  );
  const removed = changes.flatMap(({ before, after }) => (before && !after ? before : []));
  await deleteByIds(write, 'SnapshotSchedule', removed);
  await updateMany(
    write,
    'SnapshotSchedule',
    changes.flatMap(({ before, after }) =>
      before && after ? { id: before.id, data: changedTo(before, after, now) } : [],
    ),
  );
  await insertMany(
    write,
    'SnapshotSchedule',
    changes.flatMap(({ volume, before, after }) => (after && !before ? newSchedule(volume, after, now) : [])),
  );
  await reviseMany(
    write,
    'Volume',
    changes.flatMap(({ volume, data }) => (data ? { id: volume.id, data } : [])),
  );
  for (const { component, volume, before, after } of changes) {
    write.recordEvent({
      action: after ? 'volume.set_snapshot_schedule' : 'volume.remove_snapshot_schedule',
      ...eventOf(component, volume),
      before: before && eventFieldsOf(before),
      after: after && eventFieldsOf(after),
    });
  }
  await yieldInTransaction(write.context.signal);
}

/** A time at which no snapshot was made. */
export const skippedAt = (at: Date, reason: SkipReason, message: string | null = null) => ({
  lastSkippedAt: at,
  lastSkipReason: reason,
  lastSkipMessage: message,
});

/** A time whose snapshot could not be made until the next one has come. */
export const overtaken = (at: Date) =>
  skippedAt(at, 'unavailable', 'The snapshot was not made before the next time of the schedule.');

/** Sets columns that are none of the settings: what has become of its times. */
export const setProgress = (
  tx: Transaction,
  { id }: Pick<Schedule, 'id'>,
  data: Partial<Omit<Schedule, 'id' | 'volumeId' | keyof Settings>>,
): Promise<unknown> => tx.snapshotSchedule.updateMany({ where: { id }, data });

/** The schedules that have a snapshot to make or to delete. */
export const snapshotWork = new WorkTable('SnapshotSchedule', {
  due: 'dueAt',
  owner: 'owner',
  path: ['volume', 'component'],
});

/** The names of snapshots that a schedule is deleting. */
export const deletingOf = ({ deleting }: Pick<Schedule, 'deleting'>): string[] =>
  deleting === null ? [] : JSON.parse(deleting);

/** CONFLICT if the schedule of a volume is deleting a snapshot. The component is locked. */
export async function requireNotDeleting(
  { tx }: Pick<Write, 'tx'>,
  { id: volumeId }: Pick<Row<'Volume'>, 'id'>,
  name: string,
): Promise<void> {
  const schedule = await tx.snapshotSchedule.findUnique({ where: { volumeId } });
  if (schedule && deletingOf(schedule).includes(name)) {
    throw new ConflictError(`The snapshot ${name} is being deleted by the schedule of the volume.`);
  }
}

/** A restore keeps the snapshot from being deleted until it is done. What a look has found out until then no longer counts. */
export async function setRestoring(
  { tx }: Pick<Write, 'tx'>,
  volumeId: number,
  restoring: string | null,
): Promise<void> {
  // A deletion that has begun is looked at again.
  await tx.snapshotSchedule.updateMany({ where: { volumeId }, data: { restoring, owner: null } });
}

export const recordScheduled = (
  write: OwnWrite,
  component: Owner & { id: string; enterpriseId: string },
  {
    action,
    volume,
    name,
  }: {
    action: 'volume_snapshot.create' | 'volume_snapshot.delete';
    volume: Row<'Volume'>;
    name: string;
  },
): Promise<void> =>
  recordOwn(write, {
    action,
    enterpriseId: component.enterpriseId,
    requestId: randomUUID(),
    ...snapshotEvent({ volume, component, name }),
  });
