import { useQuery } from 'urql';
import { Listing } from '../act/listing.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { ComponentHeadQuery } from '../documents/component.ts';
import { ClusterEventsQuery, InstancesQuery } from '../documents/instances.ts';
import { Logs } from '../logs/logs.tsx';
import { strings } from '../strings.ts';
import { Loading, Section } from '../ui/blocks.tsx';
import { Choice } from '../ui/choice.tsx';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { ComponentFrame } from './component-head.tsx';
import { useFollowed } from './followed.ts';

const text = strings.instances;
type Component = NonNullable<ResultOf<typeof ComponentHeadQuery>['component']>;

/** What the instances of a component write, and what their cluster says of them. */
export function ComponentLogsPage({ uid }: { uid: string }) {
  const view = useView(ComponentHeadQuery, { by: { componentId: uid } });
  return (
    <ComponentFrame uid={uid} tab="logs" view={view}>
      {(component) =>
        component.application.region.driver === 'DECLARED' ? (
          <Section title={text.logsOf} empty={text.noCluster} />
        ) : (
          <InstanceLogs component={component} />
        )
      }
    </ComponentFrame>
  );
}

function InstanceLogs({ component: { uid, name } }: { component: Component }) {
  const variables = { by: { componentId: uid } };
  const [{ data: read, error, fetching }] = useQuery({ query: InstancesQuery, variables });
  const [{ data: inCluster }] = useQuery({ query: ClusterEventsQuery, variables });
  const instances = read?.component?.instances?.map((each) => each.name) ?? [];
  const [followed, follow] = useFollowed(read?.component?.instances);
  const events = inCluster?.component?.clusterEvents ?? [];
  if (error?.graphQLErrors.some(({ extensions }) => extensions.code === 'FORBIDDEN'))
    return <Section title={text.logsOf} empty={strings.component.hiddenFromYou} />;
  // One that is gone can still be chosen: what it wrote may have been stored.
  const names = followed === null || instances.includes(followed) ? instances : [followed, ...instances];
  return (
    <>
      <Section
        title={text.logsOf}
        actions={
          <Choice
            label={text.instance}
            options={names}
            texts={Object.fromEntries(names.map((each) => [each, each]))}
            value={followed ?? ''}
            change={follow}
            none={text.all}
          />
        }
      >
        {fetching && !read ? (
          <Loading />
        ) : (
          <Logs key={followed} uid={uid} name={followed ?? name} instance={followed} />
        )}
      </Section>
      <Listing
        texts={{ title: text.events, columns: text.eventColumns, none: text.noEvents }}
        list={{ totalCount: events.length, nodes: events }}
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
    </>
  );
}
