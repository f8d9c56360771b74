import type { Item } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { lazyDialog } from '../act/lazy-dialog.tsx';
import { DeleteWebhook, Redeliver, RotateWebhookSecret, TestWebhook } from '../documents/webhooks.ts';
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
    label: text.test,
    title: text.testTitle,
    intro: text.testIntro,
    document: TestWebhook,
    input: () => ({ webhook: { id: webhook.id } }),
  }),
  {
    key: `edit ${webhook.id}`,
    label: text.edit,
    open: (close) => <EditDialog webhook={webhook} team={team} close={close} />,
  },
  itemOf(`rotate ${webhook.id}`, {
    label: text.rotate,
    title: text.rotateTitle,
    intro: text.rotateIntro,
    document: RotateWebhookSecret,
    input: () => ({ webhook: { id: webhook.id }, expectedRevision: webhook.revision }),
    result: secretOf,
  }),
  itemOf(`delete ${webhook.id}`, {
    label: text.delete,
    title: text.deleteTitle,
    intro: text.deleteIntro,
    isDestructive: true,
    document: DeleteWebhook,
    plan: 'step',
    input: () => ({ webhook: { id: webhook.id }, expectedRevision: webhook.revision }),
    ...(left && { done: left }),
  }),
];

export const redeliverItem = (id: string): Item =>
  itemOf(`redeliver ${id}`, {
    label: text.deliveries.redeliver,
    title: text.deliveries.redeliverTitle,
    intro: text.deliveries.redeliverIntro,
    document: Redeliver,
    input: () => ({ delivery: { id } }),
  });
