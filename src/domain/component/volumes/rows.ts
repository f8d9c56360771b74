import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { type Bulk, findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { changed } from '../../../db/write/revision.ts';
import { yieldInTransaction } from '../../../kernel/event-loop.ts';
import { markChanged } from '../rows.ts';
import { bytesOf } from '../size/model.ts';
import { requireConfigurationFits, requireObjectRoom } from '../size/rows.ts';
import { insertVolumes, type NewVolume, removeVolumes, setVolumes } from './many-rows.ts';

type Volume = Row<'Volume'>;

const eventOf = ({ teamId, applicationId }: Row<'Component'>, { id }: Volume) => ({
  subject: { type: 'Volume', id } as const,
  teamId,
  applicationId,
});

export async function insertVolume(
  write: Write<Context>,
  component: Row<'Component'>,
  data: NewVolume,
): Promise<Volume> {
  await requireObjectRoom(write, component.applicationId);
  const volume = await write.tx.volume.create({ data });
  await requireConfigurationFits(write, [component]);
  await markChanged(write, component, { isOwn: false });
  write.recordEvent({ ...eventOf(component, volume), after: volume });
  return volume;
}

/** Sets columns of a volume. Nothing is written if it already has the values. */
export async function setVolume(
  write: Write<Context>,
  component: Row<'Component'>,
  before: Volume,
  data: Partial<Volume>,
): Promise<Volume> {
  const isChanged = Object.entries(data).some(([field, value]) => before[field as keyof Volume] !== value);
  if (!isChanged) return before;
  const after = await write.tx.volume.update({ where: { id: before.id }, data: { ...data, ...changed } });
  // A file that gets smaller is accepted in a component that has too much.
  if (bytesOf([after]) > bytesOf([before])) await requireConfigurationFits(write, [component]);
  await markChanged(write, component, { isOwn: false });
  write.recordEvent({ ...eventOf(component, before), before, after });
  return after;
}

/** Counts a change of what belongs to a volume and needs no deploy, which the caller records. */
export const countChange = ({ tx }: Pick<Write, 'tx'>, { id }: Pick<Volume, 'id'>): Promise<Volume> =>
  tx.volume.update({ where: { id }, data: changed });

export async function removeVolume(write: Write, component: Row<'Component'>, volume: Volume): Promise<void> {
  await write.tx.volume.delete({ where: { id: volume.id } });
  await markChanged(write, component, { isOwn: false });
  write.recordEvent({ ...eventOf(component, volume), before: volume });
}

/** The changes of the volumes of one component. */
export interface VolumeChanges {
  create: NewVolume[];
  update: { before: Volume; data: Partial<Volume> }[];
  remove: Volume[];
}

/** Writes the changes of many components in few statements. The caller records them, and marks the components as changed. */
export async function writeAllVolumes(write: Bulk, changes: readonly VolumeChanges[]): Promise<void> {
  await removeVolumes(
    write,
    changes.flatMap(({ remove }) => remove.map(({ id }) => id)),
  );
  await setVolumes(
    write,
    changes.flatMap(({ update }) => update.map(({ before, data }) => ({ id: before.id, data }))),
  );
  await insertVolumes(
    write,
    changes.flatMap(({ create }) => create),
  );
}

/** As `writeAllVolumes`, with an event for each volume. Returns the new volumes. */
export async function changeAllVolumes(
  write: Write,
  changed: readonly { component: Row<'Component'>; changes: VolumeChanges }[],
): Promise<Volume[]> {
  await writeAllVolumes(
    write,
    changed.map(({ changes }) => changes),
  );
  const created = changed.flatMap(({ changes }) => changes.create);
  const ids = [...new Set(created.map(({ componentId }) => componentId))];
  const rows = new Map(
    (await findByKeys(write, 'Volume', 'componentId', ids, ['id'])).map((row) => [
      `${row.componentId} ${row.name}`,
      row,
    ]),
  );
  for (const { component, changes } of changed) {
    for (const before of changes.remove) {
      write.recordEvent({ action: 'volume.delete', ...eventOf(component, before), before });
    }
    for (const { before, data } of changes.update) {
      const after = { ...before, ...data };
      write.recordEvent({ action: 'volume.update', ...eventOf(component, before), before, after });
    }
    for (const { componentId, name } of changes.create) {
      const after = rows.get(`${componentId} ${name}`)!;
      write.recordEvent({ action: 'volume.add', ...eventOf(component, after), after });
    }
    await yieldInTransaction(write.context.signal);
  }
  return created.map(({ componentId, name }) => rows.get(`${componentId} ${name}`)!);
}
