import { text } from './strings.ts';

/** Says that the addresses beside it lead nowhere, as in regions without a cluster. */
export function LeadsNowhere({ driver }: { driver: string | null | undefined }) {
  if (driver !== 'DECLARED' && driver !== 'SIMULATED') return null;
  return <p className="soft small note">{text.nowhere[driver]}</p>;
}
