import { kindNamed } from '../api/kinds.ts';
import type { Store } from '../api/store.ts';
import { isAvailable, isReady } from './pods.ts';
import { counts, createPod, hashOf, ownedBy, ownerOf, remove, warn } from './workloads.ts';

export function runStatefulSets(store: Store): void {
  for (const set of store.list(kindNamed('StatefulSet'))) {
    if (!set.metadata.deletionTimestamp) runStatefulSet(store, set);
  }
}

function runStatefulSet(store: Store, set: any): void {
  const kind = kindNamed('StatefulSet');
  const { metadata, spec, status } = set;
  const { namespace, name } = metadata;
  const update = `${name}-${hashOf(spec.template)}`;
  const current = status.currentRevision ?? update;
  const podAt = (index: number) => store.get(kindNamed('Pod'), namespace, `${name}-${index}`)?.object;
  const isObserved = status.observedGeneration === metadata.generation;
  if (isObserved) step(store, set, update, podAt);
  const pods = ownedBy(store, 'Pod', set).filter((pod) => !pod.metadata.deletionTimestamp);
  const isUp = (pod: any) => isAvailable(store, pod, spec.minReadySeconds);
  const of = (revision: string) =>
    pods.filter(({ metadata: { labels } }) => labels['controller-revision-hash'] === revision);
  const isDone = of(update).length === spec.replicas && pods.length === spec.replicas && pods.every(isUp);
  store.save(kind, {
    ...set,
    status: {
      observedGeneration: metadata.generation,
      replicas: pods.length,
      ...counts({
        readyReplicas: pods.filter(isReady).length,
        currentReplicas: isDone ? of(update).length : of(current).length,
        updatedReplicas: of(update).length,
      }),
      currentRevision: isDone || pods.length === 0 ? update : current,
      updateRevision: update,
      collisionCount: 0,
      availableReplicas: pods.filter(isUp).length,
    },
  });
}

const claimNameOf = (claim: any, podName: string) => `${claim.metadata.name}-${podName}`;

const hasClaims = ({ spec }: any, pod: any) =>
  (spec.volumeClaimTemplates ?? []).every((claim: any) =>
    pod.spec.volumes?.some(
      ({ persistentVolumeClaim: has }: any) => has?.claimName === claimNameOf(claim, pod.metadata.name),
    ),
  );

const refusedUpdate = ({ metadata: { name } }: any, { metadata: { name: pod } }: any) =>
  `update Pod ${pod} in StatefulSet ${name} failed error: Pod "${pod}" is invalid: spec: Forbidden: pod updates may not change fields other than \`spec.containers[*].image\`, \`spec.initContainers[*].image\`, \`spec.activeDeadlineSeconds\`, \`spec.tolerations\` (only additions to existing tolerations) or \`spec.terminationGracePeriodSeconds\` (allow it to be set to 1 if it was previously negative)`;

/** The volumes of a pod by the claims of its StatefulSet, which are created if they are missing. */
function claimVolumes(store: Store, { metadata, spec }: any, podName: string): object[] {
  const kind = kindNamed('PersistentVolumeClaim');
  return (spec.volumeClaimTemplates ?? []).map((claim: any) => {
    const claimName = claimNameOf(claim, podName);
    if (!store.get(kind, metadata.namespace, claimName)) {
      const labels = { ...spec.selector.matchLabels, ...claim.metadata.labels };
      const finalizers = ['kubernetes.io/pvc-protection'];
      store.put('PersistentVolumeClaim', {
        metadata: { name: claimName, namespace: metadata.namespace, labels, finalizers },
        spec: claim.spec,
      });
    }
    return { name: claim.metadata.name, persistentVolumeClaim: { claimName } };
  });
}

/** Takes the pods that a StatefulSet of the same name has left. */
function adopt(store: Store, set: any): void {
  const { namespace, name } = set.metadata;
  for (const pod of store.list(kindNamed('Pod'), namespace)) {
    const isLeft = !pod.metadata.ownerReferences?.length;
    if (!isLeft || pod.metadata.labels?.['statefulset.kubernetes.io/pod-name']?.replace(/-\d+$/, '') !== name)
      continue;
    const adopted = { ...pod.metadata, ownerReferences: [ownerOf(kindNamed('StatefulSet'), set)] };
    store.save(kindNamed('Pod'), { ...pod, metadata: adopted });
  }
}

/**
 * Pods are created in order, each when the one before is ready, and updated from the last one down. The first that lacks a claim
 * cannot be updated, and ends the step.
 */
function step(store: Store, set: any, revision: string, podAt: (index: number) => any): void {
  const { metadata, spec } = set;
  adopt(store, set);
  for (let index = 0; index < spec.replicas; index++) {
    const pod = podAt(index);
    if (pod && isAvailable(store, pod, spec.minReadySeconds)) {
      if (hasClaims(set, pod)) continue;
      claimVolumes(store, set, pod.metadata.name);
      warn(store, set, 'FailedUpdate', refusedUpdate(set, pod));
      return;
    }
    if (!pod) {
      const name = `${metadata.name}-${index}`;
      const volumes = claimVolumes(store, set, name);
      const labels = { 'controller-revision-hash': revision, 'statefulset.kubernetes.io/pod-name': name };
      const refusal = createPod(store, [kindNamed('StatefulSet'), set], name, spec.template, labels, volumes);
      if (refusal)
        warn(
          store,
          set,
          'FailedCreate',
          `create Pod ${name} in StatefulSet ${metadata.name} failed error: ${refusal}`,
        );
    }
    // A pod that cannot start is waited for, even if it is of an older revision.
    return;
  }
  const surplus = ownedBy(store, 'Pod', set)
    .filter((pod) => !pod.metadata.deletionTimestamp)
    .filter((pod) => Number(pod.metadata.name.slice(metadata.name.length + 1)) >= spec.replicas);
  if (surplus.length > 0) {
    remove(store, 'Pod', surplus.at(-1));
    return;
  }
  for (let index = spec.replicas - 1; index >= 0; index--) {
    if (podAt(index).metadata.labels['controller-revision-hash'] === revision) continue;
    remove(store, 'Pod', podAt(index));
    return;
  }
}
