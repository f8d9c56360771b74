import type { Item } from '../act/action-bar.tsx';
import { itemOf, present } from '../act/items.tsx';
import { wordsOf } from '../act/words.ts';
import type { ResultOf } from '../api/graphql.ts';
import type { ApplicationPreviewsQuery } from '../documents/previews.ts';
import { text } from './strings.ts';

const { labels, hints } = text;
type Application = NonNullable<ResultOf<typeof ApplicationPreviewsQuery>['application']>;
export type Preview = Application['previews']['nodes'][number];

/** What opens a preview of an application, and changes their settings. */
export function addItems(appId: number, { name, previewSettings, mayOpen, mayUpdate }: Application): Item[] {
  const settings = mayUpdate && settingsItem(appId, name, previewSettings);
  if (!previewSettings) return present(settings);
  return present(
    mayOpen &&
      itemOf('open-preview', {
        ...wordsOf(text, 'open', name),
        mutation: 'openPreview',
        form: {
          first: ['key', 'lifetimeHours'],
          labels,
          hints,
          fields: { lifetimeHours: { value: String(previewSettings.lifetimeHours) } },
        },
        target: { application: { appId } },
      }),
    settings,
    mayUpdate &&
      itemOf('forbid-previews', {
        ...wordsOf(text, 'forbid', name),
        mutation: 'updateApplication',
        target: { application: { appId }, previews: null },
      }),
  );
}

const settingsItem = (appId: number, name: string, current: Application['previewSettings']): Item =>
  itemOf('preview-settings', {
    ...wordsOf(text, current ? 'settings' : 'allow', name),
    submit: current ? text.save : undefined,
    mutation: 'updateApplication',
    form: {
      first: ['previews.most', 'previews.lifetimeHours'],
      labels: { 'previews.most': labels.most, 'previews.lifetimeHours': labels.lifetimeHours },
      hints: { 'previews.most': hints.most, 'previews.lifetimeHours': text.defaultHours },
      initial: { previews: current ?? { most: 3, lifetimeHours: 72 } },
      also: (_, input) => ({ previews: { ...current, ...(input as { previews?: object }).previews } }),
    },
    target: { application: { appId } },
  });

/** What closes a preview. One that is being deleted has nothing. */
export const closeItem = (appId: number, { key, state, revision }: Preview): Item | false =>
  state !== 'DELETING' &&
  itemOf(`close-preview ${key}`, {
    ...wordsOf(text, 'close', key),
    mutation: 'closePreview',
    isDestructive: true,
    target: { application: { appId }, key, expectedRevision: revision },
  });
