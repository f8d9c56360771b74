import type { KubernetesObject } from '../objects/objects.ts';
import { isReady } from './status.ts';

const ordinalOf = (set: KubernetesObject, { metadata }: KubernetesObject) =>
  Number(metadata.name.slice(set.metadata.name.length + 1));

/** Whether a pod has a volume for each claim of its StatefulSet. Volumes of a pod cannot be added later. */
function hasClaims(set: KubernetesObject, { metadata: { name }, spec }: KubernetesObject): boolean {
  const claims: KubernetesObject[] = set.spec.volumeClaimTemplates ?? [];
  const volumes: KubernetesObject['spec'][] = spec.volumes ?? [];
  return claims.every((claim) => {
    const claimName = `${claim.metadata.name}-${name}`;
    return volumes.some(({ persistentVolumeClaim: has }) => has?.claimName === claimName);
  });
}

/**
 * The pod of a StatefulSet that has to be deleted, because its controller waits for it and does not replace it: the first one
 * that is not ready in an older revision, or that was made before a claim was added. Each is replaced when all before it are
 * ready, so that one instance at a time is missing.
 */
export function podToReplace(
  set: KubernetesObject,
  all: readonly KubernetesObject[],
): KubernetesObject | undefined {
  const { spec, status = {}, metadata } = set;
  // The revision that is wanted is known only when the controller has seen the last change.
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined;
  const pods = all
    .filter((pod) => ordinalOf(set, pod) < (spec.replicas ?? 1))
    .sort((one, other) => ordinalOf(set, one) - ordinalOf(set, other));
  if (pods.some((pod) => pod.metadata.deletionTimestamp)) return undefined;
  const waited = pods.find((pod) => !isReady(pod));
  if (waited) {
    const isOld = waited.metadata.labels?.['controller-revision-hash'] !== status.updateRevision;
    return isOld ? waited : undefined;
  }
  const areAvailable = (status.availableReplicas ?? 0) >= pods.length;
  return areAvailable ? pods.find((pod) => !hasClaims(set, pod)) : undefined;
}
