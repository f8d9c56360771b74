import type { Context } from '../../context.ts';
import { groupBy } from '../../kernel/group.ts';
import { dataProblem } from '../component/snapshots/model.ts';
import { listSnapshots, requireSnapshots } from '../component/snapshots/reads.ts';
import type { CopiedSnapshots, Original } from './scene-reads.ts';

/**
 * The newest snapshots that are ready of the volumes of an application. CONFLICT if its region cannot restore them in the namespace
 * of a copy.
 */
export async function snapshotsToCopy(
  context: Context,
  { application, region }: Original,
): Promise<CopiedSnapshots> {
  await requireSnapshots(context, { regionId: region.id }, 'missingForCopies');
  const { db, budget } = context;
  const components = await db.component.findManyByKeys({ by: 'applicationId', keys: [application.id] });
  const rows = await db.volume.findManyByKeys({
    by: 'componentId',
    keys: components.map(({ id }) => id),
    fields: ['id', 'componentId', 'name', 'type', 'isShared'],
  });
  const volumes = groupBy(
    rows.filter((volume) => dataProblem(volume) === undefined),
    ({ componentId }) => componentId,
  );
  const owners = components.filter(({ id }) => volumes.has(id));
  const found = await listSnapshots(context, owners);
  budget?.reserve([...found.values()].reduce((sum, snapshots) => sum + 100 * snapshots.length, 0));
  return new Map(
    owners.flatMap(({ id: componentId, teamId, namespaceId }) =>
      volumes.get(componentId)!.flatMap(({ id, name }) => {
        const newest = found.get(componentId)?.find(({ volume, isReady }) => isReady && volume === name);
        return newest ? [[id, { componentId, teamId, namespaceId, snapshot: newest.name }] as const] : [];
      }),
    ),
  );
}
