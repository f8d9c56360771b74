import { useQuery } from 'urql';
import { ActionBar } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { wordsOf } from '../act/words.ts';
import { InstancesQuery } from '../documents/instances.ts';
import { Logs } from '../logs/logs.tsx';
import { strings } from '../strings.ts';
import { Section, Table } from '../ui/blocks.tsx';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { failingInstance, useFollowed } from './followed.ts';

const text = strings.instances;

/** The instances of a component in its cluster, their logs, and their events in the cluster. */
export function Instances({ uid, name }: { uid: string; name: string }) {
  const [{ data }] = useQuery({ query: InstancesQuery, variables: { by: { componentId: uid } } });
  const { instances, clusterEvents, mayDelete } = data?.component ?? {};
  const [followed, follow] = useFollowed(failingInstance(instances));
  // Regions without a cluster have none, and viewers may not see them.
  if (!instances?.length && !clusterEvents?.length) return null;
  const component = { componentId: uid };
  return (
    <>
      <Section
        title={text.title}
        count={instances?.length ?? 0}
        actions={
          <button
            type="button"
            className="button small"
            aria-expanded={followed !== undefined}
            onClick={() => follow(followed === undefined ? null : undefined)}
          >
            {followed === undefined ? text.follow : text.stop}
          </button>
        }
      >
        <Table label={text.title} columns={Object.values(text.columns)} empty={text.none}>
          {instances?.map((instance) => (
            <tr key={instance.name}>
              <td className="mono">{instance.name}</td>
              <td>
                <Tag tone={instance.isReady ? 'good' : 'warn'}>{instance.reason ?? instance.phase}</Tag>
              </td>
              <td className="soft">{instance.restarts}</td>
              <td className="soft">{instance.node ?? '–'}</td>
              <td className="soft">{instance.startedAt ? <Time at={instance.startedAt} /> : '–'}</td>
              <td>
                <span className="row">
                  <button
                    type="button"
                    className="button small"
                    aria-label={text.logs(instance.name)}
                    onClick={() => follow(instance.name)}
                  >
                    {text.logsOf}
                  </button>
                  {mayDelete && (
                    <ActionBar
                      isSmall
                      items={[
                        itemOf('delete', {
                          ...wordsOf(text, 'delete', instance.name),
                          mutation: 'deleteInstance',
                          target: { component, instance: instance.name },
                        }),
                      ]}
                    />
                  )}
                </span>
              </td>
            </tr>
          ))}
        </Table>
        {followed !== undefined && (
          <Logs key={followed} uid={uid} name={followed ?? name} instance={followed} />
        )}
      </Section>
      {clusterEvents && clusterEvents.length > 0 && (
        <Section title={text.events} count={clusterEvents.length}>
          <Table label={text.events} columns={Object.values(text.eventColumns)} empty={text.none}>
            {clusterEvents.map((event) => (
              <tr key={`${event.objectName} ${event.reason} ${event.lastAt} ${event.message}`}>
                <td className="soft">{event.lastAt ? <Time at={event.lastAt} /> : '–'}</td>
                <td>
                  <Tag tone={event.isWarning ? 'warn' : 'idle'}>{event.reason}</Tag>
                </td>
                <td>
                  {event.message} {event.count > 1 && <span className="soft">× {event.count}</span>}
                </td>
                <td className="mono soft">
                  {event.objectKind} {event.objectName}
                </td>
              </tr>
            ))}
          </Table>
        </Section>
      )}
    </>
  );
}
