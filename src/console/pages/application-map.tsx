import { useView } from '../api/view.ts';
import { MapQuery } from '../documents/map.ts';
import { MapView } from '../map/map-view.tsx';
import { ApplicationFrame } from './application-head.tsx';

/** An application as a map. */
export function ApplicationMapPage({ appId }: { appId: number }) {
  const view = useView(MapQuery, { by: { appId } });
  return (
    <ApplicationFrame appId={appId} tab="map" view={view}>
      {(application) => <MapView application={application} />}
    </ApplicationFrame>
  );
}
