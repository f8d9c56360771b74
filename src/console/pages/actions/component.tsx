import { useQuery } from 'urql';
import { ActionBar } from '../../act/action-bar.tsx';
import { deleteVolumesForm, itemOf, moveItems, present } from '../../act/items.tsx';
import { lazyItem } from '../../act/lazy-item.tsx';
import { text as texts } from '../../application/strings.ts';
import { ComponentActionsQuery } from '../../documents/act-component.ts';
import { pipelineTokenItem } from '../../people/tokens/pipeline-item.tsx';
import { strings } from '../../strings.ts';

const text = strings.act;

const changeImageItem = lazyItem(
  texts.newImage,
  async () => (await import('../../application/component/image/change-image.tsx')).ChangeImageDialog,
);
const variablesItem = lazyItem(
  strings.component.editVariables,
  async () => (await import('../../application/component/variables/dialog.tsx')).VariablesDialog,
);
const amount = { min: 1, required: true };

// The head of a page and its parts ask for the same, so that nothing is asked twice.
const useActions = (uid: string) =>
  useQuery({ query: ComponentActionsQuery, variables: { by: { componentId: uid } } })[0].data?.component;

/** The button beside the image of a component. */
export const ChangeImage = ({ uid }: { uid: string }) =>
  useActions(uid)?.mayUpdate && <ActionBar isSmall items={[changeImageItem(`image ${uid}`, { uid })]} />;

/** The button beside the variables of a component. */
export function EditVariables({ uid }: { uid: string }) {
  const component = useActions(uid);
  if (!component?.maySetVariables) return null;
  return <ActionBar isSmall items={[variablesItem(`variables ${uid}`, { uid, name: component.name })]} />;
}

export function ComponentActions({ uid, leave }: { uid: string; leave?: string }) {
  const component = useActions(uid);
  if (!component) return null;
  const { name, revision: expectedRevision } = component;
  const input = { component: { componentId: uid }, expectedRevision };
  const moves = moveItems({ name, of: 'Component', may: component, target: input });
  const first = present(
    moves.deploy,
    moves.start,
    component.mayScale &&
      itemOf(`scale ${uid}`, {
        label: text.scale,
        title: text.titles.scale(name),
        intro: text.intros.scale,
        mutation: 'scaleComponent',
        form: {
          first: [...(component.autoscaling ? [] : (['replicas'] as const)), 'cpuMillicores', 'memoryMiB'],
          hints: {},
          fields: { replicas: amount, cpuMillicores: amount, memoryMiB: amount },
          initial: component,
        },
        target: input,
      }),
    moves.restart,
    component.mayDeploy &&
      pipelineTokenItem(component.application.team.id, {
        preset: 'deploy',
        place: { kind: 'component', id: component.id, name, where: component.application.name },
      }),
  );
  // What interrupts or deletes the component.
  const rest = present(
    moves.stop,
    component.mayDelete &&
      itemOf(`delete ${uid}`, {
        label: text.delete,
        title: text.titles.delete(name),
        intro: text.intros.deleteComponent,
        mutation: 'deleteComponent',
        form: deleteVolumesForm,
        target: { ...input, force: true },
        leadsTo: () => leave,
      }),
  );
  return <ActionBar items={[...first, ...rest]} shown={first.length} />;
}
