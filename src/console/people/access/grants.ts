import type { FragmentOf } from '../../api/graphql.ts';
import type { GrantParts } from '../../documents/tokens.ts';
import { chosenOf, type Value, type Values } from '../../form/values.ts';
import { type Action, allActions } from './actions.ts';

/** The place that a grant is limited to. */
export interface GrantScope {
  kind: 'team' | 'application' | 'component';
  /** The global id. */
  id: string;
  name: string;
  /** The team or application that it belongs to. */
  where: string;
}
export const placeKinds = ['team', 'application', 'component'] as const;

export interface Grant {
  actions: readonly Action[];
  /** Everywhere without one. */
  place?: GrantScope | undefined;
}

/** Common sets of grants, the same as the presets of `trellis token`. */
export const presets = ['read', 'deploy', 'application', 'everything'] as const;
export type Preset = (typeof presets)[number];

const deployActions: readonly Action[] = ['UPDATE_COMPONENT', 'DEPLOY_COMPONENT', 'READ_LOGS'];

/** Where each preset can be limited to. */
export const kindsOfPreset: { readonly [preset in Preset]: readonly GrantScope['kind'][] } = {
  read: placeKinds,
  deploy: ['component'],
  application: ['application'],
  everything: [],
};

const actionsOfPreset = { read: ['READ'], deploy: deployActions, application: allActions } as const;

/** The grants of a preset: null if it is not limited, undefined while the place that it needs is not chosen. */
export function grantsOfPreset(preset: Preset, place: GrantScope | undefined): Grant[] | null | undefined {
  if (preset === 'everything') return null;
  if (!place && preset !== 'read') return undefined;
  return [{ actions: actionsOfPreset[preset], place }];
}

/** The preset that a grant is, if it is one. */
export function presetOf({ actions, place }: Grant): Preset | undefined {
  const held = new Set<Action>(actions);
  held.delete('READ');
  if (held.size === 0) return 'read';
  if (place?.kind === 'component' && isSame(held, deployActions)) return 'deploy';
  return undefined;
}

const isSame = (held: ReadonlySet<Action>, others: readonly Action[]) =>
  held.size === others.length && others.every((each) => held.has(each));

/** A grant of the API. It names all that is above the place. */
export function grantOf({ actions, team, application, component }: FragmentOf<typeof GrantParts>): Grant {
  if (component) {
    const { id, name } = component;
    return { actions, place: { kind: 'component', id, name, where: component.application.name } };
  }
  if (application) {
    const { id, name } = application;
    return { actions, place: { kind: 'application', id, name, where: application.team.alias } };
  }
  return { actions, ...(team && { place: { kind: 'team', id: team.id, name: team.alias, where: '' } }) };
}

/** The input for chosen grants. Nothing if they are not limited. */
export const grantsInput = (grants: readonly Grant[] | null | undefined) =>
  grants
    ? {
        grants: grants.map(({ actions, place }) => ({
          actions: [...actions],
          ...(place && { [place.kind]: { id: place.id } }),
        })),
      }
    : {};

export const placeValue = (place: GrantScope | undefined) => (place ? JSON.stringify(place) : '');

export function placeIn(value: Value | undefined): GrantScope | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return JSON.parse(value) as GrantScope;
}

export const rowOf = ({ actions, place }: Grant): Values => ({
  place: placeValue(place),
  actions: actions.map((value) => ({ value })),
});

/** The grants in the rows of a form. Seeing the place needs no box. */
export const grantsInRows = (value: Value | undefined): Grant[] =>
  (Array.isArray(value) ? (value as readonly Values[]) : []).map((row) => {
    const actions = chosenOf(row.actions) as Action[];
    return { actions: actions.includes('READ') ? actions : ['READ', ...actions], place: placeIn(row.place) };
  });
