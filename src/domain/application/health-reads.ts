import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { batched } from '../../kernel/batch.ts';
import { regionById } from '../region/reads.ts';
import type { Unhealthy } from './status-model.ts';

/** Whose applications are looked at: some applications, or those of teams or regions. */
export type HealthScope =
  | { by: 'applicationId'; keys: readonly number[] }
  | { by: 'teamId' | 'regionId'; keys: readonly string[] };

/**
 * The applications of the scope with components that are not healthy. Never fails: what a cluster does not tell is taken
 * from the jobs.
 */
export type HealthProvider = (
  context: Context,
  scope: HealthScope,
) => Promise<ReadonlyMap<number, Exclude<Unhealthy, 'none'>>>;

let provider: HealthProvider | undefined;

/** Called by `api.ts`, with what the concept of components knows. */
export function provideHealth(by: HealthProvider): void {
  provider = by;
}

const byApplication = batched(
  (context: Context, keys: number[]) => provider!(context, { by: 'applicationId', keys }),
  'none' as const,
  'health',
);

/** Whether a driver can find out more of a region than what is stored. */
const isObserved = async (context: Context, regionId: string): Promise<boolean> => {
  const region = await regionById(context, regionId);
  return !context.drivers.region.get(region?.driver ?? '')?.isImmediate;
};

/** How many components of an application are not healthy. */
export const unhealthyIn = async (
  context: Context,
  { id, regionId }: Pick<Row<'Application'>, 'id' | 'regionId'>,
): Promise<Unhealthy> => ((await isObserved(context, regionId)) ? byApplication(context, id) : 'none');

/** The ids of unhealthy applications. Those of teams that are read in one step are one object. */
export interface UnhealthyIds {
  all: number[];
  some: number[];
  any: number[];
}

/** The unhealthy applications of teams, or of regions. */
const inScope = batched(
  async (context: Context, keys: string[], by: 'teamId' | 'regionId') => {
    const unhealthyIds = [...(await provider!(context, { by, keys }))].sort(([one], [other]) => one - other);
    const any = unhealthyIds.map(([id]) => id);
    const ids = (unhealthy: Unhealthy) =>
      unhealthyIds.flatMap(([id, has]) => (has === unhealthy ? [id] : []));
    const of: UnhealthyIds = { all: ids('all'), some: ids('some'), any };
    return new Map(keys.map((key) => [key, of]));
  },
  { all: [], some: [], any: [] } as UnhealthyIds,
  'health',
);

/** The ids of the unhealthy applications of these teams or regions. */
export async function unhealthyAmong(
  context: Context,
  by: 'teamId' | 'regionId',
  keys: readonly string[],
): Promise<UnhealthyIds> {
  const scopes = await Promise.all(keys.map((key) => inScope(context, key, by)));
  return scopes[0] ?? { all: [], some: [], any: [] };
}
