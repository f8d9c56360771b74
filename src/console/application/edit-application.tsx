import { dialogOf } from '../act/dialog.tsx';
import type { DialogProps } from '../act/dialog-frame.tsx';
import { useFresh } from '../api/use-fresh.ts';
import { EditApplicationQuery } from '../documents/create.ts';
import { text } from './strings.ts';

const { labels } = text;

/** Changes what an application is called and said to be. */
export function EditApplicationDialog({ appId, draft, close }: DialogProps<{ appId: number }>) {
  const by = { appId };
  const { data } = useFresh(EditApplicationQuery, { by });
  const application = data?.application;
  if (!application) return null;
  return dialogOf(close, {
    draft,
    label: text.edit,
    submit: text.save,
    title: text.editTitle(application.name),
    intro: text.editApplicationIntro,
    mutation: 'updateApplication',
    form: {
      first: ['name', 'note'],
      more: ['rest'],
      labels,
      fields: {
        name: { required: true },
        note: { kind: 'area', hint: undefined },
        principal: { hint: undefined },
        isDefault: { hint: undefined },
      },
      current: application,
    },
    target: { application: by, expectedRevision: application.revision },
  });
}
