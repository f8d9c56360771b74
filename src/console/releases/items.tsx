import type { Item } from '../act/action-bar.tsx';
import { dialogOf } from '../act/dialog.tsx';
import { startStoppedForm } from '../act/items.tsx';
import { lazyItem } from '../act/lazy-item.tsx';
import { wordsOf } from '../act/words.ts';
import { type Component, planned, type Release } from './planned.tsx';
import { text } from './strings.ts';

const showChanges = lazyItem(text.changes, async () => (await import('./changes.tsx')).ChangesDialog);
const promote = lazyItem(text.promote, async () => (await import('./promote.tsx')).PromoteDialog);

/** The item for the changes of a release. Undefined if the one before is no longer stored. */
export function changesItem(component: Component, { id, number }: Release): Item | undefined {
  const before = component.releases.nodes.find((each) => each.number === number - 1);
  return before && showChanges(`changes ${id}`, { from: before, to: number });
}

export const rollBackItem = (component: Component, { id, number }: Release): Item => ({
  key: `roll-back ${id}`,
  label: text.rollBack,
  open: (close) =>
    dialogOf(close, {
      ...wordsOf(text, 'rollBack', component.name, number),
      mutation: 'rollbackComponent',
      plan: 'step',
      form: component.desiredState === 'STOPPED' ? startStoppedForm(text.startStopped) : { first: [] },
      target: { component: { id: component.id }, release: number, expectedRevision: component.revision },
      planned,
    }),
});

export const promoteItem = (component: Component, release: Release) =>
  promote(`promote ${release.id}`, { component, release });
