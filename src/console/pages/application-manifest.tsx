import { lazy, Suspense } from 'react';
import { useView } from '../api/view.ts';
import { ApplicationManifestQuery } from '../documents/manifest.ts';
import { Loading } from '../ui/blocks.tsx';
import { ApplicationFrame } from './application-head.tsx';

const ManifestView = lazy(async () => ({
  default: (await import('../manifest/manifest-view.tsx')).ManifestView,
}));

/** An application as a file. The editor is large, and loaded when the page is first shown. */
export function ApplicationManifestPage({ appId }: { appId: number }) {
  const view = useView(ApplicationManifestQuery, { by: { appId } });
  return (
    <ApplicationFrame appId={appId} tab="manifest" view={view}>
      {(application) => (
        <Suspense fallback={<Loading rows={8} />}>
          <ManifestView key={appId} application={application} />
        </Suspense>
      )}
    </ApplicationFrame>
  );
}
