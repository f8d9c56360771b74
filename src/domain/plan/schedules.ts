import type { Row } from '../../db/tables.ts';
import { nextTime } from '../component/timing/times-model.ts';
import { maxSchedules } from '../run/schedules/model.ts';
import { changedColumns, changedFields, fieldChange, givenFields } from './change-list.ts';
import type { ScheduleEntry } from './component-model.ts';
import { newFields, scheduleFields, shownFields, storedFields } from './fields-model.ts';
import { compareList, type Entries, type Path } from './parts.ts';
import type { Scene } from './scene.ts';
import type { ComponentWork } from './work.ts';

/** Plans the schedules of a component. They change at once, without a deploy. */
export function planSchedules(
  scene: Scene,
  work: ComponentWork,
  entries: Entries<ScheduleEntry> | undefined,
  path: Path,
): void {
  const { issues } = scene;
  const { schedules, row: component } = work;
  const standing = work.current?.schedules ?? [];
  compareList<Row<'Schedule'>, ScheduleEntry>(scene, work, entries, {
    kind: 'SCHEDULE',
    standing,
    keyOf: ({ name }) => name,
    create(name, entry) {
      const at = [...path, name];
      const missing = (['cron', 'command'] as const).filter((field) => entry[field] === undefined);
      for (const field of missing) {
        issues.push({ path: [...at, field], message: 'Is required for a new schedule', isKey: true });
      }
      if (missing.length > 0) return undefined;
      if (schedules.create.length === 0) requireRuns(scene, work, at);
      const columns = newFields(scheduleFields, entry) as Row<'Schedule'>;
      // Before the transaction that needs it.
      if (!columns.isPaused) nextTime(columns, new Date());
      schedules.create.push({ ...columns, name, componentId: component.id });
      return { fields: givenFields(shownFields(scheduleFields, columns)) };
    },
    update(before, entry) {
      const data = changedColumns(before, storedFields(scheduleFields, entry));
      if (Object.keys(data).length > 0) schedules.update.push({ before, data });
      return { fields: changedFields(scheduleFields, before, data) };
    },
    remove(before) {
      schedules.remove.push(before);
      return { fields: [fieldChange('cron', before.cron, null)] };
    },
    adopt: ({ id }) => work.adopt.schedules.push(id),
  });
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
