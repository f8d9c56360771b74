import { Record } from '../record/record.tsx';
import { useWanted } from '../record/use-wanted.ts';
import { HomeHead } from '../ui/home-head.tsx';

/** What was done in the enterprise, for administrators. */
export function EnterpriseRecordPage() {
  const [wanted, want] = useWanted();
  return (
    <>
      <HomeHead tab="record" />
      <Record of="enterprise" wanted={wanted} want={want} />
    </>
  );
}
