import { lazy, Suspense } from 'react';
import { useView } from '../api/view.ts';
import { NewManifestQuery } from '../documents/manifest.ts';
import { strings } from '../strings.ts';
import { BlankCard, Loading, Missing, PageHead, PartialError } from '../ui/blocks.tsx';
import { useCrumbs } from '../ui/crumbs.ts';

const text = strings.manifest;

const NewManifestView = lazy(async () => ({
  default: (await import('../manifest/new-view.tsx')).NewManifestView,
}));

/** A new application of a team, from a manifest. */
export function TeamManifestPage({ name }: { name: string }) {
  const { data, error, isLoading, retry } = useView(NewManifestQuery, { by: { name } });
  const team = data?.team;
  const title = strings.team.newFromManifest;
  const href = `/teams/${encodeURIComponent(name)}`;
  useCrumbs(team && { text: team.alias, href }, { text: title, href: `${href}/manifest` });
  if (isLoading) return <Loading rows={9} />;
  if (!team) return <Missing error={error} retry={retry} />;
  return (
    <>
      <PageHead title={title} />
      <PartialError error={error} />
      {team.regions.nodes.length === 0 ? (
        <BlankCard title={text.noRegions} text={text.noRegionsText} />
      ) : (
        <Suspense fallback={<Loading rows={8} />}>
          <NewManifestView key={name} team={team} />
        </Suspense>
      )}
    </>
  );
}
