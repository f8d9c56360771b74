import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Change, kindOf } from '../act/plan.tsx';
import { strings } from '../strings.ts';
import type { RecordEvent } from './request.ts';

const text = strings.record;

/** Fields that Trellis counts by, and that say nothing to people. */
const internal = new Set(['generation']);

/** The address in the console of the object that changed. */
function addressOf({ object }: RecordEvent): string | undefined {
  switch (object?.__typename) {
    case 'Application':
      return `/applications/${object.appUid}/map`;
    case 'Component':
      return `/components/${object.uid}`;
    case 'Port':
      return `/components/${object.component.uid}/ports/${object.number}`;
    case 'HttpRule':
    case 'TcpRule':
      return `/rules/${encodeURIComponent(object.id)}`;
    case 'Job':
      return `/jobs/${object.jobUid}`;
    case 'Region':
      return `/regions/${encodeURIComponent(object.name)}`;
    case 'Team':
      return `/teams/${encodeURIComponent(object.name)}`;
    case 'User':
      return `/users/${object.userUid}`;
    default:
      return undefined;
  }
}

/** Who made a change, and by which access token. */
export function whoOf({ actorName, accessToken, tokenId, sessionId }: RecordEvent): string {
  const isOwn = tokenId === null && sessionId === null;
  const name = actorName ?? (isOwn ? strings.job.byTrellis : text.somebody);
  return accessToken ? text.byToken(name, accessToken.name) : name;
}

interface EventProps {
  event: RecordEvent;
  isPart?: boolean;
  /** What stands for the event and others, without its changes. */
  summary?: string | undefined;
}

export function EventView({ event, isPart, summary }: EventProps) {
  const { at, action } = event;
  const address = addressOf(event);
  const what = summary ?? event.summary;
  return (
    <article className={`event plan-${kindOf(action)}`}>
      <header>
        <time dateTime={at} title={new Date(at).toLocaleString('en')}>
          {isPart ? '' : text.time(new Date(at))}
        </time>
        <span className="event-what">
          {!isPart && <span>{whoOf(event)} · </span>}
          {address ? <Link href={address}>{what}</Link> : what}
        </span>
      </header>
      {summary === undefined && (
        <Changes changes={event.changes.filter(({ field }) => !internal.has(field))} />
      )}
    </article>
  );
}

/** A value as text: a list or an object as lines. */
function readable(value: unknown): string | null {
  if (value === null) return null;
  const parsed = typeof value === 'string' && /^[[{]/.test(value) ? parsedOf(value) : value;
  return [parsed].flat().map(lineOf).join('\n');
}

/** Some columns hold JSON as text. */
function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const lineOf = (item: unknown): string =>
  item !== null && typeof item === 'object'
    ? Object.entries(item)
        .map(([name, value]) => `${name}: ${lineOf(value)}`)
        .join(', ')
    : String(item);

/** Events with more fields than this are folded. */
const foldedFrom = 4;

function Changes({ changes }: Pick<RecordEvent, 'changes'>): ReactNode {
  if (changes.length === 0) return null;
  const list = (
    <dl className="changes">
      {changes.map(({ field, oldValue, newValue }) => (
        <div key={field}>
          <dt>{text.field(field)}</dt>
          <dd>
            <Change before={readable(oldValue)} after={readable(newValue)} />
          </dd>
        </div>
      ))}
    </dl>
  );
  if (changes.length <= foldedFrom) return list;
  return (
    <details className="more">
      <summary>{text.fields(changes.length)}</summary>
      {list}
    </details>
  );
}
