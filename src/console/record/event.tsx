import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Change, kindOf, nounOf, verbOf } from '../act/plan.tsx';
import type { ResultOf } from '../api/graphql.ts';
import type { TeamRecordQuery } from '../documents/record.ts';
import { strings } from '../strings.ts';

const text = strings.record;

export type RecordTeam = NonNullable<ResultOf<typeof TeamRecordQuery>['place']>;
export type RecordEvent = RecordTeam['events']['nodes'][number];

const naming = ['name', 'alias', 'domain', 'host', 'number', 'email'];

/** Fields that Trellis counts by, and that say nothing to people. */
const internal = new Set(['generation']);

interface Named {
  name?: string;
  address?: string;
}

/** The name of an object and its address in the console. */
function namedObject({ object }: RecordEvent): Named {
  switch (object?.__typename) {
    case 'Application':
      return { name: object.name, address: `/applications/${object.appUid}/map` };
    case 'Component':
      return { name: object.name, address: `/components/${object.uid}` };
    case 'Port':
      return {
        name: text.portOf(object.number, object.component.name),
        address: `/components/${object.component.uid}/ports/${object.number}`,
      };
    case 'HttpRule':
      return { name: `${object.domain}${object.path}`, address: `/rules/${encodeURIComponent(object.id)}` };
    case 'TcpRule':
      return { name: object.endpoint, address: `/rules/${encodeURIComponent(object.id)}` };
    case 'Job':
      return {
        name: strings.job.title(strings.job.kinds[object.kind], object.jobUid),
        address: `/jobs/${object.jobUid}`,
      };
    case 'Region':
      return { name: object.alias, address: `/regions/${encodeURIComponent(object.name)}` };
    case 'Team':
      return { name: object.alias, address: `/teams/${encodeURIComponent(object.name)}` };
    default:
      return {};
  }
}

/** The name of an object that has none any more, from its event. */
function nameInChanges({ changes }: RecordEvent): string | undefined {
  for (const field of naming) {
    const change = changes.find((each) => each.field === field);
    const name = change?.newValue ?? change?.oldValue;
    if (typeof name === 'string' || typeof name === 'number') return String(name);
  }
  return undefined;
}

/** Who made a change, and by which access token. */
function whoOf({ actor, accessToken, tokenId, sessionId }: RecordEvent): string {
  const name =
    actor === null
      ? tokenId === null && sessionId === null
        ? strings.job.byTrellis
        : text.somebody
      : actor.__typename === 'User'
        ? actor.nickName
        : actor.name;
  return accessToken ? text.byToken(name, accessToken.name) : name;
}

export function EventView({ event, isPart }: { event: RecordEvent; isPart?: boolean }) {
  const { at, action, objectType, objectUid, objectName, component } = event;
  const { name = objectName ?? nameInChanges(event) ?? objectUid, address } = namedObject(event);
  // An object of a component is named with it, unless its own name has it.
  const isOfComponent = component && !['Component', 'Port'].includes(objectType);
  return (
    <article className={`event plan-${kindOf(action)}`}>
      <header>
        <time dateTime={at} title={new Date(at).toLocaleString('en')}>
          {isPart ? '' : text.time(new Date(at))}
        </time>
        <span className="event-what">
          {!isPart && <span>{whoOf(event)} · </span>}
          <span className="event-action">{verbOf(action)}</span>{' '}
          <span className="soft">{nounOf(objectType)}</span>{' '}
          {address ? <Link href={address}>{name}</Link> : <strong>{name}</strong>}
          {isOfComponent && (
            <>
              {' '}
              <span className="soft">{text.of}</span>{' '}
              <Link href={`/components/${component.uid}`}>{component.name}</Link>
            </>
          )}
        </span>
      </header>
      <Changes changes={event.changes.filter(({ field }) => !internal.has(field))} />
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
