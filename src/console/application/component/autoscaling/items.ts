import { itemOf } from '../../../act/items.tsx';
import { wordsOf } from '../../../act/words.ts';
import type { FragmentOf } from '../../../api/graphql.ts';
import type { AutoscalingOf } from '../../../documents/autoscaling.ts';
import type { InputOf } from '../../../documents/mutation.ts';
import { text } from './strings.ts';

type RemoveInput = InputOf<'removeAutoscaling'>;

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
  itemOf(`autoscaling ${uid}`, {
    ...wordsOf(text, 'set', name),
    mutation: 'setAutoscaling',
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
  itemOf(`remove-autoscaling ${uid}`, {
    ...wordsOf(text, 'remove', name),
    mutation: 'removeAutoscaling',
    target: input,
  });
