import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ActionTable } from '../act/action-table.tsx';
import { present } from '../act/items.tsx';
import { Section } from '../ui/blocks.tsx';
import { Digest } from '../ui/digest.tsx';
import { Status, Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { changesItem, promoteItem, rollBackItem } from './items.tsx';
import type { Component, Release } from './planned.tsx';
import { text } from './strings.ts';

interface Props {
  component: Component;
  /** How many of the newest are shown. */
  shown: number;
  note?: string;
  actions?: ReactNode;
}

/** The newest releases of a component, with what rolls back to one of them, compares it and promotes it. */
export function Releases({ component, shown, note, actions }: Props) {
  const { totalCount, nodes } = component.releases;
  return (
    <Section title={text.link} count={totalCount} empty={totalCount === 0 && text.none} actions={actions}>
      {totalCount > 0 && note && <p className="soft small section-note">{note}</p>}
      {totalCount > 0 && (
        <ActionTable
          label={text.link}
          columns={text.columns}
          empty={text.none}
          rows={nodes.slice(0, shown)}
          classes={{ when: 'soft', who: 'soft' }}
          cells={(release, index) => ({
            number: (
              <span className="row wrap">
                {release.number}
                {index === 0 && <Tag tone="good">{text.current}</Tag>}
                <Origin release={release} />
              </span>
            ),
            image: (
              <>
                <span className="mono">{release.image}</span>
                {release.digest && (
                  <div>
                    <Digest digest={release.digest} at={release.resolvedAt} />
                  </div>
                )}
              </>
            ),
            when: <Time at={release.createdAt} />,
            who: nameOf(release),
            job: release.job ? (
              <Link href={`/jobs/${release.job.uid}`}>
                <Status name={release.job.status} />
              </Link>
            ) : (
              <span className="soft">–</span>
            ),
          })}
          itemsOf={(release) =>
            present(
              mayRollBackTo(component, release) && rollBackItem(component, release),
              changesItem(component, release),
              promoteItem(component, release),
            )
          }
        />
      )}
    </Section>
  );
}

/** To the latest release, only what was changed since it can be rolled back. */
const mayRollBackTo = ({ mayRollBack, hasUndeployedChanges, releases }: Component, { id }: Release) =>
  mayRollBack && (hasUndeployedChanges || id !== releases.nodes[0]?.id);

/** The release that was restored, or the component that it was promoted from. */
function Origin({ release: { restoredNumber, promotedFrom } }: { release: Release }) {
  if (restoredNumber !== null) return <span className="soft">{text.restored(restoredNumber)}</span>;
  if (!promotedFrom) return null;
  const { uid, application } = promotedFrom.component;
  return (
    <Link className="soft" href={`/components/${uid}/history`}>
      {text.promoted(application.name)}
    </Link>
  );
}

function nameOf({ actor, deployHook }: Release): string {
  if (deployHook) return deployHook.name;
  if (!actor) return '–';
  return actor.__typename === 'User' ? actor.nickName || actor.email : actor.name;
}
