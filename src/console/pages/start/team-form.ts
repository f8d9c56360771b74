import { dnsLabelOf } from '../../form/dns-label.ts';
import type { Values } from '../../form/values.ts';
import { text } from './strings.ts';

const { team } = text;

/** The form for a new team: its short name follows its name until it is typed. */
export const teamForm = (values: Values) => ({
  first: ['alias', 'name'] as const,
  labels: { alias: team.name, name: team.shortName },
  hints: { name: team.shortNameHint },
  fields: { alias: { required: true }, name: { value: dnsLabelOf(String(values.alias ?? '')) } },
});

/** The form for a new team with its owner, who is the caller by default. */
export const teamFormWithOwner = (values: Values) => {
  const form = teamForm(values);
  return {
    ...form,
    more: ['owner'],
    fields: { ...form.fields, owner: { label: team.owner, hint: team.ownerHint, ref: 'email' } },
  };
};
