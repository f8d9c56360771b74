/** Where work belongs. */
interface At {
  teamId: string;
  applicationId: number | null;
}

/** A team that has much of the work in progress, and its applications that have some of it. */
export interface Busiest {
  teamId: string;
  applicationIds: number[];
}

/** Excludes the work of a team, or of some applications. */
export type Besides = { teamId: string } | { applicationIds: readonly number[] };

/** Which components have work that is not excluded. */
export const notOf = (besides: Besides) =>
  'teamId' in besides
    ? { teamId: { not: besides.teamId } }
    : { applicationId: { notIn: [...besides.applicationIds] } };

/** The team that has at least `most` of the work in progress. */
export function busiestOf(inProgress: readonly At[], most: number): Busiest | undefined {
  const teams = inProgress.map(({ teamId }) => teamId);
  const teamId = teams.find((id) => teams.filter((each) => each === id).length >= most);
  if (teamId === undefined) return undefined;
  const own = inProgress.filter((each) => each.teamId === teamId);
  return { teamId, applicationIds: [...new Set(own.flatMap(({ applicationId }) => applicationId ?? []))] };
}

/**
 * The work to begin, at most `limit`: that of other teams, then that of applications without any in progress, then the rest. So nobody
 * waits for all of the work of another team, or of another application of their own. `due` finds work in its order, without
 * that which is to come later.
 */
export async function takeFairly<T>(
  busiest: Busiest | undefined,
  limit: number,
  due: (besides?: Besides) => Promise<T[]>,
): Promise<T[]> {
  const { teamId, applicationIds } = busiest ?? {};
  const turns = [teamId && { teamId }, applicationIds?.length && { applicationIds }];
  const taken = new Set<T>();
  for (const besides of [...turns.filter(Boolean), undefined] as (Besides | undefined)[]) {
    for (const each of await due(besides)) taken.add(each);
    if (taken.size >= limit) break;
  }
  return [...taken].slice(0, limit);
}
