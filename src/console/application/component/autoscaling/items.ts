import { itemOf } from '../../../act/items.tsx';
import type { FragmentOf, VariablesOf } from '../../../api/graphql.ts';
import { type AutoscalingOf, RemoveAutoscaling, SetAutoscaling } from '../../../documents/autoscaling.ts';
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

const amount = { min: 1 };
const percent = { min: 1, max: 100 };

/** Sets the autoscaling of a component. */
export const autoscalingItem = ({ uid, name, input, replicas, autoscaling }: Scaled) =>
  itemOf<SetInput>(`autoscaling ${uid}`, {
    label: text.set,
    title: text.setTitle(name),
    intro: text.setIntro,
    document: SetAutoscaling,
    plan: 'step',
    form: {
      first: ['minReplicas', 'maxReplicas', 'cpuPercent', 'memoryPercent'],
      labels: text.fields,
      hints: { cpuPercent: text.hint },
      fields: { minReplicas: amount, maxReplicas: amount, cpuPercent: percent, memoryPercent: percent },
      initial: autoscaling ?? {
        minReplicas: Math.max(1, replicas),
        maxReplicas: 2 * Math.max(1, replicas),
        cpuPercent: 80,
      },
    },
    target: input,
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
