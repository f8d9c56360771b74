import type { Row } from '../../db/tables.ts';
import { maxVolumes } from '../component/model.ts';
import { sharingProblem } from '../component/volumes/model.ts';
import { changedColumns, changedFields, fieldChange, givenFields } from './change-list.ts';
import type { VolumeEntry } from './component-model.ts';
import { hasData, newFields, shownFields, storedFields, volumeFields } from './fields-model.ts';
import { compareList, type Entries, type Path, withDeploy } from './parts.ts';
import type { Scene } from './scene.ts';
import { planSnapshotSchedule } from './snapshot-schedules.ts';
import type { ComponentWork } from './work.ts';

type Volume = Row<'Volume'>;

export function planVolumes(
  scene: Scene,
  work: ComponentWork,
  entries: Entries<VolumeEntry> | undefined,
  path: Path,
): void {
  if (entries === undefined) return;
  const { volumes, row: component } = work;
  const standing = work.current?.volumes ?? [];
  const byName = new Map(standing.map((each) => [each.name, each]));
  const after = new Map<string, Volume>(byName);
  compareList<Volume, VolumeEntry>(scene, work, entries, {
    kind: 'VOLUME',
    standing,
    keyOf: ({ name }) => name,
    about: withDeploy(work),
    create(name, entry) {
      for (const field of ['path', 'type'] as const) {
        if (entry[field] === undefined) {
          const message = 'Is required for a new volume';
          scene.issues.push({ path: [...path, name, field], message, isKey: true });
        }
      }
      const created = { ...newFields(volumeFields, entry), name, componentId: component.id } as Volume;
      volumes.create.push(created);
      requireSharing(scene, created, [...path, name]);
      after.set(name, created);
      return { fields: givenFields(shownFields(volumeFields, created)) };
    },
    update(before, entry) {
      const data = changedColumns(before, storedFields(volumeFields, entry));
      after.set(before.name, { ...before, ...data });
      if (Object.keys(data).length > 0) volumes.update.push({ before, data });
      if (data.isShared || data.type !== undefined)
        requireSharing(scene, { ...before, ...data }, [...path, before.name]);
      // It has other data then.
      const isDestructive = (data.type !== undefined || data.isShared !== undefined) && hasData(before);
      return { fields: changedFields(volumeFields, before, data), isDestructive };
    },
    remove(before) {
      after.delete(before.name);
      volumes.remove.push(before);
      return { fields: [fieldChange('path', before.path, null)], isDestructive: hasData(before) };
    },
    adopt: ({ id }) => work.adopt.volumes.push(id),
    planWithin(name, { snapshotSchedule }) {
      const volume = { before: byName.get(name) ?? null, after: after.get(name)! };
      planSnapshotSchedule(scene, work, volume, snapshotSchedule, [...path, name]);
    },
  });
  requireDistinctPaths(scene, after, entries, path);
}

/** The region has to have volumes that components share. */
function requireSharing({ conflicts, region }: Scene, volume: Volume, path: Path): void {
  const message = sharingProblem(volume, region);
  if (message) conflicts.push({ path: [...path, 'isShared'], message });
}

function requireDistinctPaths(
  { issues }: Scene,
  after: ReadonlyMap<string, Volume>,
  entries: Entries<VolumeEntry>,
  path: Path,
): void {
  if (after.size > maxVolumes) {
    issues.push({ path, message: `The component would have more than ${maxVolumes} volumes` });
  }
  const mounted = new Map<string, string>();
  for (const [name, { path: mount = '' }] of after) {
    const other = mounted.get(mount);
    if (other !== undefined && (entries.has(name) || entries.has(other))) {
      const [written, same] = entries.has(name) ? [name, other] : [other, name];
      issues.push({ path: [...path, written, 'path'], message: `The volume ${same} already has this path` });
    }
    mounted.set(mount, name);
  }
}
