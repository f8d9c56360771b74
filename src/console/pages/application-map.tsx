import { useEffect } from 'react';
import { usePages, useView } from '../api/view.ts';
import { MapQuery } from '../documents/map.ts';
import { ApplicationFrame } from './application-head.tsx';
import { MapView } from './map-view.tsx';

/** An application as a map. */
export function ApplicationMapPage({ appId }: { appId: number }) {
  const by = { appId };
  const view = useView(MapQuery, { by });
  const pages = usePages();
  const { hasNextPage, endCursor } = view.data?.application?.components.pageInfo ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: one page after the other, until the map is complete
  useEffect(() => {
    if (hasNextPage && endCursor) pages.load(MapQuery, { by, after: endCursor });
  }, [hasNextPage, endCursor]);
  return (
    <ApplicationFrame appId={appId} tab="map" view={view}>
      {(application) => <MapView application={application} />}
    </ApplicationFrame>
  );
}
