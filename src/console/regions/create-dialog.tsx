import { useLocation } from 'wouter';
import type { Item } from '../act/action-bar.tsx';
import { dialogOf } from '../act/dialog.tsx';
import { createForm } from './create-form.tsx';
import { text } from './strings.ts';

const key = 'create region';

/** The button for a new region. */
export const newRegionItem: Item = {
  key,
  label: text.create,
  open: (close) => <CreateRegionDialog close={close} />,
};

/** Creates a region, and shows it. */
function CreateRegionDialog({ close }: { close(): void }) {
  const [, navigate] = useLocation();
  return dialogOf(close, {
    draft: key,
    label: text.create,
    title: text.create,
    intro: text.createIntro,
    mutation: 'createRegion',
    fields: (values) => createForm(values).fields,
    input: (values) => createForm(values).input(values) as never,
    done(payload) {
      close();
      navigate(`/regions/${encodeURIComponent((payload as { region: { name: string } }).region.name)}`);
    },
  });
}
