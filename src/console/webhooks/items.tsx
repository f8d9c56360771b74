import type { Item } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { lazyDialog } from '../act/lazy-dialog.tsx';
import { wordsOf } from '../act/words.ts';
import { secretOf } from './secret.tsx';
import { text } from './strings.ts';
import type { Team, Webhook } from './webhook.ts';

const CreateDialog = lazyDialog(async () => (await import('./dialogs.tsx')).CreateWebhookDialog);
const EditDialog = lazyDialog(async () => (await import('./dialogs.tsx')).EditWebhookDialog);

export const createItem = (team: Team): Item => ({
  key: 'create-webhook',
  label: text.create,
  open: (close) => <CreateDialog team={team} close={close} />,
});

/** The actions of a webhook. `left` is called when it was deleted. */
export const itemsOf = (webhook: Webhook, team: Team, left?: () => void): Item[] => [
  itemOf(`test ${webhook.id}`, {
    ...wordsOf(text, 'test'),
    mutation: 'testWebhook',
    target: { webhook: { id: webhook.id } },
  }),
  {
    key: `edit ${webhook.id}`,
    label: text.edit,
    open: (close) => <EditDialog webhook={webhook} team={team} close={close} />,
  },
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
    ...(left && { done: left }),
  }),
];

export const redeliverItem = (id: string): Item =>
  itemOf(`redeliver ${id}`, {
    label: text.deliveries.redeliver,
    title: text.deliveries.redeliverTitle,
    intro: text.deliveries.redeliverIntro,
    mutation: 'redeliver',
    target: { delivery: { id } },
  });
