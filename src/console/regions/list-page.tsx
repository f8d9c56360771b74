import '../styles/regions.css';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { usePages, useView } from '../api/view.ts';
import { RegionsQuery } from '../documents/regions.ts';
import { BlankCard } from '../ui/blocks.tsx';
import { HomeList, useSearch } from '../ui/home-list.tsx';
import { restOf } from '../ui/load-more.tsx';
import { Status } from '../ui/status.tsx';
import { Table } from '../ui/table.tsx';
import { newRegionItem } from './create-item.ts';
import { text } from './strings.ts';

type Region = ResultOf<typeof RegionsQuery>['viewer']['enterprise']['regions']['nodes'][number];

/** The regions of the enterprise that the caller sees. */
export function RegionsPage() {
  const search = useSearch(text.find);
  const view = useView(RegionsQuery, search.variables);
  const pages = usePages();
  const viewer = view.data?.viewer;
  const regions = viewer?.enterprise.regions;
  const mayCreate = viewer?.isAdministrator && !viewer.accessToken?.isReadOnly;
  const more =
    regions && restOf(regions, (after) => pages.load(RegionsQuery, { ...search.variables, after }));
  return (
    <HomeList
      tab="regions"
      actions={mayCreate && <ActionBar items={[newRegionItem]} />}
      search={search}
      view={view}
      more={more}
    >
      {regions && regions.nodes.length === 0 && (
        <BlankCard
          title={search.value ? text.noMatch : text.empty}
          text={search.value ? undefined : mayCreate ? text.emptyAdministrator : text.emptyMember}
        />
      )}
      {regions && regions.nodes.length > 0 && (
        <Table
          label={text.label}
          columns={text.columns}
          empty={text.empty}
          rows={regions.nodes}
          classes={{ cpu: 'soft', memory: 'soft', teams: 'soft', applications: 'soft' }}
          cells={cellsOf}
        />
      )}
    </HomeList>
  );
}

const cellsOf = ({ name, alias, driver, status, health, usage, teams, applications }: Region) => ({
  name: (
    <>
      <Link className="row-link" href={`/regions/${encodeURIComponent(name)}`}>
        {alias}
      </Link>
      {alias !== name && <div className="soft small">{name}</div>}
    </>
  ),
  driver: driver ? text.drivers[driver] : text.unknownDriver,
  status: <Status name={status} />,
  health: <Status name={health} />,
  cpu: usage ? ofTotal(usage.usedCpuCores, usage.totalCpuCores, text.cores) : text.noUsage,
  memory: usage
    ? ofTotal(usage.usedMemoryMiB / 1024, usage.totalMemoryMiB / 1024, text.gibibytes)
    : text.noUsage,
  teams: teams.totalCount || text.none,
  applications: applications.totalCount || text.none,
});

const rounded = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });

const ofTotal = (used: number, total: number, format: (used: string, total: string) => string) =>
  total > 0 ? format(rounded(used), rounded(total)) : text.noUsage;
