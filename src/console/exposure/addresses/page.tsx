import { useTeamsLive } from '../../api/subscriptions.ts';
import { usePages, useView } from '../../api/view.ts';
import { ExposedQuery, TeamExposedQuery } from '../../documents/exposure.ts';
import { ViewState } from '../../ui/blocks.tsx';
import { HomeHead } from '../../ui/home-head.tsx';
import { TeamFrame } from '../../ui/team-head.tsx';
import { text } from '../strings.ts';
import { ExposedFilter, useExposedFilter } from './filter.tsx';
import { ExposedTable } from './table.tsx';

/** The addresses that all teams of the caller expose. */
export function ExposedPage() {
  const { filter, variables, isFiltered, onlyWarnings } = useExposedFilter();
  const view = useView(ExposedQuery, variables);
  const { data } = view;
  const pages = usePages();
  const rules = [...(data?.httpRules?.nodes ?? []), ...(data?.tcpRules?.nodes ?? [])];
  useTeamsLive([...new Set(rules.map(({ port }) => port.component.application.team.id))].sort());
  return (
    <>
      <HomeHead tab="exposed" />
      <p className="soft">{text.intro}</p>
      <ExposedFilter filter={filter} />
      <ViewState view={view} rows={9} />
      {data && (
        <ExposedTable
          http={data.httpRules}
          tcp={data.tcpRules}
          isFiltered={isFiltered}
          onlyWarnings={onlyWarnings}
          hasTeams
          load={(after) => pages.load(ExposedQuery, { ...variables, ...after })}
        />
      )}
    </>
  );
}

export function TeamExposedPage({ name }: { name: string }) {
  const { filter, isFiltered, onlyWarnings, ...chosen } = useExposedFilter();
  const variables = { team: { name }, ...chosen.variables };
  const view = useView(TeamExposedQuery, variables);
  const pages = usePages();
  const id = view.data?.team?.id;
  useTeamsLive(id === undefined ? [] : [id]);
  return (
    <TeamFrame name={name} tab="exposed" view={view}>
      {({ httpRules, tcpRules }) => (
        <>
          <p className="soft">{text.teamIntro}</p>
          <ExposedFilter filter={filter} />
          <ExposedTable
            http={httpRules}
            tcp={tcpRules}
            isFiltered={isFiltered}
            onlyWarnings={onlyWarnings}
            hasTeams={false}
            load={(after) => pages.load(TeamExposedQuery, { ...variables, ...after })}
          />
        </>
      )}
    </TeamFrame>
  );
}
