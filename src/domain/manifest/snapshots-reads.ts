import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { missingForSnapshots } from '../component/snapshots/reads.ts';
import type { ManifestDocument } from '../plan/document-model.ts';
import type { Scene } from '../plan/scene.ts';

/** Whether it matters for a document that the region makes snapshots. */
export const needsSnapshots = ({ components }: ManifestDocument): boolean =>
  Object.values(components ?? {}).some(({ volumes }) =>
    Object.values(volumes ?? {}).some(({ snapshotSchedule }) => snapshotSchedule != null),
  );

/**
 * Whether a region makes the snapshots of a document. Its cluster is asked before the transaction, because it can take long to
 * answer. Whether it had to be asked shows in the transaction: a failure does not matter if no snapshot schedule changes.
 */
export async function snapshotsOf(
  context: Context,
  { id }: Row<'Region'>,
  document: ManifestDocument,
): Promise<Scene['snapshots']> {
  if (!needsSnapshots(document)) return { missing: null };
  try {
    return { missing: await missingForSnapshots(context, id) };
  } catch (failure) {
    return { failure };
  }
}
