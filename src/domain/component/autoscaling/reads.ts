import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { boundedLook } from '../../../drivers/region/driver.ts';
import { batched } from '../../../kernel/batch.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { groupBy } from '../../../kernel/group.ts';
import { loadRegion, regionById } from '../../region/reads.ts';
import { isDeployed } from '../state-model.ts';
import { stateById } from '../status-reads.ts';

/** The columns that the number of instances depends on. Few, because lists of many thousands read them. */
export const scaledColumns = ['id', 'replicas', 'minReplicas'] as const;

type Component = Row<'Component'>;
type Scaled = Pick<Component, (typeof scaledColumns)[number]>;

/** Whether the cluster of a component sets the number of its instances, once it is deployed. */
const isScaledByLoad = ({ minReplicas }: Scaled) => minReplicas !== null;

/**
 * The numbers that clusters have set. Null of components that are not deployed, that a cluster does not know, or whose region has
 * no cluster.
 */
const countById = batched(async (context: Context, ids: string[]): Promise<Map<string, number | null>> => {
  const rows = await Promise.all(ids.map((id) => stateById(context, id)));
  const states = rows.filter((row) => row !== null).filter(isDeployed);
  const regions = new Map(
    await Promise.all(
      [...new Set(states.map(({ regionId }) => regionId))].map(
        async (id) => [id, await regionById(context, id)] as const,
      ),
    ),
  );
  const counts = new Map<string, number | null>();
  await Promise.all(
    [...groupBy(states, ({ regionId }) => regions.get(regionId)?.driver ?? '')].map(async ([name, group]) => {
      const driver = context.drivers.region.get(name);
      if (!driver?.replicas) return;
      try {
        const readReplicas = (signal: AbortSignal) => driver.replicas!(group, signal);
        const replicas = await boundedLook(readReplicas, context, driver.timeoutMs);
        for (const [id, count] of replicas) counts.set(id, count);
      } catch (error) {
        context.log.warn({ driver: name, error }, 'region driver failed');
      }
    }),
  );
  return counts;
}, null);

/**
 * The number of instances of a component: what its cluster has set, where that sets it, and can be asked. Without autoscaling it
 * is a number, because a promise for each of many thousands takes time.
 */
export function replicasNow(context: Context, row: Scaled): number | Promise<number> {
  if (!isScaledByLoad(row)) return row.replicas;
  return countById(context, row.id).then((count) => count ?? row.replicas);
}

/** The number of instances. REGION_UNAVAILABLE if the cluster that sets it does not respond. */
export async function requireReplicas(
  context: Context,
  row: Scaled & Pick<Component, 'regionId' | 'name' | 'deployState'>,
): Promise<number> {
  if (!isScaledByLoad(row) || !isDeployed(row)) return row.replicas;
  const count = await countById(context, row.id);
  if (count !== null) return count;
  const region = await loadRegion(context, row.regionId);
  if (!context.drivers.region.get(region.driver)?.replicas) return row.replicas;
  throw new ApiError('REGION_UNAVAILABLE', `The region of the component ${row.name} did not respond.`);
}
