import { lazy, Suspense, useState } from 'react';
import { ActionBar } from '../act/action-bar.tsx';
import { Listing } from '../act/listing.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { addVolumeItem, volumeItems } from '../application/component/volumes/items.ts';
import type { ComponentConfigurationQuery } from '../documents/component.ts';
import { strings } from '../strings.ts';
import { Loading } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';

const text = strings.component;
type Component = NonNullable<ResultOf<typeof ComponentConfigurationQuery>['component']>;

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
