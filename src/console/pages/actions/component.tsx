import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { ActionBar } from '../../act/action-bar.tsx';
import { deleteVolumesField, itemOf, moveItems, present } from '../../act/items.tsx';
import { lazyDialog } from '../../act/lazy-dialog.tsx';
import { autoscalingItem, removeAutoscalingItem } from '../../application/component/autoscaling/items.ts';
import { placementItem } from '../../application/component/placement/item.ts';
import { probeItem } from '../../application/component/probe-item.ts';
import { text as texts } from '../../application/strings.ts';
import {
  AddPort,
  ComponentActionsQuery,
  DeleteComponent,
  DeployComponent,
  RestartComponent,
  ScaleComponent,
  StartComponent,
  StopComponent,
} from '../../documents/act-component.ts';
import type { Field } from '../../form/values.ts';
import { pipelineTokenItem } from '../../people/tokens/pipeline-item.tsx';
import { strings } from '../../strings.ts';

const text = strings.act;

const ChangeImageDialog = lazyDialog(
  async () => (await import('../../application/component/image/change-image.tsx')).ChangeImageDialog,
);
const EditComponentDialog = lazyDialog(
  async () => (await import('../../application/component/edit-component.tsx')).EditComponentDialog,
);
const VariablesDialog = lazyDialog(
  async () => (await import('../../application/component/variables/dialog.tsx')).VariablesDialog,
);

export const protocols = ['HTTP', 'TCP', 'GRPC', 'MYSQL', 'UDP'] as const;

const documents = {
  deploy: DeployComponent,
  start: StartComponent,
  stop: StopComponent,
  restart: RestartComponent,
};

/** The actions of the caller on a component. */
export function ComponentActions({ uid, leave }: { uid: string; leave?: string }) {
  const [{ data }] = useQuery({ query: ComponentActionsQuery, variables: { by: { componentId: uid } } });
  const [, navigate] = useLocation();
  const found = data?.component;
  if (!found) return null;
  const { name, revision: expectedRevision } = found;
  const input = { component: { componentId: uid }, expectedRevision };
  const moves = moveItems({ name, documents, may: found, input });
  const items = present(
    found.mayUpdate && {
      key: `change-image ${uid}`,
      label: texts.changeImage,
      open: (close) => <ChangeImageDialog uid={uid} draft={`change-image ${uid}`} close={close} />,
    },
    moves.deploy,
    moves.start,
    found.mayScale &&
      itemOf(`scale ${uid}`, {
        label: text.scale,
        title: text.titles.scale(name),
        intro: text.intros.scale,
        document: ScaleComponent,
        fields: () => [
          ...(found.autoscaling ? [] : [numberField('replicas', text.fields.replicas, found.replicas)]),
          numberField('cpuMillicores', text.fields.cpu, found.cpuMillicores),
          numberField('memoryMiB', text.fields.memory, found.memoryMiB),
        ],
        input: (values) => ({
          ...input,
          ...(!found.autoscaling && { replicas: Number(values.replicas) }),
          cpuMillicores: Number(values.cpuMillicores),
          memoryMiB: Number(values.memoryMiB),
        }),
      }),
    found.maySetVariables && {
      key: `variables ${uid}`,
      label: text.variables,
      open: (close) => <VariablesDialog uid={uid} name={name} draft={`variables ${uid}`} close={close} />,
    },
    found.maySetProbes &&
      probeItem({ name, input, probes: found.probes, port: found.ports.nodes[0]?.number }),
    found.maySetAutoscaling && autoscalingItem({ ...found, input }),
    found.mayRemoveAutoscaling && removeAutoscalingItem({ ...found, input }),
    found.maySetPlacement && placementItem({ ...found, input }),
    moves.restart,
    moves.stop,
    found.mayAddPort &&
      itemOf(`add-port ${uid}`, {
        label: text.addPort,
        title: text.titles.addPort(name),
        document: AddPort,
        fields: () => [
          { ...numberField('number', text.fields.number, ''), max: 65_535 },
          {
            name: 'protocol',
            label: text.fields.protocol,
            kind: 'select',
            value: 'HTTP',
            options: protocols.map((value) => ({ value, text: value.toLowerCase() })),
          },
          { name: 'isInner', label: text.fields.isInner, kind: 'checkbox', value: true },
        ],
        input: (values) => ({
          component: input.component,
          number: Number(values.number),
          protocol: values.protocol as (typeof protocols)[number],
          isInner: values.isInner === true,
        }),
      }),
    found.mayDeploy &&
      pipelineTokenItem(found.application.team.id, {
        preset: 'deploy',
        place: { kind: 'component', id: found.id, name, where: found.application.name },
      }),
    found.mayUpdate && {
      key: `edit ${uid}`,
      label: texts.edit,
      open: (close) => <EditComponentDialog uid={uid} draft={`edit ${uid}`} close={close} />,
    },
    found.mayDelete &&
      itemOf(`delete ${uid}`, {
        label: text.delete,
        title: text.titles.delete(name),
        intro: text.intros.deleteComponent,
        isDestructive: true,
        document: DeleteComponent,
        plan: 'live',
        fields: () => [deleteVolumesField],
        input: (values) => ({ ...input, force: true, deleteVolumes: values.deleteVolumes === true }),
        done: () => leave !== undefined && navigate(leave),
      }),
  );
  return <ActionBar items={items} shown={4} />;
}

const numberField = (name: string, label: string, value: number | ''): Field => ({
  name,
  label,
  kind: 'number',
  value: String(value),
  min: 1,
  required: true,
});
