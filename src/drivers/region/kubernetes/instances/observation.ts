import { groupBy } from '../../../../kernel/group.ts';
import type { ComponentKnowledge, RegionDriver } from '../../driver.ts';
import type { Connection } from '../cluster/connection.ts';
import type { EventSettings } from '../cluster/pod-events.ts';
import type { FromConnection } from '../write/scopes.ts';
import { observed } from './status.ts';
import { eventNeed, isKept } from './trouble.ts';

/** The status of a component that the cluster has nothing of: it is lost, unless the work that brings it was cancelled. */
const absent = ({ deployState, lastWork }: ComponentKnowledge) => {
  if (deployState !== 'running') return deployState;
  const was = lastWork?.outcome === 'cancelled' ? lastWork.previousStatus : '';
  return ['undeploy', 'closed'].includes(was) ? was : 'abnormal';
};

function statusOf(connection: Connection, component: ComponentKnowledge): string {
  if (!connection.instances.isCurrent) return 'unknown';
  const workload = connection.instances.workloadOf(component.id);
  if (!workload) return connection.instances.podsOf(component.id).length > 0 ? 'stopping' : absent(component);
  const hasFailed = component.lastWork?.outcome === 'failed';
  return observed(workload, connection.instances.podsOf(component.id), { hasFailed }).status;
}

type ObservedComponent = Pick<ComponentKnowledge, 'id' | 'regionId'>;

/** A look at components in what is known of their clusters. */
export function observation(
  fromConnection: FromConnection,
  settings: EventSettings,
): Required<Pick<RegionDriver, 'observe' | 'explain' | 'replicas'>> {
  /** The result of `find` for each component. */
  async function look<C extends ObservedComponent, T>(
    components: readonly C[],
    signal: AbortSignal,
    find: (connection: Connection, component: C) => Promise<T | undefined> | T | undefined,
  ): Promise<Map<string, T>> {
    const results = new Map<string, T>();
    await Promise.all(
      [...groupBy(components, ({ regionId }) => regionId)].map(([regionId, group]) =>
        fromConnection(regionId, signal, (connection) =>
          Promise.all(
            group.map(async (each) => {
              const value = await find(connection, each);
              if (value !== undefined) results.set(each.id, value);
            }),
          ),
        ),
      ),
    );
    return results;
  }

  /** Why a component is not healthy, with what the events of its pods say. */
  async function explanationOf(
    connection: Connection,
    { id }: ObservedComponent,
  ): Promise<string | undefined> {
    const workload = connection.instances.workloadOf(id);
    if (!workload) return undefined;
    const pods = connection.instances.podsOf(id);
    const eventsOf = await connection.podEvents.read(pods.filter(isKept), eventNeed, settings);
    return observed(workload, pods, { eventsOf }).reason;
  }

  return {
    observe: (components, signal) => look(components, signal, statusOf),
    explain: (components, signal) => look(components, signal, explanationOf),
    replicas: (components, signal) =>
      look(components, signal, (connection, { id }): number | undefined => {
        const count = connection.instances.workloadOf(id)?.spec.replicas;
        return connection.instances.isCurrent ? count : undefined;
      }),
  };
}
