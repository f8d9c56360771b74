import { Record } from '../record/record.tsx';
import { useWanted } from '../record/use-wanted.ts';
import { TeamHead } from '../ui/team-head.tsx';

export function TeamRecordPage({ name }: { name: string }) {
  const [wanted, want] = useWanted();
  return (
    <Record
      of={{ team: { name } }}
      wanted={wanted}
      want={want}
      head={(alias) => <TeamHead name={name} alias={alias} tab="record" />}
    />
  );
}
