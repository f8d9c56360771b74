import type { Database } from '../../db/open.ts';
import { Params } from '../../db/query/statement.ts';
import type { RemovedComponent } from '../../drivers/region/desired.ts';

interface NamedPlace {
  teamId: string;
  regionId: string;
  namespaceId: number;
  clusterName: string;
  createdAt: Date;
}

/** By how much the clocks of gateways can differ at most. */
const clocksMs = 3_600_000;

/**
 * The removals of earlier components with the name of a component in the cluster that had not ended when it was created. `goneAt` is
 * null while the cluster can still have instances of one, also after a removal that has failed.
 */
export async function removalsNamed(
  db: Pick<Database, 'query' | 'dialect'>,
  { teamId, regionId, namespaceId, clusterName, createdAt }: NamedPlace,
): Promise<{ goneAt: Date | null }[]> {
  const params = new Params(db.dialect);
  const latest = new Date(createdAt.getTime() + clocksMs);
  const ofTeam = () => `job.team_id = ${params.add(teamId)} AND job.region_id = ${params.add(regionId)}`;
  const isLeft = (part: string) =>
    `(${part}.ended_at IS NULL OR ${part}.ended_at > ${params.add(createdAt)})`;
  const isNamed =
    () => `part.action = 'remove' AND part.removed LIKE ${params.add(`%"clusterName":"${clusterName}"%`)}
      AND NOT EXISTS (SELECT 1 FROM job_component later
        WHERE later.component_id = part.component_id AND later.id > part.id)`;
  // Few jobs had not ended then, and little work fails: both are found without the work of all other jobs.
  const rows = await db.query(
    `SELECT part.status, part.ended_at, part.removed FROM job JOIN job_component part ON part.job_id = job.id
    WHERE ${ofTeam()} AND job.created_at <= ${params.add(latest)} AND ${isLeft('job')} AND ${isLeft('part')} AND ${isNamed()}
    UNION ALL
    SELECT part.status, part.ended_at, part.removed FROM job_component part JOIN job ON job.id = part.job_id
    WHERE part.status IN ('failed', 'cancelled') AND part.region_id = ${params.add(regionId)} AND ${ofTeam()} AND ${isNamed()}`,
    params.values,
  );
  return rows.flatMap(([status, endedAt, removed]) => {
    const of = JSON.parse(removed as string) as Partial<RemovedComponent>;
    // One from before applications had namespaces of their own does not say which one.
    if (of.clusterName !== clusterName || (of.namespaceId ?? 0) !== namespaceId) return [];
    return { goneAt: status === 'succeeded' ? (db.dialect.decode(endedAt, 'DateTime') as Date) : null };
  });
}
