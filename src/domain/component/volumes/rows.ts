import type { Row } from '../../../db/tables.ts';
import type { Write } from '../../../db/write/change.ts';
import { changed } from '../../../db/write/revision.ts';
import { markChanged } from '../rows.ts';
import type { NewVolume } from './many-rows.ts';

type Volume = Row<'Volume'>;

const eventOf = ({ teamId, applicationId }: Row<'Component'>, { id }: Volume) => ({
  subject: { type: 'Volume', id } as const,
  teamId,
  applicationId,
});

export async function insertVolume(
  write: Write,
  component: Row<'Component'>,
  data: NewVolume,
): Promise<Volume> {
  const volume = await write.tx.volume.create({ data });
  await markChanged(write, component, { isOwn: false });
  write.recordEvent({ ...eventOf(component, volume), after: volume });
  return volume;
}

/** Sets columns of a volume. Nothing is written if it already has the values. */
export async function setVolume(
  write: Write,
  component: Row<'Component'>,
  before: Volume,
  data: Partial<Volume>,
): Promise<Volume> {
  const isChanged = Object.entries(data).some(([field, value]) => before[field as keyof Volume] !== value);
  if (!isChanged) return before;
  const after = await write.tx.volume.update({ where: { id: before.id }, data: { ...data, ...changed } });
  await markChanged(write, component, { isOwn: false });
  write.recordEvent({ ...eventOf(component, before), before, after });
  return after;
}

export async function removeVolume(write: Write, component: Row<'Component'>, volume: Volume): Promise<void> {
  await write.tx.volume.delete({ where: { id: volume.id } });
  await markChanged(write, component, { isOwn: false });
  write.recordEvent({ ...eventOf(component, volume), before: volume });
}
