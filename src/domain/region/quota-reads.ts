import type { Context } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { QuotaExceededError } from '../../kernel/errors.ts';
import { deployedState } from './model.ts';
import { lockTeamRegion } from './reads.ts';

interface QuotaScene {
  context: Pick<Context, 'db'>;
  tx: Transaction;
  team: Row<'Team'>;
  region: Row<'Region'>;
}

interface Resources {
  cpuMillicores: number;
  memoryMiB: number;
}

const labels = {
  cpuMillicores: { name: 'CPU', unit: 'millicores' },
  memoryMiB: { name: 'memory', unit: 'MiB' },
} as const;

/**
 * Runs work that deploys or changes components. Throws QUOTA_EXCEEDED, which rolls the transaction back, if the deployed
 * components of the team in the region then request more than its quota and more than before. The row of the team and
 * region is locked until the commit, so that concurrent changes cannot both use the rest. Locks on components
 * and on the region must be taken before.
 */
export async function withinQuota<T>(scene: QuotaScene, work: () => Promise<T>): Promise<T> {
  const quota = await lockQuota(scene);
  const limited = (Object.keys(labels) as (keyof Resources)[]).filter((resource) => quota[resource] > 0);
  if (limited.length === 0) return work();
  const before = await requestedNow(scene);
  const result = await work();
  const after = await requestedNow(scene);
  for (const resource of limited) {
    if (after[resource] <= quota[resource] || after[resource] <= before[resource]) continue;
    const { name, unit } = labels[resource];
    const available = Math.max(0, quota[resource] - before[resource]);
    const requested = after[resource] - before[resource];
    throw new QuotaExceededError(
      `The team ${scene.team.name} has ${available} ${unit} of its ${name} quota left in the region ${scene.region.name}. The change needs ${requested} more.`,
      { resource, available, requested },
    );
  }
  return result;
}

/** The quota, 0 if there is none. */
async function lockQuota({ team, region, ...write }: QuotaScene): Promise<Resources> {
  const opened = await lockTeamRegion(write, team.id, region.id);
  return { cpuMillicores: opened.cpuQuotaMillicores, memoryMiB: opened.memoryQuotaMiB };
}

/** The resources that deployed components request: replicas × CPU, replicas × memory. */
async function requestedNow({ tx, team, region }: QuotaScene): Promise<Resources> {
  const [row] = await tx.$queryRaw<{ cpu: number | null; memory: number | null }[]>`
    SELECT sum(CAST(replicas AS double precision) * cpu_millicores) AS cpu,
           sum(CAST(replicas AS double precision) * memory_mib) AS memory
    FROM component WHERE team_id = ${team.id} AND region_id = ${region.id} AND deploy_state = ${deployedState}`;
  return { cpuMillicores: Number(row?.cpu ?? 0), memoryMiB: Number(row?.memory ?? 0) };
}
