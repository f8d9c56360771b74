import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { bounded } from '../../drivers/region/driver.ts';
import type { ClusterInstance } from '../../drivers/region/kubernetes/clusters.ts';
import { isAllowed } from '../../kernel/access.ts';
import { ApiError } from '../../kernel/errors.ts';
import { loadRegion } from '../region/reads.ts';
import { loadTeam } from '../team/reads.ts';

/** The most instances that are listed. */
export const maxInstances = 1_000;

/**
 * The instances of a component. Null for callers who are no developers of the team, and empty if the region has no
 * cluster. REGION_UNAVAILABLE if the cluster does not respond.
 */
export async function instancesOf(
  context: Context,
  { id, alias, teamId, regionId }: Pick<Row<'Component'>, 'id' | 'alias' | 'teamId' | 'regionId'>,
): Promise<ClusterInstance[] | null> {
  const [team, region] = await Promise.all([loadTeam(context, teamId), loadRegion(context, regionId)]);
  if (!isAllowed(context.actor, team, { role: 'developer' })) return null;
  const { clusters } = context.drivers;
  if (region.driver !== 'kubernetes' || !clusters) return [];
  try {
    const found = await bounded((signal) => clusters.instances(region.id, id, signal), context.signal);
    return found.slice(0, maxInstances);
  } catch (error) {
    context.log.warn({ component: id, error }, 'region driver failed');
    throw new ApiError('REGION_UNAVAILABLE', `The region of the component ${alias} did not respond.`);
  }
}
