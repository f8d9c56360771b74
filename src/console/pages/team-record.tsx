import { Record } from '../record/record.tsx';
import { useWanted } from '../record/use-wanted.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { strings } from '../strings.ts';
import { TeamHead } from './team-head.tsx';

/** What was changed in a team. */
export function TeamRecordPage({ name }: { name: string }) {
  const [wanted, want] = useWanted();
  const href = `/teams/${encodeURIComponent(name)}`;
  useCrumbs({ text: name, href }, { text: strings.team.tabs.record, href: `${href}/record` });
  return (
    <Record
      team={{ name }}
      wanted={wanted}
      want={want}
      head={(alias) => <TeamHead name={name} alias={alias} tab="record" />}
    />
  );
}
