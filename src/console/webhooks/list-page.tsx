import { Link } from 'wouter';
import { ActionBar, ActionCell } from '../act/action-bar.tsx';
import { usePages, useView } from '../api/view.ts';
import { WebhooksQuery } from '../documents/webhooks.ts';
import { Loading, Missing, PartialError, Table } from '../ui/blocks.tsx';
import { LoadMore, restOf } from '../ui/load-more.tsx';
import { TeamHead } from '../ui/team-head.tsx';
import { createItem, itemsOf } from './items.tsx';
import { WebhookState } from './state.tsx';
import { text } from './strings.ts';

/** The webhooks of a team. */
export function TeamWebhooksPage({ name }: { name: string }) {
  const by = { name };
  const { data, error, isLoading, retry } = useView(WebhooksQuery, { by });
  const pages = usePages();
  if (isLoading) return <Loading />;
  const team = data?.team;
  if (!team) return <Missing error={error} retry={retry} />;
  const { webhooks, mayCreate } = team;
  const more = restOf(webhooks, (after) => pages.load(WebhooksQuery, { by, after }));
  return (
    <>
      <TeamHead
        name={name}
        alias={team.alias}
        tab="webhooks"
        actions={mayCreate && <ActionBar items={[createItem(team)]} />}
      />
      <PartialError error={error} />
      <p className="soft">{text.about}</p>
      <Table
        label={text.title}
        columns={[...Object.values(text.columns), ...(mayCreate ? [text.actions] : [])]}
        empty={text.none}
      >
        {webhooks.nodes.map((webhook) => (
          <tr key={webhook.id}>
            <td className="break">
              <Link className="mono row-link" href={`/webhooks/${webhook.uid}`}>
                {webhook.url}
              </Link>
            </td>
            <td className="mono break">{webhook.events.join(', ')}</td>
            <td>
              <WebhookState webhook={webhook} />
            </td>
            {mayCreate && <ActionCell items={itemsOf(webhook, team)} />}
          </tr>
        ))}
      </Table>
      {more && <LoadMore {...more} />}
    </>
  );
}
