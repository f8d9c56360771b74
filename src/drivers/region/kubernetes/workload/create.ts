import type { DesiredComponent } from '../../desired.ts';
import { RegionWorkError } from '../../driver.ts';
import { isStale } from '../cluster/errors.ts';
import {
  annotations,
  componentSelector,
  type KubernetesObject,
  labels,
  withAnnotations,
} from '../objects/objects.ts';
import { applyObject } from '../write/apply-object.ts';
import { requireLatest } from '../write/fence.ts';
import { requireOwn } from '../write/owner.ts';
import { removalOf } from '../write/removals.ts';
import { removeOwn } from '../write/remove.ts';
import type { ClusterScope } from '../write/scope.ts';

/** Whether the component has instances, which its workload would end if it were created without any. */
async function hasInstances(
  { connection, signal }: ClusterScope,
  { id }: DesiredComponent,
  namespace: string,
) {
  if (connection.instances.isCurrent) return connection.instances.podsOf(id).length > 0;
  const query = { namespace, labelSelector: componentSelector({ id }), limit: 1 };
  return (await connection.client.list('Pod', signal, query)).items.length > 0;
}

/** The state of a workload that has been created, before its instances may start. */
const created = 'created';

/** Whether a workload has to be completed: it was created, perhaps by a request that has arrived late. */
export const isIncomplete = ({ metadata }: KubernetesObject): boolean =>
  metadata.annotations?.[annotations.state] === created;

const withoutInstances = (object: KubernetesObject): KubernetesObject => ({
  ...withAnnotations(object, { [annotations.state]: created }),
  spec: { ...object.spec, replicas: 0 },
});

/** The number of a removal is gone with the namespace of an application, which can have been made anew since. */
async function requireUse({ source }: ClusterScope, component: DesiredComponent): Promise<void> {
  const { id, namespaceId } = component;
  if (namespaceId === 0 || (await source.isInUse(namespaceId, id))) return;
  throw new RegionWorkError('The component is no longer deployed.', { isPermanent: true });
}

/**
 * Creates the workload of a component without instances, and then makes sure that no later job has removed the component. A
 * removal leaves its number behind before it looks for what to remove: either it finds this workload, or its number is found
 * here. Whatever arrives late at the cluster, no instance of a removed component starts.
 */
export async function createWorkload(
  scope: ClusterScope,
  component: DesiredComponent,
  object: KubernetesObject,
  before: KubernetesObject | undefined,
): Promise<void> {
  const { connection, signal } = scope;
  const { client } = connection;
  let current = before;
  if (!current && !(await hasInstances(scope, component, object.metadata.namespace!))) {
    current = await applyObject(scope, withoutInstances(object), { current: null }).catch((error) => {
      signal.throwIfAborted();
      if (!isStale(error)) throw error;
      return requireOwn(client, object, labels.component, signal);
    });
  }
  const removed = await removalOf(scope, component);
  try {
    requireLatest(scope, 'The component was removed', undefined, removed);
    await requireUse(scope, component);
  } catch (error) {
    if (current && isIncomplete(current)) await removeOwn(scope, current);
    throw error;
  }
}
