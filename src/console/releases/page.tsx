import { Link } from 'wouter';
import { ActionTable } from '../act/action-table.tsx';
import { present } from '../act/items.tsx';
import { useApplicationLive } from '../api/subscriptions.ts';
import { useView } from '../api/view.ts';
import { ComponentReleasesQuery } from '../documents/releases.ts';
import { ComponentFrame } from '../ui/component-frame.tsx';
import { Digest } from '../ui/digest.tsx';
import { Status, Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { changesItem, promoteItem, rollBackItem } from './items.tsx';
import type { Release } from './planned.tsx';
import { text } from './strings.ts';

export function ComponentReleasesPage({ uid }: { uid: string }) {
  const { data, ...view } = useView(ComponentReleasesQuery, { by: { componentId: uid } });
  useApplicationLive(data?.component?.application.id);
  return (
    <ComponentFrame
      {...{ uid, view, component: data?.component }}
      path="releases"
      link={text.link}
      title={text.title}
      note={text.note}
    >
      {(component) => (
        <ActionTable
          label={text.link}
          columns={text.columns}
          empty={text.none}
          rows={component.releases.nodes}
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
              component.mayRollBack && rollBackItem(component, release),
              changesItem(component, release),
              promoteItem(component, release),
            )
          }
        />
      )}
    </ComponentFrame>
  );
}

/** The release that was restored, or the component that it was promoted from. */
function Origin({ release: { restoredNumber, promotedFrom } }: { release: Release }) {
  if (restoredNumber !== null) return <span className="soft">{text.restored(restoredNumber)}</span>;
  if (!promotedFrom) return null;
  const { uid, application } = promotedFrom.component;
  return (
    <Link className="soft" href={`/components/${uid}/releases`}>
      {text.promoted(application.name)}
    </Link>
  );
}

function nameOf({ actor, deployHook }: Release): string {
  if (deployHook) return deployHook.name;
  if (!actor) return '–';
  return actor.__typename === 'User' ? actor.nickName || actor.email : actor.name;
}
