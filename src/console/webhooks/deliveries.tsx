import { useEffect } from 'react';
import { ActionTable } from '../act/action-table.tsx';
import type { ResultOf } from '../api/graphql.ts';
import type { WebhookQuery } from '../documents/webhooks.ts';
import { Section } from '../ui/blocks.tsx';
import { Choice } from '../ui/choice.tsx';
import { Tag, type Tone } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { redeliverItem } from './items.tsx';
import { text as texts } from './strings.ts';

const text = texts.deliveries;

type List = NonNullable<ResultOf<typeof WebhookQuery>['webhook']>['deliveries'];
type Delivery = List['nodes'][number];
export type DeliveryStatus = Delivery['status'];

const tones: { [status in DeliveryStatus]: Tone } = { PENDING: 'busy', DELIVERED: 'good', FAILED: 'bad' };
const statuses = Object.keys(text.statuses) as DeliveryStatus[];

/** How often deliveries are read again while some are about to be sent. Nothing else reports that they were. */
const rereadMs = 2_000;
const soonMs = 60_000;

interface Props {
  list: List;
  status: DeliveryStatus | undefined;
  show(status: DeliveryStatus | undefined): void;
  mayChange: boolean;
  reread(): void;
}

/** The deliveries of a webhook, newest first, with what the receiver has answered. */
export function Deliveries({ list, status, show, mayChange, reread }: Props) {
  useRereading(list.nodes, reread);
  return (
    <Section
      title={text.title}
      count={list.totalCount}
      actions={
        <Choice
          label={text.filter}
          options={statuses}
          texts={text.statuses}
          value={status}
          change={(value) => show(value === '' ? undefined : (value as DeliveryStatus))}
          none={text.any}
        />
      }
    >
      <ActionTable
        label={text.title}
        columns={text.columns}
        empty={status ? text.noneWithStatus : text.none}
        rows={list.nodes}
        classes={{ at: 'soft' }}
        cells={(delivery) => ({
          event: (
            <>
              <span className="mono">{delivery.event?.action ?? text.test}</span>
              {delivery.event && <div className="soft small">{delivery.event.summary}</div>}
            </>
          ),
          status: <Tag tone={tones[delivery.status]}>{text.statuses[delivery.status]}</Tag>,
          attempts: (
            <>
              {delivery.attempts}
              {delivery.nextAttemptAt && delivery.attempts > 0 && (
                <span className="soft small">
                  {' '}
                  {text.next} <Time at={delivery.nextAttemptAt} />
                </span>
              )}
            </>
          ),
          response: <Response delivery={delivery} />,
          at: <Time at={delivery.createdAt} />,
        })}
        itemsOf={mayChange && ((delivery) => [redeliverItem(delivery.id)])}
      />
    </Section>
  );
}

function Response({ delivery }: { delivery: Delivery }) {
  const { responseCode, response, error, durationMs, payload } = delivery;
  return (
    <>
      {responseCode ?? error}
      {durationMs !== null && <span className="soft small"> {text.took(durationMs)}</span>}
      {payload !== null && <Folded title={text.payload}>{readable(payload)}</Folded>}
      {response && <Folded title={text.body}>{response}</Folded>}
    </>
  );
}

const Folded = ({ title, children }: { title: string; children: string }) => (
  <details>
    <summary>{title}</summary>
    <pre className="mono small break">{children}</pre>
  </details>
);

/** JSON with line breaks. A payload that was cut is no JSON. */
function readable(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
}

/** Reads the page again while a delivery is about to be sent. One that waits longer is not waited for. */
function useRereading(deliveries: readonly Delivery[], reread: () => void): void {
  const isSoon = (at: string | null) => at !== null && Date.parse(at) - Date.now() < soonMs;
  const isSending = deliveries.some(({ nextAttemptAt }) => isSoon(nextAttemptAt));
  useEffect(() => {
    if (!isSending) return;
    const timer = setInterval(reread, rereadMs);
    return () => clearInterval(timer);
  });
}
