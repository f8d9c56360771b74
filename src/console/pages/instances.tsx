import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { Listing } from '../act/listing.tsx';
import { wordsOf } from '../act/words.ts';
import { InstancesQuery } from '../documents/instances.ts';
import { strings } from '../strings.ts';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { logsPath } from './followed.ts';

const text = strings.instances;

/** The instances of a component in its cluster, with their logs. */
export function Instances({ uid }: { uid: string }) {
  const [{ data }] = useQuery({ query: InstancesQuery, variables: { by: { componentId: uid } } });
  const { instances, mayDelete } = data?.component ?? {};
  // Regions without a cluster have none, and viewers may not see them.
  if (!instances?.length) return null;
  return (
    <Listing
      texts={{ ...text, columns: { ...text.columns, actions: strings.common.actions } }}
      list={{ totalCount: instances.length, nodes: instances }}
      keyOf={(instance) => instance.name}
      classes={{ name: 'mono', restarts: 'soft', node: 'soft', started: 'soft' }}
      cells={(instance) => ({
        name: instance.name,
        phase: <Tag tone={instance.isReady ? 'good' : 'warn'}>{instance.reason ?? instance.phase}</Tag>,
        restarts: instance.restarts,
        node: instance.node ?? '–',
        started: instance.startedAt ? <Time at={instance.startedAt} /> : '–',
        actions: (
          <span className="row">
            <Link
              className="button small"
              href={logsPath(uid, instance.name)}
              aria-label={text.logs(instance.name)}
            >
              {text.logsOf}
            </Link>
            {mayDelete && <ActionBar isSmall items={[deleteItem(uid, instance.name)]} />}
          </span>
        ),
      })}
    />
  );
}

const deleteItem = (uid: string, instance: string) =>
  itemOf(`delete ${instance}`, {
    ...wordsOf(text, 'delete', instance),
    mutation: 'deleteInstance',
    target: { component: { componentId: uid }, instance },
  });
