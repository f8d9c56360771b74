import type { NewRow, Row } from '../../../db/tables.ts';
import { type Bulk, deleteByIds, insertMany, reviseMany, updateMany } from '../../../db/write/bulk.ts';

// Volumes are recorded in the events of their component.

/** Copies alone have a source. */
export type NewVolume = Omit<NewRow<'Volume'>, 'source'> & Partial<Pick<Row<'Volume'>, 'source'>>;

export const insertVolumes = (write: Bulk, volumes: readonly NewVolume[]): Promise<void> =>
  insertMany(write, 'Volume', volumes);

/** Sets columns of volumes. Paths are first set to temporary values, because volumes can swap their paths. */
export async function setVolumes(
  write: Bulk,
  updates: readonly { id: number; data: Partial<Row<'Volume'>> }[],
): Promise<void> {
  const aside = updates
    .filter(({ data }) => data.path)
    .map(({ id }) => ({ id, data: { path: `moving ${id}` } }));
  await updateMany(write, 'Volume', aside);
  await reviseMany(write, 'Volume', updates);
}

/** Volumes that a manifest adopts as they are. */
export const setManifestOfVolumes = (
  write: Bulk,
  ids: readonly number[],
  manifestId: number,
): Promise<void> =>
  reviseMany(
    write,
    'Volume',
    ids.map((id) => ({ id, data: { manifestId } })),
  );

export const removeVolumes = (write: Bulk, ids: readonly number[]): Promise<void> =>
  deleteByIds(write, 'Volume', ids);
