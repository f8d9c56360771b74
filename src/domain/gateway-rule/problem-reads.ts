import type { Context } from '../../context.ts';
import type { Field, Row } from '../../db/tables.ts';
import { bounded, RegionWorkError } from '../../drivers/region/driver.ts';
import type { RouteProblems } from '../../drivers/region/route-problems.ts';
import { batched } from '../../kernel/batch.ts';
import { ApiError } from '../../kernel/errors.ts';
import { loadComponent } from '../component/reads.ts';
import { loadRegion } from '../region/reads.ts';

/** The most teams, in each of their regions, whose routes a request can look at. */
export const maxProblemTeams = 20;

export const problemColumns = [
  'regionId',
  'componentId',
  'domain',
  'path',
  'header',
  'cookie',
] as const satisfies Field<'HttpRule'>[];

type Answer = { problems: RouteProblems } | { failure: unknown } | null;

/** The routes of a team are read once, however many of its rules a request has. */
const problemsOfTeams = batched(async (context: Context, keys: string[]): Promise<Map<string, Answer>> => {
  if (keys.length > maxProblemTeams) {
    throw new ApiError('LIMIT_EXCEEDED', `A request can look at the routes of ${maxProblemTeams} teams.`);
  }
  const read = keys.map(async (key): Promise<[string, Answer]> => {
    const [regionId, teamId] = key.split(' ') as [string, string];
    try {
      const { driver: name } = await loadRegion(context, regionId);
      const driver = context.drivers.region.get(name);
      if (!driver?.routes) return [key, null];
      const look = (signal: AbortSignal) => driver.routes!.problems(regionId, teamId, signal);
      return [key, { problems: await bounded(look, context.signal, driver.timeoutMs) }];
    } catch (failure) {
      return [key, { failure }];
    }
  });
  return new Map(await Promise.all(read));
}, null as Answer);

/** What the cluster says against an HTTP rule. REGION_UNAVAILABLE if it does not respond. */
export async function problemsOfHttpRule(
  context: Context,
  rule: Pick<Row<'HttpRule'>, (typeof problemColumns)[number]>,
): Promise<string[]> {
  const { teamId } = await loadComponent(context, rule.componentId);
  const answer = await problemsOfTeams(context, `${rule.regionId} ${teamId}`);
  if (answer === null) return [];
  if ('problems' in answer) {
    const problems = answer.problems.of(rule);
    context.budget?.reserve(problems.reduce((sum, { length }) => sum + length, 0));
    return problems;
  }
  const { failure } = answer;
  context.log.warn({ region: rule.regionId, error: failure }, 'region driver failed');
  const message = failure instanceof RegionWorkError ? failure.message : 'The region did not respond.';
  throw new ApiError('REGION_UNAVAILABLE', message);
}
