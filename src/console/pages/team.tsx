import { Link } from 'wouter';
import { useBusy, useTeamsLive } from '../api/subscriptions.ts';
import { useTreePages, useView } from '../api/view.ts';
import { NewApplicationAction } from '../application/new-application-action.tsx';
import { TeamTreeQuery } from '../documents/tree.ts';
import { strings } from '../strings.ts';
import { TreeFilterBar, useTreeFilter } from '../tree/filter-bar.tsx';
import { FoldButtons } from '../tree/fold-buttons.tsx';
import { applicationsOf } from '../tree/rows.tsx';
import { useOpen } from '../tree/use-open.ts';
import { BlankCard, Loading, Missing, PartialError } from '../ui/blocks.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { TeamHead } from '../ui/team-head.tsx';
import { TreeGrid } from '../ui/tree-grid.tsx';

const text = strings.team;

const TeamActions = lazyPage(async () => (await import('./start/team-actions.tsx')).TeamActions, null);

/** The applications of a team, with their components and ports. */
export function TeamPage({ name }: { name: string }) {
  const chosen = useTreeFilter();
  const { variables: filter, isFiltered } = chosen;
  const { data, error, isLoading, retry } = useView(TeamTreeQuery, { by: { name }, ...filter });
  const pages = useTreePages();
  const team = data?.team;
  const applicationIds = new Set(team?.applications.nodes.map(({ id }) => id));
  // Who looks for problems wants the components that have them.
  const { isOpen, toggle, openAll } = useOpen(`${filter.hasProblems ? 'problems' : 'team'}/${name}`, (id) =>
    Boolean(filter.hasProblems && applicationIds.has(id)),
  );
  useTeamsLive(team ? [team.id] : []);
  useBusy(Boolean(team && team.running.totalCount + team.pending.totalCount > 0));
  if (isLoading) return <Loading rows={9} />;
  if (!team) return <Missing error={error} retry={retry} />;
  const { rows, more } = applicationsOf(team, filter, pages);
  return (
    <>
      <TeamHead
        name={name}
        alias={team.alias}
        tab="applications"
        meta={[
          strings.tree.applications(team.applications.totalCount),
          strings.tree.components(team.componentCount),
          text.regions(team.regionCount),
        ]}
        actions={
          <>
            <NewApplicationAction team={team} />
            {team.mayApply && (
              <>
                <Link className="button" href={`/teams/${encodeURIComponent(name)}/manifest`}>
                  {text.fromManifest}
                </Link>
                <Link className="button" href={`/teams/${encodeURIComponent(name)}/import`}>
                  {text.fromFiles}
                </Link>
              </>
            )}
            <TeamActions name={name} />
          </>
        }
      />
      <PartialError error={error} />
      <TreeFilterBar filter={chosen.filter}>
        {rows.length > 0 && <FoldButtons openAll={openAll} />}
      </TreeFilterBar>
      {rows.length === 0 ? (
        <BlankCard
          title={isFiltered ? strings.tree.noMatch : strings.tree.noApplications}
          text={isFiltered ? strings.tree.noMatchText : text.emptyText}
        />
      ) : (
        <TreeGrid
          label={text.treeLabel}
          columns={Object.values(strings.tree.columns)}
          rows={rows}
          more={more}
          isOpen={isOpen}
          toggle={toggle}
          see={pages.see}
        />
      )}
    </>
  );
}
