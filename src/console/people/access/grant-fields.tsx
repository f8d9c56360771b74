import type { ReactNode } from 'react';
import type { Field, Values } from '../../form/values.ts';
import { text } from '../strings.ts';
import { optionsWithin } from './actions.ts';
import {
  type Grant,
  type GrantScope,
  grantsInRows,
  grantsOfPreset,
  kindsOfPreset,
  type Preset,
  placeIn,
  placeKinds,
  placeValue,
  presets,
  rowOf,
} from './grants.ts';
import { Grants } from './grants-view.tsx';
import { PlacePicker } from './place-picker.tsx';

const { fields: labels, hints } = text.tokens;

/** The initial values of the form. */
export interface Begin {
  preset?: Preset;
  place?: GrantScope;
}

/** The fields in which one chooses what a token may do: a preset with its place, or grants one by one. */
export function grantFields(values: Values, begin: Begin, everything: string): Field[] {
  const detailed: Field = { name: 'isDetailed', label: labels.detailed, kind: 'checkbox' };
  if (values.isDetailed === true) return [detailed, rowsField(values, begin)];
  const preset = chosenPreset(values, begin);
  const kinds = kindsOfPreset[preset];
  return [
    {
      name: 'preset',
      label: labels.preset,
      path: 'grants',
      kind: 'select',
      value: begin.preset ?? 'read',
      options: presets.map((each) => ({
        value: each,
        text: each === 'everything' ? everything : text.tokens.presets[each],
      })),
    },
    ...(kinds.length === 0
      ? []
      : [
          {
            ...placeField(kinds, preset),
            value: placeValue(begin.place && kinds.includes(begin.place.kind) ? begin.place : undefined),
          },
        ]),
    detailed,
  ];
}

const chosenPreset = (values: Values, begin: Begin) => (values.preset ?? begin.preset ?? 'read') as Preset;

const placeField = (kinds: readonly GrantScope['kind'][], preset?: Preset): Field => ({
  name: 'place',
  label:
    preset === 'deploy' ? labels.component : preset === 'application' ? labels.application : labels.place,
  required: preset === 'deploy' || preset === 'application',
  ...(preset !== 'deploy' && preset !== 'application' && { hint: hints.place }),
  control: (props) => <PlacePicker {...props} kinds={kinds} />,
});

function rowsField(values: Values, begin: Begin): Field {
  const grants = grantsOfChoice(values, begin) ?? [{ actions: [] }];
  return {
    name: 'grants',
    label: labels.grants,
    hint: hints.grants,
    kind: 'rows',
    add: labels.addGrant,
    value: grants.map(rowOf),
    fields: [
      placeField(placeKinds),
      { name: 'actions', label: labels.actions, kind: 'choices', options: optionsWithin('enterprise') },
    ],
  };
}

/** The grants of the preset. */
function grantsOfChoice(values: Values, begin: Begin): Grant[] | null | undefined {
  const preset = chosenPreset(values, begin);
  const place = 'place' in values ? placeIn(values.place) : begin.place;
  return grantsOfPreset(preset, place && kindsOfPreset[preset].includes(place.kind) ? place : undefined);
}

/** The chosen grants: null if the token is not limited, undefined while a place is missing. */
export const chosenGrants = (values: Values, begin: Begin): Grant[] | null | undefined =>
  values.isDetailed === true
    ? grantsInRows(values.grants ?? rowsField(values, begin).value)
    : grantsOfChoice(values, begin);

/** The chosen grants, in words. */
export function chosenInWords(
  values: Values,
  begin: Begin,
  { title, unlimited }: { title: string; unlimited: string },
): ReactNode {
  const grants = chosenGrants(values, begin);
  return (
    <div className="grants-summary card" role="status">
      <strong>{title}</strong>
      {grants === undefined ? (
        <p className="soft">{text.tokens.chooseFirst}</p>
      ) : (
        <Grants grants={grants} unlimited={unlimited} />
      )}
    </div>
  );
}
