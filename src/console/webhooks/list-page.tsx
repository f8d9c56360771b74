import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { Listing } from '../act/listing.tsx';
import { usePages, useView } from '../api/view.ts';
import { WebhooksQuery } from '../documents/webhooks.ts';
import { restOf } from '../ui/load-more.tsx';
import { TeamFrame } from '../ui/team-head.tsx';
import { createItem, itemsOf } from './items.tsx';
import { WebhookState } from './state.tsx';
import { text } from './strings.ts';

export function TeamWebhooksPage({ name }: { name: string }) {
  const by = { name };
  const view = useView(WebhooksQuery, { by });
  const pages = usePages();
  return (
    <TeamFrame
      name={name}
      tab="webhooks"
      view={view}
      actions={(team) => team.mayCreate && <ActionBar items={[createItem(team)]} />}
    >
      {(team) => (
        <Listing
          texts={text}
          list={team.webhooks}
          intro={<p className="soft">{text.about}</p>}
          classes={{ url: 'break', events: 'mono break' }}
          cells={(webhook) => ({
            url: (
              <Link className="mono row-link" href={`/webhooks/${webhook.uid}`}>
                {webhook.url}
              </Link>
            ),
            events: webhook.events.join(', '),
            state: <WebhookState webhook={webhook} />,
          })}
          itemsOf={team.mayCreate && ((webhook) => itemsOf(webhook, team))}
          more={restOf(team.webhooks, (after) => pages.load(WebhooksQuery, { by, after }))}
        />
      )}
    </TeamFrame>
  );
}
