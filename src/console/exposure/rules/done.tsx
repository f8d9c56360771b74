import { Address } from '../../ui/address.tsx';
import { Notice } from '../../ui/blocks.tsx';
import { type AddressedRegion, LeadsNowhere } from '../nowhere.tsx';
import { text } from './strings.ts';

interface Payload {
  rule: { accessUrl: string; isPublished: boolean; region: AddressedRegion };
}

/** The address of a rule that was added or changed. */
export function RuleDone({ payload }: { payload: unknown }) {
  const { accessUrl, isPublished, region } = (payload as Payload).rule;
  if (!isPublished) return <Notice tone="idle">{text.unpublished}</Notice>;
  return (
    <Notice tone="good">
      {text.saved} <Address address={accessUrl} />
      <LeadsNowhere region={region} />
    </Notice>
  );
}
