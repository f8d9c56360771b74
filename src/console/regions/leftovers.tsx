import { useQuery } from 'urql';
import { dialogOf } from '../act/dialog.tsx';
import type { FragmentOf } from '../api/graphql.ts';
import { RegionOrphansQuery, type RemovalParts } from '../documents/regions.ts';
import { messageOf, Notice, Section, Table } from '../ui/blocks.tsx';
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
    <Section title={text.leftovers} count={orphans.length}>
      <p className="soft small leftovers-text">{text.leftoversText}</p>
      <Table label={text.leftovers} columns={Object.values(text.leftoverColumns)} empty="">
        {orphans.map(({ kind, namespace, name, hasData, createdAt }) => (
          <tr key={`${kind} ${namespace} ${name}`}>
            <td>
              {kind} {name} {hasData && <Tag tone="warn">{text.hasData}</Tag>}
            </td>
            <td className="soft">{namespace}</td>
            <td className="soft">{createdAt ? <Time at={createdAt} /> : text.unknownDriver}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

interface Props {
  region: { uid: string; alias: string };
  draft: string;
  close(): void;
}

/** Removes what is left, after it was shown. */
export function RemoveLeftoversDialog({ region, draft, close }: Props) {
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
