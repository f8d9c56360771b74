import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { requireWritable } from '../../db/write/change.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import type { ManagedObject } from '../../drivers/region/managed-objects.ts';
import { lookAtObjects, orphansIn, requireObjects } from './orphan-list-operations.ts';
import type { RemoveRegionOrphans } from './orphan-model.ts';
import { requireRegionFor } from './reads.ts';

export interface OrphanRemoval {
  region: Row<'Region'>;
  orphans: ManagedObject[];
  isDryRun: boolean;
  plan: ObjectChange[];
}

/** Records what is removed. It is removed after the commit, because a cluster can be slow to answer. */
export async function recordOrphanRemoval(
  context: Context,
  { region: ref, deleteVolumes, dryRun }: RemoveRegionOrphans,
): Promise<OrphanRemoval> {
  const region = await requireRegionFor(context, ref, 'removeRegionOrphans');
  const isDryRun = dryRun ?? false;
  if (!isDryRun) requireWritable(context);
  const all = await orphansIn(context, region);
  const orphans = all.filter(({ hasData }) => deleteVolumes || !hasData);
  const { plan } = await changeWithPlan(
    context,
    'region.remove_orphans',
    { dryRun: isDryRun },
    async (write) => {
      if (orphans.length === 0) return;
      write.recordEvent({
        subject: { type: 'Region', id: region.id },
        name: region.name,
        after: { orphans: orphans.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`) },
      });
    },
  );
  return { region, orphans, isDryRun, plan };
}

/** Removes the objects. Others with their names are not touched, so that this can be repeated. */
export async function removeOrphans(context: Context, removal: OrphanRemoval): Promise<OrphanRemoval> {
  const { region, orphans, isDryRun } = removal;
  if (!isDryRun && orphans.length > 0) {
    const driver = requireObjects(context, region);
    await lookAtObjects(context, region, driver, (access, signal) =>
      access.remove(region.id, orphans, signal),
    );
  }
  return removal;
}
