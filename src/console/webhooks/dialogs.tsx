import { useQuery } from 'urql';
import { dialogOf } from '../act/dialog.tsx';
import { LoadingDialog } from '../act/dialog-frame.tsx';
import { wordsOf } from '../act/words.ts';
import { WebhookAccountsQuery } from '../documents/webhooks.ts';
import type { Field, Values } from '../form/values.ts';
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
    fields: (values) => fieldsOf(values, accounts),
    input: (values) => ({ team: { id: team.id }, ...inputOf(values) }),
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
    fields: (values) => [
      ...fieldsOf(values, accounts, webhook),
      { name: 'isEnabled', label: labels.isEnabled, kind: 'checkbox', value: webhook.isEnabled },
    ],
    input: (values) => ({
      webhook: { id: webhook.id },
      ...inputOf(values, webhook),
      isEnabled: values.isEnabled === true,
      expectedRevision: webhook.revision,
    }),
  });
}

/** Undefined until they are read. */
function useAccounts({ id }: Team): readonly Account[] | undefined {
  const [{ data, error }] = useQuery({ query: WebhookAccountsQuery, variables: { by: { id } } });
  return data?.team?.serviceAccounts.nodes ?? (error && []);
}

function fieldsOf(values: Values, accounts: readonly Account[], current?: Webhook): Field[] {
  const document = String(values.document ?? current?.document ?? '').trim();
  const account = current?.serviceAccount?.uid ?? '';
  return [
    { name: 'url', label: labels.url, hint: hints.url, value: current?.url ?? '', required: true },
    {
      name: 'events',
      label: labels.events,
      hint: hints.events,
      kind: 'lines',
      value: current?.events.join('\n') ?? '*',
      required: true,
    },
    {
      name: 'document',
      label: labels.document,
      hint: hints.document,
      kind: 'area',
      group: text.payload,
      value: current?.document ?? '',
    },
    ...(document === ''
      ? []
      : ([
          {
            name: 'variables',
            label: labels.variables,
            kind: 'area',
            group: text.payload,
            value: current?.variables == null ? '' : JSON.stringify(current.variables, null, 2),
          },
          {
            name: 'serviceAccount',
            label: labels.serviceAccount,
            hint: hints.serviceAccount,
            kind: 'select',
            group: text.payload,
            value: account,
            options: [
              ...(account === '' ? [{ value: '', text: text.noAccount }] : []),
              ...accounts.map(({ uid, name }) => ({ value: uid, text: name })),
            ],
          },
        ] satisfies Field[])),
  ];
}

/** Of a webhook that is changed, null where it has something that was removed. */
function inputOf(values: Values, current?: Webhook) {
  const document = String(values.document ?? '').trim();
  const account = String(values.serviceAccount ?? '');
  const variables = String(values.variables ?? '').trim();
  return {
    url: String(values.url).trim(),
    events: String(values.events)
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
    ...(document === ''
      ? current?.document != null && { document: null }
      : {
          document,
          ...(account !== '' && { serviceAccount: { serviceAccountId: account } }),
          ...(variables !== ''
            ? { variables: jsonOf(variables) }
            : current?.variables != null && { variables: null }),
        }),
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
