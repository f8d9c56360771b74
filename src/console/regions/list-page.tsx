import '../styles/regions.css';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { usePages, useView } from '../api/view.ts';
import { RegionsQuery } from '../documents/regions.ts';
import { BlankCard, Table } from '../ui/blocks.tsx';
import { HomeList, useSearch } from '../ui/home-list.tsx';
import { restOf } from '../ui/load-more.tsx';
import { Status } from '../ui/status.tsx';
import { newRegionItem } from './create-dialog.tsx';
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
        <Table label={text.label} columns={Object.values(text.columns)} empty={text.empty}>
          {regions.nodes.map((region) => (
            <Row key={region.id} region={region} />
          ))}
        </Table>
      )}
    </HomeList>
  );
}

function Row({ region }: { region: Region }) {
  const { usage } = region;
  return (
    <tr>
      <td>
        <Link className="row-link" href={`/regions/${encodeURIComponent(region.name)}`}>
          {region.alias}
        </Link>
        {region.alias !== region.name && <div className="soft small">{region.name}</div>}
      </td>
      <td>{region.driver ? text.drivers[region.driver] : text.unknownDriver}</td>
      <td>
        <Status name={region.status} />
      </td>
      <td>
        <Status name={region.health} />
      </td>
      <td className="soft">
        {usage ? ofTotal(usage.usedCpuCores, usage.totalCpuCores, text.cores) : text.noUsage}
      </td>
      <td className="soft">
        {usage
          ? ofTotal(usage.usedMemoryMiB / 1024, usage.totalMemoryMiB / 1024, text.gibibytes)
          : text.noUsage}
      </td>
      <td className="soft">{region.teams.totalCount || text.none}</td>
      <td className="soft">{region.applications.totalCount || text.none}</td>
    </tr>
  );
}

const rounded = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });

const ofTotal = (used: number, total: number, format: (used: string, total: string) => string) =>
  total > 0 ? format(rounded(used), rounded(total)) : text.noUsage;
