import { useQuery } from 'urql';
import { dialogOf } from '../act/dialog.tsx';
import type { DialogProps } from '../act/dialog-frame.tsx';
import { Listing } from '../act/listing.tsx';
import type { FragmentOf } from '../api/graphql.ts';
import { RegionOrphansQuery, type RemovalParts } from '../documents/regions.ts';
import { messageOf, Notice, Section } from '../ui/blocks.tsx';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { text } from './strings.ts';

type Removed = FragmentOf<typeof RemovalParts>;

/** Objects that Trellis has left in a cluster. Nothing is shown while there are none. */
export function Leftovers({ name }: { name: string }) {
  const [{ data, error }] = useQuery({ query: RegionOrphansQuery, variables: { by: { name } } });
  const orphans = data?.region?.orphans;
  if (!orphans && error) {
    return (
      <Section title={text.leftovers}>
        <Notice tone="warn">
          {text.leftoversUnknown}: {messageOf(error)}
        </Notice>
      </Section>
    );
  }
  if (!orphans?.length) return null;
  return (
    <Listing
      texts={{ title: text.leftovers, columns: text.leftoverColumns, none: '' }}
      list={{ totalCount: orphans.length, nodes: orphans }}
      intro={<p className="soft small section-note">{text.leftoversText}</p>}
      keyOf={({ kind, namespace, name }) => `${kind} ${namespace} ${name}`}
      classes={{ namespace: 'soft', created: 'soft' }}
      cells={({ kind, namespace, name, hasData, createdAt }) => ({
        object: (
          <>
            {kind} {name} {hasData && <Tag tone="warn">{text.hasData}</Tag>}
          </>
        ),
        namespace,
        created: createdAt ? <Time at={createdAt} /> : text.unknownDriver,
      })}
    />
  );
}

/** Removes what is left, after it was shown. */
export function RemoveLeftoversDialog({
  region,
  draft,
  close,
}: DialogProps<{ region: { uid: string; alias: string } }>) {
  return dialogOf(close, {
    draft,
    label: text.removeAction,
    title: text.removeTitle(region.alias),
    intro: text.removeIntro,
    mutation: 'removeRegionOrphans',
    form: { first: ['deleteVolumes'], labels: text.fields, hints: {} },
    target: { region: { regionId: region.uid } },
    planned: ({ payload }) => <WouldRemove orphans={(payload as Removed).orphans} />,
  });
}

function WouldRemove({ orphans }: { orphans: Removed['orphans'] }) {
  if (orphans.length === 0) return <p className="soft">{text.nothingLeft}</p>;
  return (
    <section>
      <p>{text.wouldRemove(orphans.length)}</p>
      <ul className="leftovers">
        {orphans.map(({ kind, namespace, name, hasData }) => (
          <li key={`${kind} ${namespace} ${name}`}>
            <strong>
              {kind} {name}
            </strong>
            <span className="soft">{namespace}</span>
            {hasData && <Tag tone="bad">{text.hasData}</Tag>}
          </li>
        ))}
      </ul>
    </section>
  );
}
