import { useQuery } from 'urql';
import { dialogOf } from '../act/dialog.tsx';
import { LoadingDialog } from '../act/dialog-frame.tsx';
import { wordsOf } from '../act/words.ts';
import { WebhookAccountsQuery } from '../documents/webhooks.ts';
import type { Values } from '../form/values.ts';
import { secretOf } from './secret.tsx';
import { text } from './strings.ts';
import type { Team, Webhook } from './webhook.ts';

const { labels, hints } = text;

interface Account {
  uid: string;
  name: string;
}
interface Props {
  team: Team;
  draft: string;
  close(): void;
}

export function CreateWebhookDialog({ team, draft, close }: Props) {
  const accounts = useAccounts(team);
  if (!accounts) return <LoadingDialog title={text.createTitle(team.alias)} close={close} />;
  return dialogOf(close, {
    draft,
    ...wordsOf(text, 'create', team.alias),
    mutation: 'createWebhook',
    form: (values) => formOf(values, accounts),
    target: { team: { id: team.id } },
    result: secretOf,
  });
}

export function EditWebhookDialog({ webhook, team, draft, close }: Props & { webhook: Webhook }) {
  const accounts = useAccounts(team);
  if (!accounts) return <LoadingDialog title={text.editTitle} close={close} />;
  return dialogOf(close, {
    draft,
    label: text.save,
    title: text.editTitle,
    mutation: 'updateWebhook',
    form(values) {
      const form = formOf(values, accounts, webhook);
      return { ...form, first: [...form.first, 'isEnabled'] };
    },
    target: { webhook: { id: webhook.id }, expectedRevision: webhook.revision },
  });
}

/** Undefined until they are read. */
function useAccounts({ id }: Team): readonly Account[] | undefined {
  const [{ data, error }] = useQuery({ query: WebhookAccountsQuery, variables: { by: { id } } });
  return data?.team?.serviceAccounts.nodes ?? (error && []);
}

/** The form for a webhook. A document has variables, and an account with whose rights it is executed. */
function formOf(values: Values, accounts: readonly Account[], webhook?: Webhook) {
  const hasDocument = String(values.document ?? webhook?.document ?? '').trim() !== '';
  const variables = webhook?.variables == null ? '' : JSON.stringify(webhook.variables, null, 2);
  const account = webhook?.serviceAccount?.uid ?? '';
  const group = text.payload;
  return {
    first: [
      ...(['url', 'events', 'document'] as const),
      ...(hasDocument ? (['variables', 'serviceAccount'] as const) : []),
    ],
    labels,
    hints,
    fields: {
      url: { required: true },
      events: { required: true, value: webhook?.events.join('\n') ?? '*' },
      document: { kind: 'area' as const, group, isNullable: true },
      variables: { kind: 'area' as const, group, isNullable: true },
      serviceAccount: {
        ref: 'serviceAccountId',
        kind: 'select' as const,
        group,
        value: account,
        options: [
          ...(account === '' ? [{ value: '', text: text.noAccount }] : []),
          ...accounts.map(({ uid, name }) => ({ value: uid, text: name })),
        ],
      },
    },
    current: webhook && { ...webhook, variables, serviceAccount: undefined },
    also: (_: Values, { variables }: { variables?: unknown }) =>
      typeof variables === 'string' ? { variables: jsonOf(variables) } : {},
  };
}

/** The value of a text of JSON. The server refuses a text that is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
