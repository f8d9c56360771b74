import { lazy, type ReactNode, Suspense } from 'react';
import { Link } from 'wouter';
import type { ResultOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { NewManifestQuery } from '../documents/manifest.ts';
import { strings } from '../strings.ts';
import { BlankCard, Loading, Missing, PageHead, PartialError } from '../ui/blocks.tsx';
import { useCrumbs } from '../ui/crumbs.ts';

const text = strings.manifest;

const NewManifestView = lazy(async () => ({
  default: (await import('../manifest/new-view.tsx')).NewManifestView,
}));
const ImportView = lazy(async () => ({
  default: (await import('../manifest/import/import-view.tsx')).ImportView,
}));

type Team = NonNullable<ResultOf<typeof NewManifestQuery>['team']>;

interface NewPageProps {
  name: string;
  title: string;
  path: string;
  actions?: ReactNode;
  children(team: Team): ReactNode;
}

/** A page that makes a new application of a team. */
function NewPage({ name, title, path, actions, children }: NewPageProps) {
  const { data, error, isLoading, retry } = useView(NewManifestQuery, { by: { name } });
  const team = data?.team;
  const href = `/teams/${encodeURIComponent(name)}`;
  useCrumbs(team && { text: team.alias, href }, { text: title, href: `${href}/${path}` });
  if (isLoading) return <Loading rows={9} />;
  if (!team) return <Missing error={error} retry={retry} />;
  return (
    <>
      <PageHead title={title} actions={actions} />
      <PartialError error={error} />
      {team.regions.nodes.length === 0 ? (
        <BlankCard title={text.noRegions} text={text.noRegionsText} />
      ) : (
        <Suspense fallback={<Loading rows={8} />}>{children(team)}</Suspense>
      )}
    </>
  );
}

/** A new application from a manifest. */
export const TeamManifestPage = ({ name }: { name: string }) => (
  <NewPage
    name={name}
    title={strings.team.newFromManifest}
    path="manifest"
    actions={
      <Link className="button" href={`/teams/${encodeURIComponent(name)}/import`}>
        {strings.team.fromFilesLong}
      </Link>
    }
  >
    {(team) => <NewManifestView key={name} team={team} />}
  </NewPage>
);

/** A manifest of a new application from a Compose file or manifests of Kubernetes. */
export const TeamImportPage = ({ name }: { name: string }) => (
  <NewPage name={name} title={strings.team.newFromFiles} path="import">
    {() => <ImportView key={name} team={name} />}
  </NewPage>
);
