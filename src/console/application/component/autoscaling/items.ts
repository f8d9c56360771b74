import { itemOf } from '../../../act/items.tsx';
import type { FragmentOf, VariablesOf } from '../../../api/graphql.ts';
import { type AutoscalingOf, RemoveAutoscaling, SetAutoscaling } from '../../../documents/autoscaling.ts';
import type { Field, Values } from '../../../form/values.ts';
import { text } from './strings.ts';

type SetInput = VariablesOf<typeof SetAutoscaling>['input'];
type RemoveInput = VariablesOf<typeof RemoveAutoscaling>['input'];

interface Scaled {
  uid: string;
  name: string;
  input: RemoveInput;
  replicas: number;
  autoscaling: FragmentOf<typeof AutoscalingOf>['autoscaling'];
}

const percentOf = (value: Values[string] | undefined) => (value ? Number(value) : null);

/** Sets the autoscaling of a component. */
export const autoscalingItem = ({ uid, name, input, replicas, autoscaling }: Scaled) =>
  itemOf<SetInput>(`autoscaling ${uid}`, {
    label: text.set,
    title: text.setTitle(name),
    intro: text.setIntro,
    document: SetAutoscaling,
    plan: 'step',
    fields: () => [
      { ...number('minReplicas', autoscaling?.minReplicas ?? Math.max(1, replicas)), required: true },
      { ...number('maxReplicas', autoscaling?.maxReplicas ?? 2 * Math.max(1, replicas)), required: true },
      { ...number('cpuPercent', autoscaling ? autoscaling.cpuPercent : 80), max: 100, hint: text.hint },
      { ...number('memoryPercent', autoscaling?.memoryPercent ?? null), max: 100 },
    ],
    input: (values) => ({
      ...input,
      minReplicas: Number(values.minReplicas),
      maxReplicas: Number(values.maxReplicas),
      cpuPercent: percentOf(values.cpuPercent),
      memoryPercent: percentOf(values.memoryPercent),
    }),
  });

/** Removes the autoscaling of a component that has one. */
export const removeAutoscalingItem = ({ uid, name, input, autoscaling }: Scaled) =>
  autoscaling !== null &&
  itemOf<RemoveInput>(`remove-autoscaling ${uid}`, {
    label: text.remove,
    title: text.removeTitle(name),
    intro: text.removeIntro,
    document: RemoveAutoscaling,
    plan: 'step',
    input: () => input,
  });

const number = (name: keyof typeof text.fields, value: number | null): Field => ({
  name,
  label: text.fields[name],
  kind: 'number',
  value: value === null ? '' : String(value),
  min: 1,
});
