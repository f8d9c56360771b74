import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { isForOneInstance } from '../volumes/model.ts';
import { autoscalingOf } from './model.ts';

/** CONFLICT if the component has an autoscaling, and a volume that one instance at a time can have. */
export async function requireSharedVolumes(write: Write, row: Row<'Component'>): Promise<void> {
  if (!autoscalingOf(row)) return;
  const volumes = await findByKeys(write, 'Volume', 'componentId', [row.id], ['id'], {
    fields: ['name', 'type', 'accessMode', 'isShared'],
  });
  const single = volumes.find(isForOneInstance);
  if (!single) return;
  throw new ConflictError(
    `The component ${row.name} cannot have an autoscaling, because its instances cannot share the volume ${single.name}. Its access mode must be ReadWriteMany or ReadOnlyMany.`,
  );
}
