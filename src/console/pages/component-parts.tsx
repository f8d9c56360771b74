import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { itemOf, present } from '../act/items.tsx';
import { lazyDialog } from '../act/lazy-dialog.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { addVolumeItem, volumeItems } from '../application/component/volumes/items.ts';
import { text as texts } from '../application/strings.ts';
import type { ComponentQuery } from '../documents/component.ts';
import { strings } from '../strings.ts';
import { Loading, Section, Table } from '../ui/blocks.tsx';
import { Status } from '../ui/status.tsx';

const text = strings.component;
type Component = NonNullable<ResultOf<typeof ComponentQuery>['component']>;

const DependencyDialog = lazyDialog(
  async () => (await import('../application/component/dependency-dialog.tsx')).DependencyDialog,
);

const Snapshots = lazy(async () => ({ default: (await import('../snapshots/section.tsx')).Snapshots }));

/** Types of volumes whose data is not in the cluster. */
const withoutData = ['config-file', 'memoryfs'];

/** The volumes of a component. */
export function Volumes({ component }: { component: Component }) {
  const { uid, name, volumes, mayAddVolume } = component;
  const columns = Object.values(text.volumeColumns);
  const [opened, open] = useState<string>();
  const shown = volumes.nodes.find(({ id }) => id === opened);
  return (
    <Section
      title={text.volumes}
      count={volumes.totalCount}
      actions={mayAddVolume && <ActionBar isSmall items={[addVolumeItem(uid, name)]} />}
    >
      <Table
        label={text.volumes}
        columns={[...columns, texts.dependency.columns.actions]}
        empty={text.noVolumes}
      >
        {volumes.nodes.map((volume) => (
          <tr key={volume.id}>
            <td>{volume.name}</td>
            <td className="mono">{volume.path}</td>
            <td className="soft">{volume.type}</td>
            <td className="soft">{volume.capacityGiB === null ? '–' : `${volume.capacityGiB} GiB`}</td>
            <td>
              <span className="row">
                {!withoutData.includes(volume.type) && (
                  <button
                    type="button"
                    className="button small"
                    aria-expanded={opened === volume.id}
                    onClick={() => open(opened === volume.id ? undefined : volume.id)}
                  >
                    {text.snapshots}
                  </button>
                )}
                {mayAddVolume && <ActionBar isSmall items={volumeItems(volume)} />}
              </span>
            </td>
          </tr>
        ))}
      </Table>
      {shown && (
        <Suspense fallback={<Loading rows={2} />}>
          <Snapshots key={shown.id} id={shown.id} name={shown.name} mayChange={mayAddVolume} />
        </Suspense>
      )}
    </Section>
  );
}

export function Dependencies({ component }: { component: Component }) {
  const { id, uid, name, revision, dependencies, mayAddDependency, mayDeleteDependency } = component;
  const { columns } = texts.dependency;
  const key = `add-dependency ${uid}`;
  const items = present(
    mayAddDependency && {
      key,
      label: texts.addDependency,
      open: (close) => (
        <DependencyDialog
          appId={component.application.uid}
          component={{ id, name }}
          known={dependencies.nodes.map((each) => each.id)}
          draft={key}
          close={close}
        />
      ),
    },
  );
  return (
    <Section
      title={text.dependencies}
      count={dependencies.totalCount}
      actions={<ActionBar isSmall items={items} />}
    >
      <Table
        label={text.dependencies}
        columns={mayDeleteDependency ? Object.values(columns) : [columns.name, columns.status]}
        empty={texts.dependency.none}
      >
        {dependencies.nodes.map((other) => (
          <tr key={other.id}>
            <td>
              <Link className="row-link" href={`/components/${other.uid}`}>
                {other.name}
              </Link>
            </td>
            <td>
              <Status name={other.desiredState} />
            </td>
            {mayDeleteDependency && (
              <td>
                <ActionBar
                  isSmall
                  items={[
                    itemOf(`remove-dependency ${other.id}`, {
                      label: texts.remove,
                      title: texts.dependency.removeTitle(name, other.name),
                      intro: texts.dependency.removeIntro(name, other.name),
                      mutation: 'deleteDependency',
                      target: {
                        component: { id },
                        dependency: { id: other.id },
                        expectedRevision: revision,
                      },
                    }),
                  ]}
                />
              </td>
            )}
          </tr>
        ))}
      </Table>
    </Section>
  );
}
