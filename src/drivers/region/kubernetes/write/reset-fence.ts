import { annotations, labels, managedSelector, pathOf } from '../objects/objects.ts';
import { jobOf } from './fence.ts';
import { kindsIn, namespacesIn } from './managed-objects.ts';
import type { ClusterScope } from './scope.ts';

/**
 * Removes the numbers of jobs from what Trellis has applied in the namespaces of a region, and what removals have left behind.
 * The next job of each component is applied whatever its number is. Returns how many objects had one.
 */
export async function resetFence(scope: ClusterScope): Promise<number> {
  const { connection, signal } = scope;
  const { client } = connection;
  const namespaces = await namespacesIn(scope);
  let count = 0;
  const kinds = (await kindsIn(scope)).filter((kind) => kind !== 'Job' && kind !== 'VolumeSnapshot');
  for (const kind of kinds) {
    const { items: all } = await client.list(kind, signal, { labelSelector: managedSelector });
    const objects = all.filter(({ metadata }) => namespaces.has(metadata.namespace));
    for (const object of objects) {
      const { namespace, name } = object.metadata;
      if (jobOf(object) === undefined) continue;
      const body = { metadata: { annotations: { [annotations.job]: null } } };
      const type = 'application/merge-patch+json';
      await client.send('PATCH', pathOf(kind, namespace, name), signal, { body, type });
      count++;
    }
  }
  const { items } = await client.list('ConfigMap', signal, { labelSelector: labels.removed });
  for (const note of items) {
    if (!namespaces.has(note.metadata.namespace)) continue;
    if (jobOf(note) !== undefined) count++;
    await client.remove(note, signal);
  }
  return count;
}
