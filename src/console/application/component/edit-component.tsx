import { dialogOf } from '../../act/dialog.tsx';
import type { DialogProps } from '../../act/dialog-frame.tsx';
import { useFresh } from '../../api/use-fresh.ts';
import { EditComponentQuery } from '../../documents/create.ts';
import { text } from '../strings.ts';
import { componentFields } from './component-fields.ts';

const { labels } = text;

/** Changes everything of a component that has no dialog of its own. */
export function EditComponentDialog({ uid, draft, close }: DialogProps<{ uid: string }>) {
  const by = { componentId: uid };
  const { data } = useFresh(EditComponentQuery, { by });
  const component = data?.component;
  if (!component) return null;
  return dialogOf(close, {
    draft,
    label: text.edit,
    submit: text.save,
    title: text.editTitle(component.name),
    intro: text.editComponentIntro,
    mutation: 'updateComponent',
    plan: 'live',
    form: {
      first: ['name', 'description', 'command', 'replicas', 'cpuMillicores', 'memoryMiB', 'deploy'],
      more: ['rest'],
      omit: ['image'],
      fields: {
        ...componentFields,
        deploy: { label: labels.deploy, value: false, hint: text.hints.deployLater },
      },
      current: component,
    },
    target: { component: by, expectedRevision: component.revision },
  });
}
