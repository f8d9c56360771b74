import { useAllPages, useView } from '../api/view.ts';
import { MapQuery } from '../documents/map.ts';
import { ApplicationFrame } from './application-head.tsx';
import { MapView } from './map-view.tsx';

/** An application as a map, which has all pages of its components. */
export function ApplicationMapPage({ appId }: { appId: number }) {
  const by = { appId };
  const view = useView(MapQuery, { by });
  useAllPages(view.data?.application?.components, MapQuery, (after) => ({ by, after }));
  return (
    <ApplicationFrame appId={appId} tab="map" view={view}>
      {(application) => <MapView application={application} />}
    </ApplicationFrame>
  );
}
