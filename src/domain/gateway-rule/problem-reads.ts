import type { Context } from '../../context.ts';
import type { Field, Row } from '../../db/tables.ts';
import { boundedLook, type RegionDriver, RegionWorkError } from '../../drivers/region/driver.ts';
import type { RouteAccess } from '../../drivers/region/route-problems.ts';
import { batched } from '../../kernel/batch.ts';
import { ApiError } from '../../kernel/errors.ts';
import { warnOnce } from '../../kernel/log.ts';
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

export const tcpProblemColumns = [
  'regionId',
  'componentId',
  'portNumber',
] as const satisfies Field<'TcpRule'>[];

export type Answer<T> = { found: T } | { failure: unknown } | null;

type Look<T> = (...at: Parameters<RouteAccess['problems']>) => Promise<T>;

/** The problems of the routes of teams. Read once for a team, however many of its rules a request has. */
export const ofTeams = <T>(look: (driver: RegionDriver) => Look<T> | undefined) =>
  batched(
    async (context: Context, keys: string[]): Promise<Map<string, Answer<T>>> => {
      if (keys.length > maxProblemTeams) {
        throw new ApiError(
          'LIMIT_EXCEEDED',
          `A request can read the routes of at most ${maxProblemTeams} teams.`,
        );
      }
      const read = keys.map(async (key): Promise<[string, Answer<T>]> => {
        const [regionId, teamId] = key.split(' ') as [string, string];
        try {
          const { driver: name } = await loadRegion(context, regionId);
          const driver = context.drivers.region.get(name);
          const read = driver && look(driver);
          if (!read) return [key, null];
          const found = await boundedLook(
            (signal) => read(regionId, teamId, signal),
            context,
            driver.timeoutMs,
          );
          return [key, { found }];
        } catch (failure) {
          return [key, { failure }];
        }
      });
      return new Map(await Promise.all(read));
    },
    null as Answer<T>,
  );

const httpProblems = ofTeams(({ routes }) => routes?.problems);
const tcpProblems = ofTeams(({ routes }) => routes?.tcpProblems);

/** The answer of a cluster; null if there is none to ask. REGION_UNAVAILABLE if it does not respond. */
export function foundIn<T>(context: Context, regionId: string, answer: Answer<T>): T | null {
  if (answer === null) return null;
  if ('found' in answer) return answer.found;
  const { failure } = answer;
  warnOnce(context.log, { region: regionId, error: failure }, 'region driver failed');
  const message = failure instanceof RegionWorkError ? failure.message : 'The region did not respond.';
  throw new ApiError('REGION_UNAVAILABLE', message);
}

/** The problems of one rule in the answer of its cluster. */
function problemsIn<T>(
  context: Context,
  regionId: string,
  answer: Answer<T>,
  of: (problems: T) => string[],
): string[] {
  const found = foundIn(context, regionId, answer);
  const problems = found === null ? [] : of(found);
  context.budget?.reserve(problems.reduce((sum, { length }) => sum + length, 0));
  return problems;
}

export async function problemsOfHttpRule(
  context: Context,
  rule: Pick<Row<'HttpRule'>, (typeof problemColumns)[number]>,
): Promise<string[]> {
  const { teamId } = await loadComponent(context, rule.componentId);
  const answer = await httpProblems(context, `${rule.regionId} ${teamId}`);
  return problemsIn(context, rule.regionId, answer, (problems) => problems.of(rule));
}

export async function problemsOfTcpRule(
  context: Context,
  { regionId, componentId, portNumber }: Pick<Row<'TcpRule'>, (typeof tcpProblemColumns)[number]>,
): Promise<string[]> {
  const component = await loadComponent(context, componentId);
  const answer = await tcpProblems(context, `${regionId} ${component.teamId}`);
  return problemsIn(context, regionId, answer, (problems) =>
    problems.of({ component, outerPort: portNumber }),
  );
}
