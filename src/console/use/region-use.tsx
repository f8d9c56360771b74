import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { RegionUseQuery } from '../documents/use.ts';
import { strings } from '../strings.ts';
import { Section } from '../ui/blocks.tsx';
import { QuotaBars } from './bars.tsx';
import { quotaItem } from './items.ts';
import { useRegionLive } from './use-region-live.ts';

/** The usage of each team's quota in a region. */
export function RegionUse({ name }: { name: string }) {
  const [{ data }] = useQuery({ query: RegionUseQuery, variables: { by: { name } } });
  const region = data?.region;
  useRegionLive(
    region?.id,
    (region?.teams.edges ?? []).map(({ node }) => node.id),
  );
  if (!region || region.teams.totalCount === 0) return null;
  return (
    <Section title={strings.use.teams} count={region.teams.totalCount}>
      <ul className="use">
        {region.teams.edges.map(
          ({ node, resources }) =>
            resources && (
              <li key={node.id} className="card use-card">
                <header>
                  <h3>
                    <Link href={`/teams/${encodeURIComponent(node.name)}`}>{node.alias}</Link>
                  </h3>
                  <div className="spacer" />
                  {node.maySetQuota && <ActionBar isSmall items={[quotaItem(node, region, resources)]} />}
                </header>
                <QuotaBars resources={resources} />
              </li>
            ),
        )}
      </ul>
    </Section>
  );
}
