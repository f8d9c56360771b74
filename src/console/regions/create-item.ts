import { itemOf } from '../act/items.tsx';
import { createForm } from './create-form.tsx';
import { text } from './strings.ts';

/** Creates a region, and shows it. */
export const newRegionItem = itemOf('create region', {
  label: text.create,
  title: text.create,
  intro: text.createIntro,
  mutation: 'createRegion',
  form: createForm,
  target: {},
  leadsTo: (payload) =>
    `/regions/${encodeURIComponent((payload as { region: { name: string } }).region.name)}`,
});
