import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import { Digest } from '../ui/digest.tsx';
import { groupBy } from '../ui/group-by.ts';
import type { PlanItem } from './act.ts';

const text = strings.act;

type Kind = 'add' | 'change' | 'remove';

/** Whether something appears, changes or goes, by the name of the action. */
export function kindOf(action: string): Kind {
  const verb = action.toLowerCase().split('.').at(-1)!;
  if (/^(add|create|claim|install|publish|open)/.test(verb)) return 'add';
  if (/^(delete|remove|release|uninstall|close_region|unpublish|revoke|cancel)/.test(verb)) return 'remove';
  return 'change';
}

const signs = { add: '+', change: '~', remove: '−' } as const;

/** `HttpRule` as `HTTP rule`. */
const nounOf = (type: string) =>
  type
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/\b(http|tcp)\b/g, (name) => name.toUpperCase());

/** Lists of one kind that are longer than this are folded. */
const foldedFrom = 8;

/** The effects of a change, as a diff that a person can read. */
export function Plan({ items }: { items: readonly PlanItem[] }) {
  if (items.length === 0) return <p className="soft">{text.nothingChanges}</p>;
  return (
    <div className="plan">
      <PlanSum kinds={items.map(({ action }) => kindOf(action))} />
      {groupBy(items, titleOf).map(([title, group]) => (
        <details key={title} open={group.length <= foldedFrom || items.length <= 2 * foldedFrom}>
          <summary>
            {title} <span className="count">{group.length}</span>
          </summary>
          <ul>
            {group.map((item, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a plan does not change while it is shown
              <PlanRow key={index} item={item} />
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}

/** How many things appear, change and go. */
export const PlanSum = ({ kinds }: { kinds: readonly Kind[] }) => (
  <p className="plan-sum">
    {(['add', 'change', 'remove'] as const)
      .map((kind) => ({ kind, count: kinds.filter((each) => each === kind).length }))
      .filter(({ count }) => count > 0)
      .map(({ kind, count }) => (
        <span key={kind} className={`plan-${kind}`}>
          {signs[kind]} {text.counts[kind](count)}
        </span>
      ))}
  </p>
);

/** A line of a plan, after the sign that says whether something appears, changes or goes. */
export const PlanLine = ({ kind, children }: { kind: Kind; children: ReactNode }) => (
  <li className={`plan-row plan-${kind}`}>
    <span className="plan-sign" aria-hidden="true">
      {signs[kind]}
    </span>
    {children}
  </li>
);

/** The components that are stopped, and are left alone for that. */
export const LeftStopped = ({ names }: { names: readonly string[] }) =>
  names.length > 0 && (
    <p className="soft">
      {text.leftStopped(names.length)} {names.join(', ')}
    </p>
  );

/** Changes of an upgrade have the component that they belong to, others the type of their objects. */
const titleOf = ({ component, objectType = '' }: PlanItem) => component ?? capital(nounOf(objectType));

const capital = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1);

const PlanRow = ({ item: { action, summary, digest } }: { item: PlanItem }) => (
  <PlanLine kind={kindOf(action)}>
    <span className="plan-what">
      {summary} {digest && <Digest digest={digest} />}
    </span>
  </PlanLine>
);

export function Change({ before, after }: { before?: string | null; after?: string | null }) {
  return (
    <span className="diff">
      {before != null && (
        <del>
          <span className="visually-hidden">{text.before} </span>
          {before || text.emptyText}
        </del>
      )}
      {before != null && after != null && <span aria-hidden="true">→</span>}
      {after != null && (
        <ins>
          <span className="visually-hidden">{text.after} </span>
          {after || text.emptyText}
        </ins>
      )}
    </span>
  );
}
