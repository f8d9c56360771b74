import { useBusy, useTeamsLive } from '../api/subscriptions.ts';
import { usePages, useView } from '../api/view.ts';
import { TreeQuery } from '../documents/tree.ts';
import { strings } from '../strings.ts';
import { FilterBar, useTreeFilter } from '../tree/filter-bar.tsx';
import { restOf, teamRow } from '../tree/rows.tsx';
import { useOpen } from '../tree/use-open.ts';
import { Blank, LoadError, Loading, PartialError } from '../ui/blocks.tsx';
import { TreeGrid } from '../ui/tree-grid.tsx';
import { HomeHead } from './home-head.tsx';

const text = strings.tree;

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
  const matching = isFiltered ? teams.filter(({ applications }) => applications.totalCount > 0) : teams;
  return (
    <>
      <HomeHead tab="teams" />
      <FilterBar {...chosen} />
      {isLoading && <Loading rows={9} />}
      {error && !data && <LoadError error={error} retry={retry} />}
      {data && <PartialError error={error} />}
      {data && teams.length === 0 && <Blank title={text.empty} text={text.emptyText} />}
      {data && teams.length > 0 && matching.length === 0 && (
        <Blank title={text.noMatch} text={text.noMatchText} />
      )}
      {data && matching.length > 0 && (
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
