import { useState } from 'react';
import { useQuery } from 'urql';
import { ActionBar } from '../act/action-bar.tsx';
import { fixed } from '../api/client.ts';
import { useBusy, useTeamsLive } from '../api/subscriptions.ts';
import { usePages, useView } from '../api/view.ts';
import { TreeQuery } from '../documents/tree.ts';
import { ViewerQuery } from '../documents/viewer.ts';
import { newTeamItem } from '../start/new-team.tsx';
import { strings } from '../strings.ts';
import { FilterBar, useTreeFilter } from '../tree/filter-bar.tsx';
import { restOf, teamRow } from '../tree/rows.tsx';
import { useOpen } from '../tree/use-open.ts';
import { Blank, LoadError, Loading, PartialError } from '../ui/blocks.tsx';
import { TreeGrid } from '../ui/tree-grid.tsx';
import { HomeHead } from './home-head.tsx';
import { lazyPage } from './lazy-page.tsx';

const text = strings.tree;

const NoTeams = lazyPage(async () => (await import('../start/home.tsx')).NoTeams);
const Checklist = lazyPage(async () => (await import('../start/checklist.tsx')).Checklist, null);

/** The tree of all teams. */
export function TeamsPage() {
  const chosen = useTreeFilter();
  const { filter, isFiltered } = chosen;
  const { data, error, isLoading, retry } = useView(TreeQuery, filter);
  const pages = usePages();
  const teams = data?.teams.nodes ?? [];
  const teamIds = new Set(teams.map(({ id }) => id));
  const { isOpen, toggle } = useOpen('teams', (id) => teamIds.has(id));
  useTeamsLive(teams.filter(({ id }) => isOpen(id)).map(({ id }) => id));
  useBusy(teams.some(({ running, pending }) => running.totalCount + pending.totalCount > 0));
  const [{ data: viewed }] = useQuery({ query: ViewerQuery, context: fixed, requestPolicy: 'cache-first' });
  const viewer = viewed?.viewer;
  const mayCreate = viewer?.isAdministrator && !viewer.accessToken?.isReadOnly;
  // Whoever has begun with the first steps goes on with them when there is a team.
  const [hasBegun, setBegun] = useState(false);
  const isStarting = data && (teams.length === 0 || hasBegun);
  const matching = isFiltered ? teams.filter(({ applications }) => applications.totalCount > 0) : teams;
  return (
    <>
      <HomeHead tab="teams" actions={mayCreate && <ActionBar items={[newTeamItem]} />} />
      {mayCreate && data && !isStarting && <Checklist />}
      {!isStarting && <FilterBar {...chosen} />}
      {isLoading && <Loading rows={9} />}
      {error && !data && <LoadError error={error} retry={retry} />}
      {data && <PartialError error={error} />}
      {isStarting && <NoTeams hasBegun={hasBegun} begin={() => setBegun(true)} />}
      {data && !isStarting && matching.length === 0 && <Blank title={text.noMatch} text={text.noMatchText} />}
      {data && !isStarting && matching.length > 0 && (
        <TreeGrid
          label={text.label}
          columns={Object.values(text.columns)}
          rows={matching.map((team) => teamRow(team, filter, pages))}
          more={restOf(data.teams, (after) => pages.load(TreeQuery, { ...filter, after }))}
          isOpen={isOpen}
          toggle={toggle}
        />
      )}
    </>
  );
}
