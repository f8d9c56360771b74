import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { itemOf, present } from '../act/items.tsx';
import { lazyItem } from '../act/lazy-item.tsx';
import { Listing } from '../act/listing.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { addVolumeItem, volumeItems } from '../application/component/volumes/items.ts';
import { text as texts } from '../application/strings.ts';
import type { ComponentQuery } from '../documents/component.ts';
import { strings } from '../strings.ts';
import { Loading } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { Status } from '../ui/status.tsx';

const text = strings.component;
type Component = NonNullable<ResultOf<typeof ComponentQuery>['component']>;

const addDependencyItem = lazyItem(
  texts.addDependency,
  async () => (await import('../application/component/dependency-dialog.tsx')).DependencyDialog,
);

const Snapshots = lazy(async () => ({ default: (await import('../snapshots/section.tsx')).Snapshots }));

/** Types of volumes whose data is not in the cluster. */
const withoutData = ['config-file', 'memoryfs'];

export function Volumes({ component }: { component: Component }) {
  const { uid, name, volumes, mayAddVolume } = component;
  const [opened, open] = useState<string>();
  const shown = volumes.nodes.find(({ id }) => id === opened);
  return (
    <Listing
      texts={{
        title: text.volumes,
        columns: { ...text.volumeColumns, actions: strings.common.actions },
        none: text.noVolumes,
      }}
      list={volumes}
      add={mayAddVolume && [addVolumeItem(uid, name)]}
      classes={{ path: 'mono', type: 'soft', capacity: 'soft' }}
      cells={(volume) => ({
        name: volume.name,
        path: volume.path,
        type: volume.isShared ? text.sharedVolume(volume.type) : volume.type,
        capacity: volume.capacityGiB === null ? '–' : `${volume.capacityGiB} GiB`,
        actions: (
          <span className="row">
            {!withoutData.includes(volume.type) && (
              <Button
                look="small"
                aria-expanded={opened === volume.id}
                onClick={() => open(opened === volume.id ? undefined : volume.id)}
              >
                {text.snapshots}
              </Button>
            )}
            {mayAddVolume && <ActionBar isSmall items={volumeItems(volume)} />}
          </span>
        ),
      })}
    >
      {shown && (
        <Suspense fallback={<Loading rows={2} />}>
          <Snapshots key={shown.id} id={shown.id} name={shown.name} mayChange={mayAddVolume} />
        </Suspense>
      )}
    </Listing>
  );
}

export function Dependencies({ component }: { component: Component }) {
  const { id, uid, name, revision, dependencies, mayAddDependency, mayDeleteDependency } = component;
  const known = dependencies.nodes.map((each) => each.id);
  const props = { appId: component.application.uid, component: { id, name }, known };
  const items = present(mayAddDependency && addDependencyItem(`add-dependency ${uid}`, props));
  return (
    <Listing
      texts={{ title: text.dependencies, columns: texts.dependency.columns, none: texts.dependency.none }}
      list={dependencies}
      add={items}
      cells={(other) => ({
        name: (
          <Link className="row-link" href={`/components/${other.uid}`}>
            {other.name}
          </Link>
        ),
        status: <Status name={other.desiredState} />,
      })}
      itemsOf={
        mayDeleteDependency &&
        ((other) => [
          itemOf(`remove-dependency ${other.id}`, {
            label: texts.remove,
            title: texts.dependency.removeTitle(name, other.name),
            intro: texts.dependency.removeIntro(name, other.name),
            mutation: 'deleteDependency',
            target: { component: { id }, dependency: { id: other.id }, expectedRevision: revision },
          }),
        ])
      }
    />
  );
}
