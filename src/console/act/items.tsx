import type { MutationName } from '../documents/mutation.ts';
import { strings } from '../strings.ts';
import type { Action } from './action.ts';
import type { Item } from './action-bar.tsx';
import { isDestructive } from './destructive.ts';
import type { ActionDialog as Loaded } from './dialog.tsx';
import { lazyDialog } from './lazy-dialog.tsx';
import { labelOf } from './words.ts';

const text = strings.act;

// With the schemas of all inputs, of which forms are made.
const ActionDialog = lazyDialog(async () => (await import('./dialog.tsx')).ActionDialog) as typeof Loaded;

/** The button of an action, which opens its dialog. */
export const itemOf = <Name extends MutationName>(key: string, action: Action<Name>): Item => ({
  key,
  label: labelOf(action),
  isDestructive: isDestructive(action),
  open: (close) => <ActionDialog action={action} draft={key} close={close} />,
});

/** The actions on a component, and on all components of an application. */
const moves = { deploy: 'mayDeploy', start: 'mayStart', stop: 'mayStop', restart: 'mayRestart' } as const;
type Move = keyof typeof moves;

interface Moved {
  name: string;
  of: 'Application' | 'Component';
  intros?: Partial<Record<Move, string>>;
  may: Record<(typeof moves)[Move], boolean>;
  target: object;
}

/** The buttons for those that the caller may do, each with the plan of what it changes. */
export function moveItems({ name, of, intros, may, target }: Moved) {
  const items: Partial<Record<Move, Item>> = {};
  for (const move of Object.keys(moves) as Move[]) {
    if (!may[moves[move]]) continue;
    items[move] = itemOf(move, {
      label: text[move],
      title: text.titles[move](name),
      intro: intros?.[move],
      isDestructive: move === 'stop',
      mutation: `${move}${of}` as const,
      plan: 'step',
      target: target as never,
    });
  }
  return items;
}

/** Volumes keep their data in the cluster unless they are deleted with it. */
export const deleteVolumesForm = {
  first: ['deleteVolumes' as const],
  labels: { deleteVolumes: text.fields.deleteVolumes },
  hints: text.hints,
};

/** Stopped components are not deployed unless they are asked for. */
export const startStoppedForm = (label: string) => ({
  first: ['startStopped' as const],
  labels: { startStopped: label },
  hints: {},
});

/** The items that there are, in order. */
export const present = (...items: (Item | false | undefined)[]): Item[] =>
  items.filter((item) => item !== undefined && item !== false);
