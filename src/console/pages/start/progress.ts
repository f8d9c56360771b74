import type { ResultOf } from '../../api/graphql.ts';
import type { StartQuery } from '../../documents/start.ts';

type Data = ResultOf<typeof StartQuery>;
type Team = Data['viewer']['enterprise']['teams']['nodes'][number];

export const stepNames = ['team', 'region', 'application', 'component'] as const;
export type StepName = (typeof stepNames)[number];

/** How many of the steps a team has done. */
function stageOf({ regionCount, applications, componentCount }: Team): number {
  if (componentCount > 0) return 4;
  if (applications.totalCount > 0) return 3;
  return regionCount > 0 ? 2 : 1;
}

/** How far an installation is, by what exists: the team that is furthest, and what is missing. */
export function progressOf({ viewer }: Data) {
  const { teams, regions } = viewer.enterprise;
  let team: Team | undefined;
  for (const each of teams.nodes) if (!team || stageOf(each) > stageOf(team)) team = each;
  const stage = team ? stageOf(team) : 0;
  return {
    team,
    teams: teams.nodes,
    regions: regions.nodes,
    application: team?.applications.nodes[0],
    isDone: (step: StepName) => stage > stepNames.indexOf(step),
    isComplete: stage === stepNames.length,
    /** Whether the caller can take the steps. */
    mayStart: viewer.isAdministrator && !viewer.accessToken?.isReadOnly,
  };
}
export type Progress = ReturnType<typeof progressOf>;
