import { graphql } from '../api/graphql.ts';
import { lookup } from './query.ts';

// What only the cluster knows is read by queries of its own: a cluster that does not respond costs only these.

export const InstancesQuery = lookup('component', 'Instances', {
  select: `
    id
    mayDelete: viewerCan(action: DELETE_INSTANCE)
    instances { name phase reason isReady restarts node startedAt }
  `,
});

export const ClusterEventsQuery = lookup('component', 'ClusterEvents', {
  select: 'id clusterEvents { reason message isWarning count lastAt objectKind objectName }',
});

/** The lines that instances write, as they are written. */
export const ComponentLogs = graphql(`
  subscription ComponentLogs($component: ComponentRef!, $instance: String, $run: RunRef) {
    componentLogs(component: $component, instance: $instance, run: $run, tail: 100) {
      lines { instance at text }
    }
  }
`);
