import { itemOf } from '../../../act/items.tsx';
import { wordsOf } from '../../../act/words.ts';
import type { FragmentOf } from '../../../api/graphql.ts';
import type { InputOf } from '../../../documents/mutation.ts';
import type { PlacementOf } from '../../../documents/placement.ts';
import type { Field, Option, Values } from '../../../form/values.ts';
import { text } from './strings.ts';

type Input = InputOf<'setPlacement'>;
type Toleration = NonNullable<Input['tolerations']>[number];

interface Placed {
  uid: string;
  name: string;
  input: Pick<Input, 'component' | 'expectedRevision'>;
  placement: FragmentOf<typeof PlacementOf>['placement'];
}

const optionsOf = (texts: Record<string, string>): Option[] =>
  Object.entries(texts).map(([value, shown]) => ({ value, text: shown }));
const rowsOf = (value: Values[string] | undefined) =>
  Array.isArray(value) ? (value as readonly Values[]) : [];
const textIn = (value: Values[string] | undefined) => String(value ?? '').trim();

/** Sets the placement of a component. */
export const placementItem = ({ uid, name, input, placement }: Placed) =>
  itemOf(`placement ${uid}`, {
    ...wordsOf(text, 'set', name),
    mutation: 'setPlacement',
    plan: 'step',
    fields: () => fieldsOf(placement),
    input: (values) => ({
      ...input,
      nodeLabels: rowsOf(values.nodeLabels).map(({ key, value }) => ({
        key: textIn(key),
        value: textIn(value),
      })),
      tolerations: rowsOf(values.tolerations).map(tolerationOf),
      spread: (textIn(values.spread) || null) as Input['spread'],
      minAvailable: values.minAvailable === '' ? null : Number(values.minAvailable),
    }),
  });

const tolerationOf = ({ key, operator, value, effect }: Values): Toleration => ({
  key: textIn(key) || null,
  operator: operator as Toleration['operator'],
  value: textIn(value) || null,
  effect: (textIn(effect) || null) as Toleration['effect'],
});

function fieldsOf({ nodeLabels, tolerations, spread, minAvailable }: Placed['placement']): Field[] {
  const { fields, hints } = text;
  const key = { name: 'key', label: fields.key };
  const value = { name: 'value', label: fields.value };
  return [
    {
      name: 'nodeLabels',
      label: fields.nodeLabels,
      hint: hints.nodeLabels,
      kind: 'rows',
      add: fields.addNodeLabel,
      value: nodeLabels.map((each) => ({ key: each.key, value: each.value })),
      fields: [{ ...key, required: true }, value],
    },
    {
      name: 'tolerations',
      label: fields.tolerations,
      hint: hints.tolerations,
      kind: 'rows',
      add: fields.addToleration,
      value: tolerations.map((each) => ({
        key: each.key ?? '',
        operator: each.operator,
        value: each.value ?? '',
        effect: each.effect ?? '',
      })),
      fields: [
        key,
        {
          name: 'operator',
          label: fields.operator,
          kind: 'select',
          value: 'EQUAL',
          options: optionsOf(text.operators),
        },
        value,
        {
          name: 'effect',
          label: fields.effect,
          kind: 'select',
          value: 'NO_SCHEDULE',
          options: optionsOf(text.effects),
        },
      ],
    },
    {
      name: 'spread',
      label: fields.spread,
      kind: 'select',
      value: spread ?? '',
      options: optionsOf(text.spreads),
    },
    {
      name: 'minAvailable',
      label: fields.minAvailable,
      hint: hints.minAvailable,
      kind: 'number',
      value: String(minAvailable),
      min: 0,
    },
  ];
}
