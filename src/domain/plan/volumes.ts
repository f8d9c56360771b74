import type { Row } from '../../db/tables.ts';
import { hasEntry } from '../../kernel/entries.ts';
import { maxVolumes, wasDeployed } from '../component/model.ts';
import { changedColumns, changedFields, fieldChange, givenFields, object } from './change-list.ts';
import type { VolumeEntry } from './component-model.ts';
import { hasData, newFields, shownFields, storedFields, volumeFields } from './fields-model.ts';
import { actionFor, entriesOf, isAdopted, type Path } from './parts.ts';
import { ownershipOf, type Scene } from './scene.ts';
import { planSnapshotSchedule } from './snapshot-schedules.ts';
import type { ComponentWork } from './work.ts';

export function planVolumes(
  scene: Scene,
  work: ComponentWork,
  collection: { [name: string]: VolumeEntry } | null | undefined,
  path: Path,
): void {
  if (collection === undefined) return;
  const { list, issues } = scene;
  const { volumes, row: component } = work;
  const standing = work.current?.volumes ?? [];
  const byName = new Map(standing.map((each) => [each.name, each]));
  const about = { takesEffect: work.current && !wasDeployed(component) ? 'AT_ONCE' : 'NEXT_DEPLOY' } as const;
  const paths = new Map(standing.map((each) => [each.name, each.path]));
  for (const [name, entry] of entriesOf(collection)) {
    const is = byName.get(name);
    const at = [...path, name];
    paths.set(name, entry.path ?? is?.path ?? '');
    if (!is) {
      for (const field of ['path', 'type'] as const) {
        if (entry[field] === undefined) {
          issues.push({ path: [...at, field], message: 'Is required for a new volume', isKey: true });
        }
      }
      const created = { ...newFields(volumeFields, entry), name, componentId: component.id } as Row<'Volume'>;
      volumes.create.push(created);
      list.add(
        'CREATE',
        object('VOLUME', work.name, name),
        givenFields(shownFields(volumeFields, created)),
        about,
      );
      planSnapshotSchedule(scene, work, { before: null, after: created }, entry.snapshotSchedule, at);
      continue;
    }
    const data = changedColumns(is, storedFields(volumeFields, entry));
    const after = { ...is, ...data };
    if (Object.keys(data).length > 0) {
      volumes.update.push({ before: is, data });
      const isDestructive = data.type !== undefined && hasData(is);
      const fields = changedFields(volumeFields, is, data);
      list.add(actionFor(scene, work, is), object('VOLUME', work.name, name), fields, {
        ...about,
        isDestructive,
      });
    } else if (isAdopted(scene, work, is)) {
      work.adopt.volumes.push(is.id);
      list.adopted.push(object('VOLUME', work.name, name));
    }
    planSnapshotSchedule(scene, work, { before: is, after }, entry.snapshotSchedule, at);
  }
  for (const is of standing) {
    if (hasEntry(collection, is.name) || ownershipOf(scene, is) !== 'own') continue;
    if (scene.prune === 'owned') {
      paths.delete(is.name);
      volumes.remove.push(is);
      const isDestructive = hasData(is);
      list.add('DELETE', object('VOLUME', work.name, is.name), [fieldChange('path', is.path, null)], {
        ...about,
        isDestructive,
      });
    } else list.leftOver.push(object('VOLUME', work.name, is.name));
  }
  if (paths.size > maxVolumes)
    issues.push({ path, message: `The component would have more than ${maxVolumes} volumes` });
  const mounted = new Map<string, string>();
  for (const [name, mount] of paths) {
    const other = mounted.get(mount);
    if (other !== undefined && (hasEntry(collection, name) || hasEntry(collection, other))) {
      const written = hasEntry(collection, name) ? name : other;
      issues.push({
        path: [...path, written, 'path'],
        message: `Is the path of the volume ${written === name ? other : name}, too`,
      });
    }
    mounted.set(mount, name);
  }
}
