import { itemOf } from '../../../act/items.tsx';
import { wordsOf } from '../../../act/words.ts';
import type { FragmentOf } from '../../../api/graphql.ts';
import type { InputOf } from '../../../documents/mutation.ts';
import type { PlacementOf } from '../../../documents/placement.ts';
import { optionsOf } from '../../../ui/controls.tsx';
import { text } from './strings.ts';

interface Placed {
  uid: string;
  name: string;
  input: Pick<InputOf<'setPlacement'>, 'component' | 'expectedRevision'>;
  placement: FragmentOf<typeof PlacementOf>['placement'];
}

const { fields: labels, hints } = text;

/** Sets the placement of a component: what is left empty gets its default. */
export const placementItem = ({ uid, name, input, placement }: Placed) =>
  itemOf(`placement ${uid}`, {
    ...wordsOf(text, 'set', name),
    mutation: 'setPlacement',
    plan: 'step',
    form: {
      first: ['nodeLabels', 'tolerations', 'spread', 'minAvailable'],
      labels,
      hints,
      fields: {
        nodeLabels: { add: labels.addNodeLabel },
        'nodeLabels.value': { required: false, sendsEmpty: true },
        tolerations: { add: labels.addToleration },
        'tolerations.operator': { options: optionsOf(text.operators) },
        'tolerations.effect': { options: optionsOf(text.effects), value: 'NO_SCHEDULE' },
        'tolerations.value': { placeholder: undefined },
        spread: { options: optionsOf(text.spreads), value: placement.spread ?? '' },
        minAvailable: { min: 0 },
      },
      initial: placement,
    },
    target: input,
  });
