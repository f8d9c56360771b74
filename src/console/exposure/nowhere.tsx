import { text } from './strings.ts';

export interface AddressedRegion {
  servesAddresses: boolean;
  driver: string | null;
}

/** Why the addresses of a region lead nowhere, as in those without a cluster. */
export const whyNowhere = ({ servesAddresses, driver }: AddressedRegion) =>
  servesAddresses ? undefined : driver === 'SIMULATED' ? text.nowhere.SIMULATED : text.nowhere.DECLARED;

/** Says that the addresses beside it lead nowhere. */
export function LeadsNowhere({ region }: { region: AddressedRegion | undefined }) {
  const why = region && whyNowhere(region);
  return why ? <p className="soft small note">{why}</p> : null;
}
