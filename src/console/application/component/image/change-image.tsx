import { dialogOf } from '../../../act/dialog.tsx';
import type { DialogProps } from '../../../act/dialog-frame.tsx';
import { wordsOf } from '../../../act/words.ts';
import { useFresh } from '../../../api/use-fresh.ts';
import { EditComponentQuery } from '../../../documents/create.ts';
import { text } from '../../strings.ts';
import { ImageNote } from './image-note.tsx';
import { useImageCheck } from './use-image-check.ts';

/** Changes the image of a component, and deploys it. */
export function ChangeImageDialog({ uid, draft, close }: DialogProps<{ uid: string }>) {
  const by = { componentId: uid };
  const { data } = useFresh(EditComponentQuery, { by });
  const component = data?.component;
  if (!component) return null;
  return dialogOf(close, {
    draft,
    ...wordsOf(text, 'changeImage', component.name),
    mutation: 'updateComponent',
    plan: 'live',
    form: {
      first: ['image', 'deploy'],
      labels: text.labels,
      hints: { image: text.hints.image, deploy: text.hints.deployLater },
      fields: { image: { required: true } },
      initial: { image: component.image, deploy: true },
    },
    target: { component: by, expectedRevision: component.revision },
    summary: (values) => <CheckedImage team={component.team} image={String(values.image)} />,
  });
}

function CheckedImage({ team, image }: { team: { id: string; name: string }; image: string }) {
  return <ImageNote team={team} image={image} check={useImageCheck(team, image)} />;
}
