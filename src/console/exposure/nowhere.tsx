import { text } from './strings.ts';

type Texts = Readonly<Record<keyof typeof text.nowhere, string>>;

export interface AddressedRegion {
  servesAddresses: boolean;
  driver: string | null;
}

/** Why the addresses of a region lead nowhere, as in those without a cluster. */
export const whyNowhere = ({ servesAddresses, driver }: AddressedRegion, texts = text.nowhere as Texts) =>
  servesAddresses ? undefined : texts[driver === 'SIMULATED' ? driver : 'DECLARED'];

/** Says that the addresses beside it lead nowhere. */
export function LeadsNowhere({ region }: { region: AddressedRegion | undefined }) {
  const why = region && whyNowhere(region);
  return why ? <p className="soft small note">{why}</p> : null;
}
