import { useQuery } from 'urql';
import { ActionBar } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { Listing } from '../act/listing.tsx';
import { wordsOf } from '../act/words.ts';
import { InstancesQuery } from '../documents/instances.ts';
import { Logs } from '../logs/logs.tsx';
import { strings } from '../strings.ts';
import { Section } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { Tag } from '../ui/status.tsx';
import { Table } from '../ui/table.tsx';
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
          <Button
            look="small"
            aria-expanded={followed !== undefined}
            onClick={() => follow(followed === undefined ? null : undefined)}
          >
            {followed === undefined ? text.follow : text.stop}
          </Button>
        }
      >
        <Table
          label={text.title}
          columns={{ ...text.columns, actions: strings.common.actions }}
          empty={text.none}
          rows={instances ?? []}
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
                <Button
                  look="small"
                  aria-label={text.logs(instance.name)}
                  onClick={() => follow(instance.name)}
                >
                  {text.logsOf}
                </Button>
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
            ),
          })}
        />
        {followed !== undefined && (
          <Logs key={followed} uid={uid} name={followed ?? name} instance={followed} />
        )}
      </Section>
      {clusterEvents && clusterEvents.length > 0 && (
        <Listing
          texts={{ title: text.events, columns: text.eventColumns, none: text.none }}
          list={{ totalCount: clusterEvents.length, nodes: clusterEvents }}
          keyOf={(event) => `${event.objectName} ${event.reason} ${event.lastAt} ${event.message}`}
          classes={{ at: 'soft', object: 'mono soft' }}
          cells={(event) => ({
            at: event.lastAt ? <Time at={event.lastAt} /> : '–',
            reason: <Tag tone={event.isWarning ? 'warn' : 'idle'}>{event.reason}</Tag>,
            message: (
              <>
                {event.message} {event.count > 1 && <span className="soft">× {event.count}</span>}
              </>
            ),
            object: (
              <>
                {event.objectKind} {event.objectName}
              </>
            ),
          })}
        />
      )}
    </>
  );
}
