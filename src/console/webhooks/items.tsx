import type { Item } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { lazyItem } from '../act/lazy-item.tsx';
import { wordsOf } from '../act/words.ts';
import { secretOf } from './secret.tsx';
import { text } from './strings.ts';
import type { Team, Webhook } from './webhook.ts';

const newItem = lazyItem(text.create, async () => (await import('./dialogs.tsx')).CreateWebhookDialog);
const editItem = lazyItem(text.edit, async () => (await import('./dialogs.tsx')).EditWebhookDialog);

export const createItem = (team: Team) => newItem('create-webhook', { team });

/** The actions of a webhook. `leave` is the page to show when it was deleted. */
export const itemsOf = (webhook: Webhook, team: Team, leave?: string): Item[] => [
  itemOf(`test ${webhook.id}`, {
    ...wordsOf(text, 'test'),
    mutation: 'testWebhook',
    target: { webhook: { id: webhook.id } },
  }),
  editItem(`edit ${webhook.id}`, { webhook, team }),
  itemOf(`rotate ${webhook.id}`, {
    ...wordsOf(text, 'rotate'),
    mutation: 'rotateWebhookSecret',
    target: { webhook: { id: webhook.id }, expectedRevision: webhook.revision },
    result: secretOf,
  }),
  itemOf(`delete ${webhook.id}`, {
    ...wordsOf(text, 'delete'),
    mutation: 'deleteWebhook',
    target: { webhook: { id: webhook.id }, expectedRevision: webhook.revision },
    leadsTo: () => leave,
  }),
];

export const redeliverItem = (id: string): Item =>
  itemOf(`redeliver ${id}`, {
    label: text.deliveries.redeliver,
    title: text.deliveries.redeliverTitle,
    intro: text.deliveries.redeliverIntro,
    submit: text.deliveries.redeliverTitle,
    mutation: 'redeliver',
    target: { delivery: { id } },
  });
