import type { Row } from '../../db/tables.ts';
import { dataProblem } from '../component/snapshots/model.ts';
import type { Settings } from '../component/snapshots/schedule/rows.ts';
import { nextTime } from '../component/timing/times-model.ts';
import { changedColumns, changedFields, fieldChange, givenFields, object } from './change-list.ts';
import type { VolumeEntry } from './component-model.ts';
import { newFields, shownFields, snapshotScheduleFields } from './fields-model.ts';
import type { Path } from './parts.ts';
import type { Scene } from './scene.ts';
import type { ComponentWork } from './work.ts';

/**
 * Plans the snapshot schedule of a volume. It has the owner of the volume, and a manifest manages all of it. A change takes
 * effect without a deploy.
 */
export function planSnapshotSchedule(
  scene: Scene,
  work: ComponentWork,
  volume: { before: Row<'Volume'> | null; after: Row<'Volume'> },
  entry: VolumeEntry['snapshotSchedule'],
  path: Path,
): void {
  if (entry === undefined) return;
  const { list } = scene;
  const { name } = volume.after;
  const before = (volume.before && work.current?.snapshotSchedules.get(volume.before.id)) ?? null;
  const planned = object('SNAPSHOT_SCHEDULE', work.name, name);
  if (entry === null) {
    if (!before) return;
    work.snapshotSchedules.set(name, { before, after: null });
    list.add('DELETE', planned, [fieldChange('cron', before.cron, null)]);
    return;
  }
  const after = newFields(snapshotScheduleFields, entry) as Settings;
  const data = changedColumns(before ?? ({} as Settings), after);
  const isChanged = Object.keys(data).length > 0;
  const isOther =
    volume.before !== null &&
    (volume.before.type !== volume.after.type || volume.before.isShared !== volume.after.isShared);
  const problem = isChanged || isOther ? dataProblem(volume.after) : undefined;
  const at = [...path, 'snapshotSchedule'];
  if (problem !== undefined) scene.conflicts.push({ path: at, message: problem, isKey: true });
  else if (isChanged) requireSnapshots(scene, at);
  if (!isChanged) return;
  // Before the transaction that needs it.
  nextTime(after, new Date());
  work.snapshotSchedules.set(name, { before, after });
  if (before) list.add('UPDATE', planned, changedFields(snapshotScheduleFields, before, data));
  else list.add('CREATE', planned, givenFields(shownFields(snapshotScheduleFields, after)));
}

function requireSnapshots({ snapshots, conflicts, failures }: Scene, path: Path): void {
  if ('failure' in snapshots) failures.push(snapshots.failure);
  else if (snapshots.missing !== null) conflicts.push({ path, message: snapshots.missing, isKey: true });
}
