import { useView } from '../api/view.ts';
import { ApplicationHeadQuery } from '../documents/record.ts';
import { Record } from '../record/record.tsx';
import { useWanted } from '../record/use-wanted.ts';
import { ApplicationFrame } from './application-head.tsx';

/** The changes of an application itself. The record of the team has the changes of its parts. */
export function ApplicationRecordPage({ appId }: { appId: number }) {
  const view = useView(ApplicationHeadQuery, { by: { appId } });
  const [wanted, want] = useWanted();
  return (
    <ApplicationFrame appId={appId} tab="record" view={view}>
      {({ team }) => (
        <Record
          team={{ name: team.name }}
          object={{ type: 'Application', uid: String(appId) }}
          wanted={wanted}
          want={want}
        />
      )}
    </ApplicationFrame>
  );
}
