import { useView } from '../api/view.ts';
import { TeamRegionsQuery } from '../documents/use.ts';
import { TeamFrame } from '../ui/team-head.tsx';
import { TeamUse } from '../use/team-use.tsx';

/** The usage of a team's quotas. */
export function TeamUsagePage({ name }: { name: string }) {
  const view = useView(TeamRegionsQuery, { by: { name } });
  return (
    <TeamFrame name={name} tab="usage" view={view}>
      {(team) => <TeamUse team={team} />}
    </TeamFrame>
  );
}
