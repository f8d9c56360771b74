import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { missingForSnapshots } from '../component/snapshots/reads.ts';
import type { ManifestDocument } from './document-model.ts';
import type { Scene } from './plan/scene.ts';

/**
 * Whether a region makes the snapshots of a document. Its cluster is asked before the transaction, because it can take long to
 * answer. Whether it had to be asked shows in the transaction: a failure does not matter if no snapshot schedule changes.
 */
export async function snapshotsOf(
  context: Context,
  { id }: Row<'Region'>,
  { components }: ManifestDocument,
): Promise<Scene['snapshots']> {
  const isNeeded = Object.values(components ?? {}).some(({ volumes }) =>
    Object.values(volumes ?? {}).some(({ snapshotSchedule }) => snapshotSchedule != null),
  );
  if (!isNeeded) return { missing: null };
  try {
    return { missing: await missingForSnapshots(context, id) };
  } catch (failure) {
    return { failure };
  }
}
