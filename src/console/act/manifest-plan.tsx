import { memo, type ReactNode, useState } from 'react';
import type { FragmentOf } from '../api/graphql.ts';
import type { ManifestPlanParts } from '../documents/manifest.ts';
import { strings } from '../strings.ts';
import { Digest } from '../ui/digest.tsx';
import { groupBy } from '../ui/group-by.ts';
import { Tag } from '../ui/status.tsx';
import { Change, LeftStopped, PlanLine, PlanSum } from './plan.tsx';

export type ManifestPlan = FragmentOf<typeof ManifestPlanParts>;

const text = strings.manifest;
/** Of a difference between two states, nothing takes effect. */
type PlannedChange = Omit<ManifestPlan['changes'][number], 'takesEffect'> &
  Partial<Pick<ManifestPlan['changes'][number], 'takesEffect'>>;
type Shown = Pick<ManifestPlan, 'leftOver' | 'adopted' | 'images' | 'leftStopped'> & {
  changes: readonly PlannedChange[];
};
type PlannedObject = ManifestPlan['leftOver'][number];

const kinds = { CREATE: 'add', UPDATE: 'change', ADOPT: 'change', DELETE: 'remove' } as const;

/** Groups are folded in a plan of more changes. */
const foldedFrom = 40;
/** The content of a file can be long. */
const maxLength = 200;

/** The changes of a manifest, by component. Not rendered again while something is typed, because it can be long. */
export const ManifestPlanView = memo(({ plan }: { plan: Shown }) => {
  const { changes, leftOver, adopted, images, leftStopped } = plan;
  return (
    <div className="plan">
      {changes.length === 0 && <p className="soft">{strings.act.nothingChanges}</p>}
      {changes.length > 0 && <PlanSum kinds={changes.map(({ action }) => kinds[action])} />}
      {groupBy(changes, titleOf).map(([title, group]) => (
        <Group key={title} title={title} count={group.length} isOpenAtFirst={changes.length <= foldedFrom}>
          {() =>
            group.map((change, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a plan does not change while it is shown
              <ChangeRow key={index} change={change} />
            ))
          }
        </Group>
      ))}
      <Objects title={text.leftOver(leftOver.length)} objects={leftOver} isOpenAtFirst />
      <Objects title={text.adopted(adopted.length)} objects={adopted} />
      {images.length > 0 && (
        <Group title={text.images(images.length)} isOpenAtFirst={images.length <= foldedFrom}>
          {() =>
            images.map(({ component, reference, digest, note }) => (
              <li key={component} className="plan-row">
                <span className="plan-what">
                  {component}: <code>{reference}</code> <Digest digest={digest} />
                  {note && <span className="soft"> {note}</span>}
                </span>
              </li>
            ))
          }
        </Group>
      )}
      <LeftStopped names={leftStopped} />
    </div>
  );
});

const titleOf = ({ object, name, component }: PlannedChange) =>
  (object === 'COMPONENT' ? name : component) ?? text.application;

interface GroupProps {
  title: string;
  count?: number;
  isOpenAtFirst: boolean;
  /** The rows, which exist while the group is open. */
  children(): ReactNode;
}

function Group({ title, count, isOpenAtFirst, children }: GroupProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title} {count !== undefined && <span className="count">{count}</span>}
      </summary>
      {isOpen && <ul>{children()}</ul>}
    </details>
  );
}

function Objects({
  title,
  objects,
  isOpenAtFirst = false,
}: {
  title: string;
  objects: readonly PlannedObject[];
  isOpenAtFirst?: boolean;
}) {
  if (objects.length === 0) return null;
  return (
    <Group title={title} isOpenAtFirst={isOpenAtFirst}>
      {() =>
        objects.map(({ object, component, name }) => (
          <li key={`${object} ${component} ${name}`} className="plan-row">
            <span className="plan-what">
              {component && `${component}: `}
              <span className="soft">{text.kinds[object]}</span> {name}
            </span>
          </li>
        ))
      }
    </Group>
  );
}

function ChangeRow({ change }: { change: PlannedChange }) {
  const { action, object, name, fields, isDestructive, takesEffect } = change;
  // A deleted object is named. Its fields, and those that stay empty, say nothing more.
  const visibleFields =
    action === 'DELETE' ? [] : fields.filter(({ after }) => action !== 'CREATE' || after !== null);
  return (
    <PlanLine kind={kinds[action]}>
      <div className="plan-what">
        <span className="soft">
          {text.verbs[action]} {text.kinds[object]}
        </span>{' '}
        <strong>{name}</strong>{' '}
        {takesEffect && <span className="soft plan-effect">{text.effects[takesEffect]}</span>}{' '}
        {isDestructive && <Tag tone="bad">{text.isDestructive}</Tag>}
        {visibleFields.length > 0 && (
          <dl className="plan-fields">
            {visibleFields.map(({ field, before, after, isSecret }) => (
              <div key={field}>
                <dt>{field}</dt>
                <dd>
                  <Change before={action === 'CREATE' ? null : cut(before)} after={cut(after)} />
                  {isSecret && <span className="soft"> {text.secret}</span>}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </PlanLine>
  );
}

const cut = (value: string | null) =>
  value !== null && value.length > maxLength ? `${value.slice(0, maxLength)}…` : value;
