import type { ComponentIdentity } from '../../desired.ts';
import { shortHash } from '../../object-names.ts';
import { hasCode } from '../cluster/answers.ts';
import { isStale } from '../cluster/errors.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { type KubernetesObject, labels } from '../objects/objects.ts';
import { applyObject } from './apply-object.ts';
import { jobOf, requireLatest } from './fence.ts';
import type { ClusterScope } from './scope.ts';

/** For how long the number of a removal stays in the cluster: longer than a lease, and than a machine is suspended overnight. */
const keptMs = 24 * 3_600_000;

/** The object that is left of a removed component: it has the number of the job that removed it. */
const noteOf = ({ region }: ClusterScope, component: ComponentIdentity): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: `trellis-removed-${shortHash(component.id)}`,
    namespace: namespaceIn(region, component),
    labels: { [labels.removed]: component.id, [labels.team]: component.teamId },
  },
  data: { removedAt: new Date().toISOString() },
});

const readNote = (
  { connection, signal }: ClusterScope,
  { metadata: { namespace, name } }: KubernetesObject,
) => connection.client.read('ConfigMap', namespace, name, signal);

/** The number of the job that has removed a component last, if that was not long ago. */
export async function removalOf(
  scope: ClusterScope,
  component: ComponentIdentity,
): Promise<number | undefined> {
  const note = noteOf(scope, component);
  const current = await readNote(scope, note);
  return current?.metadata.labels?.[labels.removed] === component.id ? jobOf(current) : undefined;
}

/**
 * Leaves the number of a removal behind, before anything is removed: an older job that creates something later finds it. Does
 * nothing if the namespace is gone.
 */
export async function noteRemoval(scope: ClusterScope, component: ComponentIdentity): Promise<void> {
  const note = noteOf(scope, component);
  // Most components are removed once, so that there is nothing to read.
  for (let current: KubernetesObject | undefined; ; current = await readNote(scope, note)) {
    const removed = jobOf(current);
    requireLatest(scope, 'The component was removed', undefined, removed);
    if (current && removed === scope.job) return;
    try {
      await applyObject(scope, note, { current: current ?? null });
      return;
    } catch (error) {
      scope.signal.throwIfAborted();
      const cause = error instanceof Error ? error.cause : undefined;
      const isRefused = hasCode(cause, 403, 404);
      if (isRefused) return;
      if (!isStale(error)) throw error;
    }
  }
}

/** Forgets the removals of long ago in a region. */
export async function forgetRemovals({
  connection,
  signal,
}: Pick<ClusterScope, 'connection' | 'signal'>): Promise<void> {
  const { items } = await connection.client.list('ConfigMap', signal, { labelSelector: labels.removed });
  for (const note of items) {
    const removedAtMs = Date.parse(note.data?.removedAt ?? '');
    const version = note.metadata.resourceVersion;
    if (!(removedAtMs >= Date.now() - keptMs)) await connection.client.remove(note, signal, { version });
  }
}
