import { useState } from 'react';
import { useQuery } from 'urql';
import { ActionBar } from '../act/action-bar.tsx';
import { fixed } from '../api/client.ts';
import { useBusy, useTeamsLive } from '../api/subscriptions.ts';
import { useTreePages, useView } from '../api/view.ts';
import { TreeQuery } from '../documents/tree.ts';
import { ViewerQuery } from '../documents/viewer.ts';
import { strings } from '../strings.ts';
import { TreeFilterBar, useTreeFilter } from '../tree/filter-bar.tsx';
import { FoldButtons } from '../tree/fold-buttons.tsx';
import { rowsOf, teamRow } from '../tree/rows.tsx';
import { useOpen } from '../tree/use-open.ts';
import { Blank, LoadError, Loading, PartialError } from '../ui/blocks.tsx';
import { HomeHead } from '../ui/home-head.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { TreeGrid } from '../ui/tree-grid.tsx';
import { newTeamItem } from './start/new-team.tsx';

const text = strings.tree;
const mostUnfolded = 10;

const NoTeams = lazyPage(async () => (await import('./start/home.tsx')).NoTeams);
const Checklist = lazyPage(async () => (await import('./start/checklist.tsx')).Checklist, null);

export function TeamsPage() {
  const chosen = useTreeFilter();
  const { variables: filter, isFiltered } = chosen;
  const { data, error, isLoading, retry } = useView(TreeQuery, filter);
  const pages = useTreePages();
  const list =
    data && pages.join(data.teams, { document: TreeQuery, variables: filter, list: (data) => data.teams });
  const teams = (list?.items ?? []).map(({ node }) => node);
  const teamIds = new Set(teams.map(({ id }) => id));
  // Of many teams, their names are what one looks for.
  const isFolded = !isFiltered && (data?.teams.totalCount ?? 0) > mostUnfolded;
  const applicationIds = new Set(teams.flatMap(({ applications }) => applications.nodes.map(({ id }) => id)));
  // Who looks for problems wants the components that have them.
  const { isOpen, toggle, openAll } = useOpen(
    filter.hasProblems ? 'problems' : 'teams',
    (id) => (teamIds.has(id) && !isFolded) || Boolean(filter.hasProblems && applicationIds.has(id)),
  );
  useTeamsLive(teams.filter(({ id }) => isOpen(id)).map(({ id }) => id));
  useBusy(teams.some(({ running, pending }) => running.totalCount + pending.totalCount > 0));
  const [{ data: viewed }] = useQuery({ query: ViewerQuery, context: fixed, requestPolicy: 'cache-first' });
  const viewer = viewed?.viewer;
  const mayCreate = viewer?.isAdministrator && !viewer.accessToken?.isReadOnly;
  // Whoever has begun with the first steps goes on with them when there is a team.
  const [hasBegun, setBegun] = useState(false);
  const isStarting = data && (teams.length === 0 || hasBegun);
  const matching = (list?.items ?? []).filter(
    ({ node: { applications } }) => !isFiltered || applications.totalCount > 0,
  );
  return (
    <>
      <HomeHead tab="teams" actions={mayCreate && <ActionBar items={[newTeamItem]} />} />
      {mayCreate && data && !isStarting && <Checklist />}
      {!isStarting && (
        <TreeFilterBar filter={chosen.filter}>
          {teams.length > 0 && <FoldButtons openAll={openAll} />}
        </TreeFilterBar>
      )}
      {isLoading && <Loading rows={9} />}
      {error && !data && <LoadError error={error} retry={retry} />}
      {data && <PartialError error={error} />}
      {isStarting && <NoTeams hasBegun={hasBegun} begin={() => setBegun(true)} />}
      {data && !isStarting && matching.length === 0 && !list?.more && (
        <Blank title={text.noMatch} text={text.noMatchText} />
      )}
      {list && !isStarting && (matching.length > 0 || list.more) && (
        <TreeGrid
          label={text.label}
          columns={Object.values(text.columns)}
          {...rowsOf({ ...list, items: matching }, '', (team) => teamRow(team, filter, pages))}
          isOpen={isOpen}
          toggle={toggle}
          see={pages.see}
        />
      )}
    </>
  );
}
