import { useState } from 'react';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { usePages, useView } from '../api/view.ts';
import { WebhookQuery } from '../documents/webhooks.ts';
import { Fields, Loading, Missing, PageHead, PartialError } from '../ui/blocks.tsx';
import { useCrumbs } from '../ui/crumbs.ts';
import { LoadMore, restOf } from '../ui/load-more.tsx';
import { Time } from '../ui/time.tsx';
import { Deliveries, type DeliveryStatus } from './deliveries.tsx';
import { itemsOf } from './items.tsx';
import { WebhookState } from './state.tsx';
import { text } from './strings.ts';
import type { Webhook } from './webhook.ts';

const { fields } = text;

export function WebhookPage({ uid }: { uid: string }) {
  const [status, setStatus] = useState<DeliveryStatus>();
  const variables = { by: { webhookId: uid }, ...(status && { status }) };
  const { data, error, isLoading, retry } = useView(WebhookQuery, variables);
  const pages = usePages();
  const webhook = data?.webhook;
  const href = webhook && `/teams/${encodeURIComponent(webhook.team.name)}`;
  useCrumbs(
    webhook && { text: webhook.team.alias, href: href! },
    webhook && { text: text.title, href: `${href}/webhooks` },
    webhook && { text: webhook.url, href: `/webhooks/${uid}` },
  );
  if (isLoading) return <Loading />;
  if (!webhook) return <Missing error={error} retry={retry} />;
  const { deliveries, team } = webhook;
  const more = restOf(deliveries, (after) => pages.load(WebhookQuery, { ...variables, after }));
  return (
    <>
      <PageHead
        title={webhook.url}
        status={<WebhookState webhook={webhook} />}
        meta={<Link href={`${href}/webhooks`}>{team.alias}</Link>}
        actions={team.mayChange && <ActionBar items={itemsOf(webhook, team, `${href}/webhooks`)} />}
      />
      <PartialError error={error} />
      <Facts webhook={webhook} />
      <Deliveries
        list={deliveries}
        status={status}
        show={setStatus}
        mayChange={team.mayChange}
        reread={retry}
      />
      {more && <LoadMore {...more} />}
    </>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { events, failingSince, oldSecretUntil, serviceAccount, document, createdAt } = webhook;
  return (
    <Fields
      items={[
        [fields.events, <code key="events">{events.join(', ')}</code>],
        [fields.failingSince, failingSince && <Time key="failing" at={failingSince} />],
        [
          fields.oldSecret,
          oldSecretUntil && (
            <span key="old">
              {text.oldSecretUntil} <Time at={oldSecretUntil} />
            </span>
          ),
        ],
        [fields.serviceAccount, serviceAccount?.name],
        [
          fields.document,
          document && (
            <pre key="document" className="mono small">
              {document}
            </pre>
          ),
        ],
        [
          fields.created,
          <span key="created">
            <Time at={createdAt} />
          </span>,
        ],
      ]}
    />
  );
}
