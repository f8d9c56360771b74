import type { DesiredComponent } from '../../desired.ts';
import { observed } from '../instances/status.ts';
import { isWorkload } from '../objects/objects.ts';
import { hashOf } from '../objects/stored-object.ts';
import { hashed } from '../write/apply-object.ts';
import type { ClusterScope } from '../write/scope.ts';
import { objectsOf } from './apply.ts';

/**
 * The components whose workload was applied as it is desired now, with all instances ready. It is not read anew: what others
 * change in it is put back anyway.
 */
export async function matchingIn(
  scope: ClusterScope,
  components: readonly DesiredComponent[],
): Promise<Set<string>> {
  const { connection, signal } = scope;
  await connection.instances.ready(signal);
  const matching = new Set<string>();
  if (!connection.instances.isCurrent) return matching;
  for (const component of components) {
    const workload = connection.instances.workloadOf(component.id);
    if (!workload || workload.metadata.deletionTimestamp) continue;
    const { status, isSettled } = observed(workload, connection.instances.podsOf(component.id));
    if (status !== 'running' || !isSettled) continue;
    const objects = await objectsOf(scope, component, { workload });
    const desired = objects.find(isWorkload)!;
    if (hashOf(workload) === hashOf(hashed(desired))) matching.add(component.id);
  }
  return matching;
}
