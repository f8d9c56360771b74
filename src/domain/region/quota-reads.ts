import type { Context } from '../../context.ts';
import type { Field, Row } from '../../db/tables.ts';
import { type OwnWrite, recordOwn } from '../../db/write/own-events.ts';
import { QuotaExceededError } from '../../kernel/errors.ts';
import { deployedState } from './model.ts';
import { lockTeamRegion } from './reads.ts';

interface QuotaScene extends OwnWrite {
  context: Pick<Context, 'db' | 'requestId'>;
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

/** The columns that what a component requests depends on, besides its state. */
const requestColumns = [
  'replicas',
  'maxReplicas',
  'cpuMillicores',
  'memoryMiB',
] satisfies Field<'Component'>[];

/** Whether a change of these columns can change what a deployed component requests. */
export const changesRequests = (changes: Partial<Row<'Component'>>): boolean =>
  requestColumns.some((column) => column in changes);

/**
 * Runs work that deploys or changes components. Throws QUOTA_EXCEEDED, which rolls the transaction back, if the deployed
 * components of the team in the region then request more than its quota and more than before. The row of the team and
 * region is locked until the commit, so that concurrent changes cannot both use the rest. Locks on components
 * must be taken before, and those on the region after.
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
  await recordNearlyReached(scene, { quota, before, after });
  return result;
}

/** The part of a quota from which it counts as nearly reached. */
const nearly = 0.9;

interface Use {
  quota: Resources;
  before: Resources;
  after: Resources;
  /** The quota before, if that is what has changed. */
  quotaBefore?: Resources;
}

const isNear = (used: number, limit: number) => limit > 0 && used >= nearly * limit;

/**
 * Records each quota that a change has brought to 90 % or more. While its use stays there, nothing more is recorded. The row of the
 * team and region has to be locked, so that what was requested before is known.
 */
async function recordNearlyReached(
  scene: QuotaScene,
  { quota, before, after, quotaBefore = quota }: Use,
): Promise<void> {
  const { team, region, context } = scene;
  for (const resource of Object.keys(labels) as (keyof Resources)[]) {
    const limit = quota[resource];
    if (!isNear(after[resource], limit) || isNear(before[resource], quotaBefore[resource])) continue;
    await recordOwn(scene, {
      action: 'quota.nearly_reached',
      enterpriseId: team.enterpriseId,
      requestId: context.requestId,
      subject: { type: 'Team', id: team.id },
      teamId: team.id,
      after: { resource, region: region.name, used: after[resource], limit },
    });
  }
}

/** Records a quota that was set so that what is requested is 90 % of it or more. */
export async function recordChangedQuota(
  scene: QuotaScene,
  quotaBefore: Resources,
  quota: Resources,
): Promise<void> {
  const isSet = (Object.keys(labels) as (keyof Resources)[]).some(
    (resource) => quota[resource] > 0 && quota[resource] !== quotaBefore[resource],
  );
  if (!isSet) return;
  const used = await requestedNow(scene);
  await recordNearlyReached(scene, { quota, before: used, after: used, quotaBefore });
}

/** The quota, 0 if there is none. */
async function lockQuota({ team, region, ...write }: QuotaScene): Promise<Resources> {
  return quotaIn(await lockTeamRegion(write, team.id, region.id));
}

export const quotaIn = ({
  cpuQuotaMillicores,
  memoryQuotaMiB,
}: Pick<Row<'TeamRegion'>, 'cpuQuotaMillicores' | 'memoryQuotaMiB'>): Resources => ({
  cpuMillicores: cpuQuotaMillicores,
  memoryMiB: memoryQuotaMiB,
});

/** The resources that deployed components request: replicas × CPU, replicas × memory. What an autoscaling can start counts. */
async function requestedNow({
  tx,
  team,
  region,
}: Pick<QuotaScene, 'tx' | 'team' | 'region'>): Promise<Resources> {
  const [row] = await tx.$queryRaw<{ cpu: number | null; memory: number | null }[]>`
    SELECT sum(CAST(coalesce(max_replicas, replicas) AS double precision) * cpu_millicores) AS cpu,
           sum(CAST(coalesce(max_replicas, replicas) AS double precision) * memory_mib) AS memory
    FROM component WHERE team_id = ${team.id} AND region_id = ${region.id} AND deploy_state = ${deployedState}`;
  return { cpuMillicores: Number(row?.cpu ?? 0), memoryMiB: Number(row?.memory ?? 0) };
}
