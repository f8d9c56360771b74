import type { ComponentIdentity, DesiredComponent } from '../../desired.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { isOfComponent, type KubernetesObject } from '../objects/objects.ts';
import { listOf } from '../write/own-objects.ts';
import type { ClusterScope } from '../write/scope.ts';
import type { Silence } from './silence.ts';

interface Found {
  workload: KubernetesObject | undefined;
  pods: readonly KubernetesObject[];
}

const kindOf = ({ extendMethod }: Pick<DesiredComponent, 'extendMethod'>) =>
  extendMethod === 'state' ? ('StatefulSet' as const) : ('Deployment' as const);

/** The workload and the pods of a component, as they are now. */
async function readInstances(
  scope: ClusterScope,
  component: ComponentIdentity & Pick<DesiredComponent, 'extendMethod'>,
): Promise<Found> {
  const { connection, region, signal } = scope;
  const { client, instances } = connection;
  const { events } = instances;
  const namespace = namespaceIn(region, component);
  const [workload, pods] = await Promise.all([
    client.read(kindOf(component), namespace, component.clusterName, signal),
    listOf(scope, 'Pod', component),
  ]);
  const workloads = isOfComponent(workload, component.id) ? [workload] : [];
  instances.see(component.id, [...workloads, ...pods], events);
  return { workload, pods };
}

/**
 * The workload and the pods of a component, as they are known from watches. When these have said nothing for a while, the
 * cluster is asked for the workload, and for everything if that has changed: then the watches are late.
 */
export async function lookAtInstances(
  scope: ClusterScope,
  component: ComponentIdentity & Pick<DesiredComponent, 'extendMethod'>,
  silence: Silence,
): Promise<Found> {
  const { connection, region, signal } = scope;
  await connection.instances.ready(signal);
  if (!connection.instances.isCurrent) return readInstances(scope, component);
  const namespace = namespaceIn(region, component);
  const workload = connection.cache.find(kindOf(component), namespace, component.clusterName);
  const pods = connection.instances.podsOf(component.id);
  const all = [...(workload ? [workload] : []), ...pods];
  if (silence.isLong(all.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join())) {
    const { cache } = connection;
    const [pod] = pods;
    const isAsKnown =
      workload !== undefined &&
      (await cache.verify(workload, 'component', signal)) &&
      (pod ? await cache.verify(pod, 'component', signal) : !workload.status?.replicas);
    if (!isAsKnown) return readInstances(scope, component);
  }
  return { workload, pods };
}
