import { dnsLabelOf } from '../../form/dns-label.ts';
import type { Field, Values } from '../../form/values.ts';
import { text } from './strings.ts';

const { team } = text;

/** The fields of a new team: its short name follows its name until it is typed. */
export const teamFields = (values: Values): Field[] => [
  { name: 'alias', label: team.name, required: true },
  {
    name: 'name',
    label: team.shortName,
    hint: team.shortNameHint,
    required: true,
    value: dnsLabelOf(String(values.alias ?? '')),
  },
];

export const ownerField: Field = {
  name: 'owner',
  label: team.owner,
  hint: team.ownerHint,
  isMore: true,
};

export const teamInput = ({ alias, name, owner }: Values) => ({
  name: String(name).trim(),
  alias: String(alias).trim(),
  ...(owner && { owner: { email: String(owner).trim() } }),
});
