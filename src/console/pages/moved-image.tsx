import { useQuery } from 'urql';
import { ActionBar } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { type ComponentQuery, MovedImageQuery } from '../documents/component.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';

const text = strings.act;

type Component = Pick<
  NonNullable<ResultOf<typeof ComponentQuery>['component']>,
  'uid' | 'name' | 'image' | 'desiredState' | 'deployedImage' | 'revision'
>;

/** Says that a deploy would run a newer image, because the tag of the one that a component runs has moved. */
export function MovedImage({ component }: { component: Component }) {
  const { uid, name, image, desiredState, deployedImage, revision: expectedRevision } = component;
  // A deploy of another image than the one that runs does not depend on this tag.
  const isAsked =
    desiredState === 'RUNNING' && deployedImage?.digest != null && deployedImage.reference === image;
  const [{ data }] = useQuery({
    query: MovedImageQuery,
    variables: { by: { componentId: uid } },
    pause: !isAsked,
  });
  const found = data?.component;
  if (!isAsked || !found?.deployedImage?.hasMoved) return null;
  const deploy = itemOf('deploy-moved', {
    label: text.deploy,
    title: text.titles.deploy(name),
    mutation: 'deployComponent',
    plan: 'step',
    target: { component: { componentId: uid }, expectedRevision },
  });
  return (
    <Notice tone="warn">
      {strings.component.hasMoved(tagOf(image))} {found.mayDeploy && <ActionBar isSmall items={[deploy]} />}
    </Notice>
  );
}

/** The tag of an image reference, which is `latest` if it has none. */
const tagOf = (image: string): string => /:([^:/]+)$/.exec(image.split('@')[0]!)?.[1] ?? 'latest';
