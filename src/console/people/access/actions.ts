import { groups } from 'virtual:actions';
import type { InputOf } from '../../documents/mutation.ts';

export type Action = InputOf<'createRole'>['actions'][number];

/** READ is part of every grant and role. */
export const allActions: readonly Action[] = [
  'READ',
  ...groups.flatMap(({ actions }) => actions.map(([action]) => action)),
];

const sizes = ['component', 'application', 'team', 'enterprise'] as const;
export type Size = (typeof sizes)[number];

const groupsWithin = (size: Size) =>
  groups.filter(({ place }) => sizes.indexOf(place) <= sizes.indexOf(size));

/** The actions that mean something in a place of this size, as boxes to check. */
export const optionsWithin = (size: Size) =>
  groupsWithin(size).flatMap(({ title, actions }) =>
    actions.map(([value, text]) => ({ value, text, group: title })),
  );

/** Actions in words, by group: `Components`, `deploy, read logs`. Of a whole group, `everything`. */
export function inWords(actions: readonly Action[], all: string): [title: string, verbs: string][] {
  const held = new Set<Action>(actions);
  return groups.flatMap(({ title, actions: members }): [string, string][] => {
    const verbs = members.filter(([action]) => held.has(action)).map(([, words]) => words);
    if (verbs.length === 0) return [];
    return [[title, verbs.length === members.length ? all : verbs.join(', ')]];
  });
}

/** Whether the actions are all that mean something in a place of this size. */
export function isEverything(actions: readonly Action[], size: Size): boolean {
  const held = new Set<Action>(actions);
  return groupsWithin(size).every((group) => group.actions.every(([action]) => held.has(action)));
}
