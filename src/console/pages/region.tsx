import '../styles/regions.css';
import { Link } from 'wouter';
import { Listing } from '../act/listing.tsx';
import { usePages, useView } from '../api/view.ts';
import { RegionQuery } from '../documents/region.ts';
import { RegionActions } from '../regions/actions.tsx';
import { RegionCheck } from '../regions/check.tsx';
import { Leftovers } from '../regions/leftovers.tsx';
import { text as regionText } from '../regions/strings.ts';
import { strings } from '../strings.ts';
import { Fields, Loading, Missing, Notice, PageHead, Section } from '../ui/blocks.tsx';
import { useCrumbs } from '../ui/crumbs.ts';
import { restOf } from '../ui/load-more.tsx';
import { Meter } from '../ui/meter.tsx';
import { Status } from '../ui/status.tsx';
import { RegionUse } from '../use/region-use.tsx';

const text = strings.region;

export function RegionPage({ name }: { name: string }) {
  const variables = { region: { name } };
  const { data, error, isLoading, retry } = useView(RegionQuery, variables);
  const pages = usePages();
  const region = data?.region;
  useCrumbs(
    { text: strings.home.tabs.regions, href: '/regions' },
    region && { text: region.alias, href: `/regions/${encodeURIComponent(name)}` },
  );
  if (isLoading) return <Loading />;
  if (!region) return <Missing error={error} retry={retry} />;
  const { usage, applications, driver } = region;
  const isCluster = driver === 'KUBERNETES';
  const isAdministrator = data.viewer.isAdministrator;
  const nowhere = driver && regionText.leadsNowhere[driver];
  const more = restOf(applications, (after) => pages.load(RegionQuery, { ...variables, after }));
  return (
    <>
      <PageHead
        title={region.alias}
        status={<Status name={region.status} />}
        meta={[
          region.description && <span key="description">{region.description}</span>,
          region.alias !== region.name && <span key="name">{regionText.named(region.name)}</span>,
        ]}
        actions={<RegionActions name={name} />}
      />
      {nowhere && <Notice tone="idle">{nowhere}</Notice>}
      <Fields
        items={[
          [text.health, <Status key="health" name={region.health} />],
          [text.scope, text.scopes[region.scope]],
          [regionText.columns.driver, driver ? regionText.drivers[driver] : regionText.unknownDriver],
          [text.httpDomain, <code key="http">{region.httpDomain}</code>],
          [text.tcpDomain, <code key="tcp">{region.tcpDomain}</code>],
          isCluster ? [text.url, <code key="url">{region.url}</code>] : [text.url, null],
        ]}
      />
      <Section title={text.usage}>
        {usage ? (
          <div className="card meters">
            <Meter
              label={text.cpu}
              value={usage.usedCpuCores}
              max={usage.totalCpuCores}
              text={text.of(usage.usedCpuCores, usage.totalCpuCores, 'cores')}
            />
            <Meter
              label={text.memory}
              value={usage.usedMemoryMiB}
              max={usage.totalMemoryMiB}
              text={text.of(usage.usedMemoryMiB / 1024, usage.totalMemoryMiB / 1024, 'GiB')}
            />
            {usage.totalDiskGiB > 0 && (
              <Meter
                label={text.disk}
                value={usage.usedDiskGiB}
                max={usage.totalDiskGiB}
                text={text.of(usage.usedDiskGiB, usage.totalDiskGiB, 'GiB')}
              />
            )}
          </div>
        ) : (
          <p className="soft">{text.noUsage}</p>
        )}
      </Section>
      {isCluster && isAdministrator && <RegionCheck name={name} />}
      <RegionUse name={name} />
      <Listing
        texts={{ title: text.applications, columns: text.columns, none: text.noApplications }}
        list={applications}
        classes={{ components: 'soft' }}
        cells={(application) => ({
          name: (
            <Link className="row-link" href={`/applications/${application.uid}`}>
              {application.name}
            </Link>
          ),
          status: <Status name={application.state} />,
          team: (
            <Link href={`/teams/${encodeURIComponent(application.team.name)}`}>{application.team.alias}</Link>
          ),
          components: application.componentCount,
        })}
        more={more}
      />
      {isAdministrator && driver !== 'DECLARED' && <Leftovers name={name} />}
    </>
  );
}
