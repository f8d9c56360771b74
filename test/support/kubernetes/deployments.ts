import type { ControllerOptions } from './controllers.ts';
import { kindNamed } from './kinds.ts';
import { canonical } from './managed-fields.ts';
import { isReady } from './pods.ts';
import { now, type Store } from './store.ts';
import { counts, createPod, hashOf, isOwnedBy, ownerOf, remove, warn } from './workloads.ts';

/** Replaces the conditions of some types, with their times. */
function conditions(
  status: any,
  ...given: [type: string, is: boolean, reason: string, message: string][]
): any[] {
  const next = [...(status.conditions ?? [])];
  for (const [type, is, reason, message] of given) {
    const at = next.findIndex((each) => each.type === type);
    const was = next[at];
    const value = is ? 'True' : 'False';
    if (was?.reason === reason && was.status === value && was.message === message) continue;
    const lastTransitionTime = was?.status === value ? was.lastTransitionTime : now();
    next.splice(at < 0 ? next.length : at, at < 0 ? 0 : 1, {
      type,
      status: value,
      lastUpdateTime: now(),
      lastTransitionTime,
      reason,
      message,
    });
  }
  return next;
}

const progress = new WeakMap<Store, Map<string, { seen: string; at: number }>>();

export function runDeployments(store: Store, options: ControllerOptions): void {
  for (const deployment of store.list(kindNamed('Deployment'))) {
    if (!deployment.metadata.deletionTimestamp && !deployment.spec.paused)
      runDeployment(store, deployment, options);
  }
}

function runDeployment(store: Store, deployment: any, { progressDeadlineMs }: ControllerOptions): void {
  const [kind, setKind] = [kindNamed('Deployment'), kindNamed('ReplicaSet')];
  const { metadata, spec, status } = deployment;
  const { namespace, name } = metadata;
  const hash = hashOf(spec.template);
  const setName = `${name}-${hash}`;
  const save = (next: any, revision?: string) => {
    const annotations = revision
      ? { ...metadata.annotations, 'deployment.kubernetes.io/revision': revision }
      : metadata.annotations;
    store.save(kind, {
      ...deployment,
      metadata: { ...metadata, ...(annotations && { annotations }) },
      status: next,
    });
  };
  const set = store.get(setKind, namespace, setName)?.object;
  if (!set) {
    const labels = { ...spec.template.metadata.labels, 'pod-template-hash': hash };
    store.put('ReplicaSet', {
      metadata: { name: setName, namespace, labels, ownerReferences: [ownerOf(kind, deployment)] },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
      },
      status: {},
    });
    const message = `Created new replica set "${setName}"`;
    const revision = String(Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0) + 1);
    save(
      { ...status, conditions: conditions(status, ['Progressing', true, 'NewReplicaSetCreated', message]) },
      revision,
    );
    return;
  }
  const sets = store.list(setKind, namespace).filter(isOwnedBy(deployment));
  const podsOf = (of: any) => store.list(kindNamed('Pod'), namespace).filter(isOwnedBy(of));
  const isObserved = status.observedGeneration === metadata.generation;
  let refusal: string | undefined;
  if (isObserved) {
    const current = podsOf(set).filter((pod) => !pod.metadata.deletionTimestamp);
    const old = sets
      .filter((each) => each !== set)
      .flatMap(podsOf)
      .filter((pod) => !pod.metadata.deletionTimestamp);
    const isRecreate = spec.strategy.type === 'Recreate';
    const surge = isRecreate ? 0 : Math.max(1, Math.ceil(spec.replicas / 4));
    const room = Math.min(
      spec.replicas - current.length,
      spec.replicas + (old.length ? surge : 0) - current.length - old.length,
    );
    for (let index = 0; index < room && !refusal; index++) {
      const podName = `${setName}-${(store.podCount + 2_000_000).toString(36)}`;
      refusal = createPod(store, [setKind, set], podName, spec.template, { 'pod-template-hash': hash });
    }
    for (const pod of current.slice(spec.replicas)) remove(store, 'Pod', pod);
    const ready = [...current, ...old].filter(isReady).length;
    const broken = old.filter((pod) => !isReady(pod));
    const surplus = isRecreate
      ? old
      : [...broken, ...old.filter(isReady).slice(0, Math.max(0, ready - spec.replicas))];
    for (const pod of spec.replicas === 0 ? old : surplus) remove(store, 'Pod', pod);
    if (refusal) warn(store, set, 'FailedCreate', `Error creating: ${refusal}`);
  }
  const pods = sets.flatMap(podsOf).filter((pod) => !pod.metadata.deletionTimestamp);
  const updated = podsOf(set).filter((pod) => !pod.metadata.deletionTimestamp);
  const ready = pods.filter(isReady).length;
  const isComplete =
    isObserved && ready === pods.length && updated.length === pods.length && updated.length === spec.replicas;
  const isAvailable = ready >= spec.replicas - (spec.replicas > 1 ? Math.floor(spec.replicas / 4) : 0);
  const told = status.conditions?.find(({ type }: any) => type === 'Progressing');
  const counted = counts({
    replicas: pods.length,
    updatedReplicas: updated.length,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(spec.replicas, pods.length) - ready,
  });
  const isLate =
    progressDeadlineMs !== undefined &&
    lateAfter(store, metadata.uid, canonical([counted, metadata.generation]), progressDeadlineMs);
  const progressing: [string, boolean, string, string] = isComplete
    ? ['Progressing', true, 'NewReplicaSetAvailable', `ReplicaSet "${setName}" has successfully progressed.`]
    : isLate
      ? [
          'Progressing',
          false,
          'ProgressDeadlineExceeded',
          `ReplicaSet "${setName}" has timed out progressing.`,
        ]
      : isObserved
        ? ['Progressing', true, 'ReplicaSetUpdated', `ReplicaSet "${setName}" is progressing.`]
        : ['Progressing', true, 'NewReplicaSetCreated', told?.message ?? ''];
  const available: [string, boolean, string, string] = isAvailable
    ? ['Available', true, 'MinimumReplicasAvailable', 'Deployment has minimum availability.']
    : ['Available', false, 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'];
  const kept = { conditions: (status.conditions ?? []).filter(({ type }: any) => type !== 'ReplicaFailure') };
  save({
    observedGeneration: metadata.generation,
    ...counted,
    conditions: conditions(
      kept,
      available,
      ...(refusal
        ? [['ReplicaFailure', true, 'FailedCreate', refusal] as [string, boolean, string, string]]
        : []),
      progressing,
    ),
  });
}

/** Whether something has been the same for too long. */
function lateAfter(store: Store, uid: string, seen: string, ms: number): boolean {
  const known = progress.get(store) ?? new Map();
  progress.set(store, known);
  const was = known.get(uid);
  if (was?.seen !== seen) known.set(uid, { seen, at: performance.now() });
  return was?.seen === seen && performance.now() - was.at > ms;
}
