import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { boundedLook, type RegionFigures } from '../../drivers/region/driver.ts';
import { batched } from '../../kernel/batch.ts';
import { ApiError } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group.ts';
import { warnOnce } from '../../kernel/log.ts';
import { requireTeam } from '../team/reads.ts';
import { inVisibleTeams } from '../team/visible-reads.ts';
import { deployedState, type TeamRegionRef } from './model.ts';
import { regionById, requireTeamRegion, teamRegionOf } from './reads.ts';

/** A driver's result for one key: a value or an error. */
type Answer<T> = { value: T } | { failure: unknown };

/** The resources that deployed components request: replicas × CPU, replicas × memory. What an autoscaling can start counts. */
const requested = {
  cpuMillicores: [['maxReplicas', 'replicas'], 'cpuMillicores'],
  memoryMiB: [['maxReplicas', 'replicas'], 'memoryMiB'],
} as const;

const deployed = { field: 'deployState', is: deployedState } as const;

const figures = batched(
  async (context: Context, ids: string[]): Promise<Map<string, Answer<RegionFigures>>> => {
    const [regions, sums] = await Promise.all([
      Promise.all(ids.map((id) => regionById(context, id))),
      context.db.component.sumByKeys({ by: ['regionId'], sums: requested, where: [deployed], keys: ids }),
    ]);
    const byDriver = groupBy(
      regions.filter((region) => region !== null),
      (region) => region.driver,
    );
    const answers = new Map<string, Answer<RegionFigures>>();
    await Promise.all(
      [...byDriver].map(async ([name, group]) => {
        try {
          const driver = context.drivers.region.get(name);
          if (!driver) throw new Error(`There is no region driver named ${name}.`);
          const requests = group.map((region) => {
            const sum = sums.find(({ by }) => by[0] === region.id)?.sums;
            return {
              id: region.id,
              name: region.name,
              cpuCores: region.cpuCores,
              memoryMiB: region.memoryMiB,
              diskGiB: region.diskGiB,
              requestedCpuMillicores: sum?.cpuMillicores ?? 0,
              requestedMemoryMiB: sum?.memoryMiB ?? 0,
            };
          });
          const byRegion = await boundedLook(
            (signal) => driver.figures(requests, signal),
            context,
            driver.timeoutMs,
          );
          for (const { id } of group) {
            const value = byRegion.get(id);
            answers.set(
              id,
              value ? { value } : { failure: new Error('The driver returned no figures for the region.') },
            );
          }
        } catch (failure) {
          for (const { id } of group) answers.set(id, { failure });
        }
      }),
    );
    return answers;
  },
  { failure: new Error('There is no such region.') } as Answer<RegionFigures>,
);

/** The live figures of a region. REGION_UNAVAILABLE if its driver fails or times out. */
export async function figuresOf(context: Context, region: Row<'Region'>): Promise<RegionFigures> {
  const answer = await figures(context, region.id);
  if ('value' in answer) return answer.value;
  warnOnce(context.log, { region: region.name, error: answer.failure }, 'region driver failed');
  throw new ApiError('REGION_UNAVAILABLE', `The region ${region.name} did not respond.`);
}

/** Whether the cluster responds: `ok` or `failure`. */
export async function healthOf(context: Context, region: Row<'Region'>): Promise<'ok' | 'failure'> {
  return 'value' in (await figures(context, region.id)) ? 'ok' : 'failure';
}

/** The quota and usage of a team in a region: CPU in millicores (1000 = 1 core), memory in MiB. A total of 0 means no quota. */
export interface TeamResources {
  team: Row<'Team'>;
  region: Row<'Region'>;
  totalCpuMillicores: number;
  usedCpuMillicores: number;
  totalMemoryMiB: number;
  usedMemoryMiB: number;
  /** The revision of the quota. */
  revision: number;
}

const requestedByTeam = batched(async (context: Context, teamIds: string[]) => {
  const sums = await context.db.component.sumByKeys({
    by: ['teamId', 'regionId'],
    sums: requested,
    where: [deployed, ...inVisibleTeams.components(context.actor)],
    keys: teamIds,
  });
  return new Map(
    [...groupBy(sums, ({ by }) => by[0] as string)].map(([teamId, group]) => [
      teamId,
      new Map(group.map(({ by, sums: sum }) => [by[1] as string, sum])),
    ]),
  );
}, new Map<string, { cpuMillicores: number; memoryMiB: number }>());

/**
 * The quota of a team in a region, and what the components that the actor may see use of it. Null if the region is not open
 * for the team.
 */
export async function resourcesOf(
  context: Context,
  team: Row<'Team'>,
  region: Row<'Region'>,
): Promise<TeamResources | null> {
  const [opened, used] = await Promise.all([
    teamRegionOf(context, team.id, region.id),
    requestedByTeam(context, team.id),
  ]);
  if (!opened) return null;
  const sum = used.get(region.id);
  return {
    team,
    region,
    totalCpuMillicores: opened.cpuQuotaMillicores,
    usedCpuMillicores: sum?.cpuMillicores ?? 0,
    totalMemoryMiB: opened.memoryQuotaMiB,
    usedMemoryMiB: sum?.memoryMiB ?? 0,
    revision: opened.revision,
  };
}

/** The percentage, which can exceed 100, with two decimals. 0 if there is no quota. */
export const percentage = (used: number, total: number) =>
  total > 0 ? Math.round((used / total) * 10_000) / 100 : 0;

/**
 * The quotas and usage of the pairs, in their order. Pairs that do not exist or are not visible to the caller
 * are omitted, and duplicates are returned once.
 */
export async function resourcesOfPairs(
  context: Context,
  pairs: readonly TeamRegionRef[],
): Promise<TeamResources[]> {
  const answers = await Promise.all(
    pairs.map(async (pair) => {
      try {
        const team = await requireTeam(context, pair.team);
        return await resourcesOf(context, team, await requireTeamRegion(context, team, pair.region));
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return null;
        throw error;
      }
    }),
  );
  const seen = new Set<string>();
  return answers.filter((answer): answer is TeamResources => {
    if (!answer) return false;
    const key = `${answer.team.id} ${answer.region.id}`;
    return !seen.has(key) && Boolean(seen.add(key));
  });
}
