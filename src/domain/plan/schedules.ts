import type { Row } from '../../db/tables.ts';
import { hasEntry } from '../../kernel/entries.ts';
import { maxSchedules } from '../run/schedules/model.ts';
import { changedColumns, changedFields, fieldChange, givenFields, object } from './change-list.ts';
import type { ScheduleEntry } from './component-model.ts';
import { newFields, scheduleFields, shownFields, storedFields } from './fields-model.ts';
import { actionFor, entriesOf, isAdopted, type Path } from './parts.ts';
import { ownershipOf, type Scene } from './scene.ts';
import type { ComponentWork } from './work.ts';

/** Plans the schedules of a component. They change at once, without a deploy. */
export function planSchedules(
  scene: Scene,
  work: ComponentWork,
  collection: { [name: string]: ScheduleEntry } | null | undefined,
  path: Path,
): void {
  if (collection === undefined) return;
  const { list, issues } = scene;
  const { schedules, row: component } = work;
  const standing = work.current?.schedules ?? [];
  const byName = new Map(standing.map((each) => [each.name, each]));
  for (const [name, entry] of entriesOf(collection)) {
    const is = byName.get(name);
    const at = [...path, name];
    if (!is) {
      const missing = (['cron', 'command'] as const).filter((field) => entry[field] === undefined);
      for (const field of missing) {
        issues.push({ path: [...at, field], message: 'Is required for a new schedule', isKey: true });
      }
      if (missing.length > 0) continue;
      if (schedules.create.length === 0) requireRuns(scene, work, at);
      const columns = newFields(scheduleFields, entry) as Row<'Schedule'>;
      schedules.create.push({ ...columns, name, componentId: component.id });
      list.add(
        'CREATE',
        object('SCHEDULE', work.name, name),
        givenFields(shownFields(scheduleFields, columns)),
      );
      continue;
    }
    const data = changedColumns(is, storedFields(scheduleFields, entry));
    if (Object.keys(data).length > 0) {
      schedules.update.push({ before: is, data });
      const fields = changedFields(scheduleFields, is, data);
      list.add(actionFor(scene, work, is), object('SCHEDULE', work.name, name), fields);
    } else if (isAdopted(scene, work, is)) {
      work.adopt.schedules.push(is.id);
      list.adopted.push(object('SCHEDULE', work.name, name));
    }
  }
  for (const is of standing) {
    if (hasEntry(collection, is.name) || ownershipOf(scene, is) !== 'own') continue;
    if (scene.prune === 'owned') {
      schedules.remove.push(is);
      list.add('DELETE', object('SCHEDULE', work.name, is.name), [fieldChange('cron', is.cron, null)]);
    } else list.leftOver.push(object('SCHEDULE', work.name, is.name));
  }
  const count = standing.length + schedules.create.length - schedules.remove.length;
  if (schedules.create.length > 0 && count > maxSchedules) {
    issues.push({ path, message: `The component would have more than ${maxSchedules} schedules` });
  }
}

function requireRuns({ hasRuns, region, conflicts }: Scene, { name }: ComponentWork, path: Path): void {
  if (hasRuns) return;
  const message = `The component ${name} cannot run commands: the driver of its region ${region.name} is ${region.driver.toUpperCase()}, which has no cluster.`;
  conflicts.push({ path, message, isKey: true });
}
