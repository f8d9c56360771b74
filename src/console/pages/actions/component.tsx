import { useQuery } from 'urql';
import { ActionBar } from '../../act/action-bar.tsx';
import { deleteVolumesForm, itemOf, moveItems, present } from '../../act/items.tsx';
import { lazyItem } from '../../act/lazy-item.tsx';
import { autoscalingItem, removeAutoscalingItem } from '../../application/component/autoscaling/items.ts';
import { placementItem } from '../../application/component/placement/item.ts';
import { probeItem } from '../../application/component/probe-item.ts';
import { text as texts } from '../../application/strings.ts';
import { ComponentActionsQuery } from '../../documents/act-component.ts';
import { pipelineTokenItem } from '../../people/tokens/pipeline-item.tsx';
import { strings } from '../../strings.ts';
import { protocolText } from '../../ui/protocol.ts';

const text = strings.act;

const changeImageItem = lazyItem(
  texts.changeImage,
  async () => (await import('../../application/component/image/change-image.tsx')).ChangeImageDialog,
);
const editItem = lazyItem(
  texts.edit,
  async () => (await import('../../application/component/edit-component.tsx')).EditComponentDialog,
);
const variablesItem = lazyItem(
  text.variables,
  async () => (await import('../../application/component/variables/dialog.tsx')).VariablesDialog,
);

export const protocolOptions = ['HTTP', 'TCP', 'GRPC', 'MYSQL', 'UDP', 'TCP_UDP'].map((value) => ({
  value,
  text: protocolText(value),
}));

const amount = { min: 1, required: true };

export function ComponentActions({ uid, leave }: { uid: string; leave?: string }) {
  const [{ data }] = useQuery({ query: ComponentActionsQuery, variables: { by: { componentId: uid } } });
  const component = data?.component;
  if (!component) return null;
  const { name, revision: expectedRevision } = component;
  const input = { component: { componentId: uid }, expectedRevision };
  const moves = moveItems({ name, of: 'Component', may: component, target: input });
  const items = present(
    component.mayUpdate && changeImageItem(`change-image ${uid}`, { uid }),
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
    component.maySetVariables && variablesItem(`variables ${uid}`, { uid, name }),
    component.maySetProbes &&
      probeItem({ name, input, probes: component.probes, port: component.ports.nodes[0]?.number }),
    component.maySetAutoscaling && autoscalingItem({ ...component, input }),
    component.mayRemoveAutoscaling && removeAutoscalingItem({ ...component, input }),
    component.maySetPlacement && placementItem({ ...component, input }),
    moves.restart,
    moves.stop,
    component.mayAddPort &&
      itemOf(`add-port ${uid}`, {
        label: text.addPort,
        title: text.titles.addPort(name),
        mutation: 'addPort',
        form: {
          first: ['number', 'protocol', 'isInner'],
          labels: { number: text.fields.number, isInner: text.fields.isInner },
          hints: {},
          fields: { number: { ...amount, max: 65_535 }, protocol: { options: protocolOptions } },
          initial: { protocol: 'HTTP', isInner: true },
        },
        target: { component: input.component },
      }),
    component.mayDeploy &&
      pipelineTokenItem(component.application.team.id, {
        preset: 'deploy',
        place: { kind: 'component', id: component.id, name, where: component.application.name },
      }),
    component.mayUpdate && editItem(`edit ${uid}`, { uid }),
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
  return <ActionBar items={items} shown={4} />;
}
