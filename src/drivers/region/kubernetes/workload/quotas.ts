import { amountOf } from '../../../../formats/quantities.ts';
import type { DesiredComponent } from '../../desired.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import type { KubernetesObject } from '../objects/objects.ts';
import type { ClusterScope } from '../write/scope.ts';
import { firstReplicasOf } from './autoscaling.ts';

/** The resources of one pod in a quota. */
const countsOf = (spec: KubernetesObject['spec'] | undefined): Record<string, number> => {
  const { requests, limits } = spec?.containers?.[0]?.resources ?? {};
  const [cpu, memory] = [amountOf(requests?.cpu), amountOf(requests?.memory)];
  const limited = { 'limits.cpu': amountOf(limits?.cpu), 'limits.memory': amountOf(limits?.memory) };
  return {
    cpu,
    memory,
    'requests.cpu': cpu,
    'requests.memory': memory,
    ...limited,
    pods: 1,
    'count/pods': 1,
  };
};

/**
 * For how many instances more than it is to have a component has room in the quotas of its namespace, both before an update
 * and after it. Undefined if there is no quota.
 */
export async function roomFor(
  { connection, region, signal }: ClusterScope,
  component: DesiredComponent,
  before: KubernetesObject | undefined,
  after: KubernetesObject,
): Promise<number | undefined> {
  const namespace = namespaceIn(region, component);
  const { items } = await connection.client.list('ResourceQuota', signal, { namespace });
  const [old, next] = [countsOf(before?.spec.template.spec), countsOf(after.spec.template.spec)];
  const replicas: number = before?.spec.replicas ?? 0;
  // An autoscaler leaves the number as it is.
  const desiredReplicas: number = after.spec.replicas ?? Math.max(replicas, firstReplicasOf(component));
  const rooms = items.flatMap(({ spec, status }) =>
    Object.entries((spec?.hard ?? {}) as Record<string, string>)
      .filter(([name]) => next[name])
      .map(([name, hard]) => {
        const free = amountOf(hard) - amountOf(status?.used?.[name]);
        const share = replicas * old[name]!;
        return Math.min(free / next[name]!, (free + share) / next[name]! - desiredReplicas);
      }),
  );
  return rooms.length === 0 ? undefined : Math.max(0, Math.floor(Math.min(...rooms) + 1e-9));
}
