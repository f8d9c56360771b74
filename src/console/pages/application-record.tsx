import { useView } from '../api/view.ts';
import { ApplicationHeadQuery } from '../documents/record.ts';
import { Record } from '../record/record.tsx';
import { useWanted } from '../record/use-wanted.ts';
import { ApplicationFrame } from './application-head.tsx';

/** The changes of an application and of everything in it. */
export function ApplicationRecordPage({ appId }: { appId: number }) {
  const view = useView(ApplicationHeadQuery, { by: { appId } });
  const [wanted, want] = useWanted();
  return (
    <ApplicationFrame appId={appId} tab="record" view={view}>
      {() => <Record of={{ application: { appId } }} wanted={wanted} want={want} />}
    </ApplicationFrame>
  );
}
