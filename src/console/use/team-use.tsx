import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { present } from '../act/items.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useTeamsLive } from '../api/subscriptions.ts';
import { type TeamRegionsQuery, TeamUseQuery } from '../documents/use.ts';
import { strings } from '../strings.ts';
import { BlankCard, Loading } from '../ui/blocks.tsx';
import { Status } from '../ui/status.tsx';
import { QuotaBars } from './bars.tsx';
import { closeItem, quotaItem } from './items.ts';

const text = strings.use;

type Team = NonNullable<ResultOf<typeof TeamRegionsQuery>['team']>;

/** The usage of a team's quota in each of its regions. */
export function TeamUse({ team }: { team: Team }) {
  const regions = team.regions.nodes;
  useTeamsLive([team.id]);
  const [{ data: use }] = useQuery({
    query: TeamUseQuery,
    variables: { of: regions.map(({ uid }) => ({ team: { teamId: team.uid }, region: { regionId: uid } })) },
    pause: regions.length === 0,
  });
  if (regions.length === 0) {
    return (
      <BlankCard title={text.noRegions} text={text.noRegionsText}>
        <Link className="button" href="/regions">
          {strings.home.tabs.regions}
        </Link>
      </BlankCard>
    );
  }
  if (!use) return <Loading />;
  return (
    <ul className="use">
      {use.teamResources.map((resources) => (
        <li key={resources.region.id} className="card use-card">
          <header>
            <h2>
              <Link href={`/regions/${encodeURIComponent(resources.region.name)}`}>
                {resources.region.alias}
              </Link>
            </h2>
            {resources.region.status !== 'ENABLED' && <Status name={resources.region.status} />}
            <div className="spacer" />
            <ActionBar
              isSmall
              items={present(
                team.maySetQuota && quotaItem(team, resources.region, resources),
                team.mayClose && closeItem(team, resources.region, resources),
              )}
            />
          </header>
          <QuotaBars resources={resources} />
        </li>
      ))}
    </ul>
  );
}
