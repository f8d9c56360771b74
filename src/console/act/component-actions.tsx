import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import {
  AddPort,
  ComponentActionsQuery,
  DeleteComponent,
  DeployComponent,
  RestartComponent,
  ScaleComponent,
  StartComponent,
  StopComponent,
} from '../documents/act-component.ts';
import { strings } from '../strings.ts';
import { ActionBar, type Item } from './action-bar.tsx';
import { type Action, ActionDialog } from './dialog.tsx';
import type { Field } from './fields.tsx';
import { VariablesDialog } from './variables.tsx';

const text = strings.act;

export const protocols = ['HTTP', 'TCP', 'GRPC', 'MYSQL', 'UDP'] as const;

/** What the caller may do with a component. */
export function ComponentActions({ uid, leave }: { uid: string; leave?: string }) {
  const [{ data }] = useQuery({ query: ComponentActionsQuery, variables: { by: { componentId: uid } } });
  const [, navigate] = useLocation();
  const found = data?.component;
  if (!found) return null;
  const component = { componentId: uid };
  const { name, revision: expectedRevision } = found;
  const item = <Input extends object>(key: string, action: Action<Input>): Item => ({
    key,
    label: action.label,
    isDestructive: action.isDestructive,
    open: (close) => <ActionDialog action={action} close={close} />,
  });
  const items: Item[] = [];
  if (found.mayDeploy) {
    items.push(
      item('deploy', {
        label: text.deploy,
        title: text.titles.deploy(name),
        document: DeployComponent,
        hasPlan: true,
        input: () => ({ component, expectedRevision }),
      }),
    );
  }
  if (found.mayStart) {
    items.push(
      item('start', {
        label: text.start,
        title: text.titles.start(name),
        document: StartComponent,
        input: () => ({ component }),
      }),
    );
  }
  if (found.mayScale) {
    items.push(
      item('scale', {
        label: text.scale,
        title: text.titles.scale(name),
        intro: text.intros.scale,
        document: ScaleComponent,
        fields: () => [
          numberField('replicas', text.fields.replicas, found.replicas),
          numberField('cpuMillicores', text.fields.cpu, found.cpuMillicores),
          numberField('memoryMiB', text.fields.memory, found.memoryMiB),
        ],
        input: (values) => ({
          component,
          replicas: Number(values.replicas),
          cpuMillicores: Number(values.cpuMillicores),
          memoryMiB: Number(values.memoryMiB),
          expectedRevision,
        }),
      }),
    );
  }
  if (found.maySetVariables) {
    items.push({
      key: 'variables',
      label: text.variables,
      open: (close) => <VariablesDialog uid={uid} name={name} close={close} />,
    });
  }
  if (found.mayRestart) {
    items.push(
      item('restart', {
        label: text.restart,
        title: text.titles.restart(name),
        document: RestartComponent,
        input: () => ({ component }),
      }),
    );
  }
  if (found.mayStop) {
    items.push(
      item('stop', {
        label: text.stop,
        title: text.titles.stop(name),
        isDestructive: true,
        document: StopComponent,
        hasPlan: true,
        input: () => ({ component }),
      }),
    );
  }
  if (found.mayAddPort) {
    items.push(
      item('add-port', {
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
          component,
          number: Number(values.number),
          protocol: values.protocol as (typeof protocols)[number],
          isInner: values.isInner === true,
        }),
      }),
    );
  }
  if (found.mayDelete) {
    items.push(
      item('delete', {
        label: text.delete,
        title: text.titles.delete(name),
        intro: text.intros.deleteComponent,
        isDestructive: true,
        document: DeleteComponent,
        hasPlan: true,
        input: () => ({ component, force: true, expectedRevision }),
        done: () => leave !== undefined && navigate(leave),
      }),
    );
  }
  return <ActionBar items={items} shown={3} />;
}

const numberField = (name: string, label: string, value: number | ''): Field => ({
  name,
  label,
  kind: 'number',
  value: String(value),
  min: 1,
  required: true,
});
