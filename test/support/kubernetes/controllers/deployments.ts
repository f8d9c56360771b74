import { kindNamed } from '../api/kinds.ts';
import { canonical } from '../api/managed-fields.ts';
import { now, type Store } from '../api/store.ts';
import { isAvailable, isReady } from './pods.ts';
import { counts, createPod, hashOf, ownedBy, ownerOf, remove, warn } from './workloads.ts';

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

interface Rollout {
  /** What its status counted last, and since when. */
  seen: string;
  since: number;
  /** Why no pod could be created, how often, and when that is tried again. */
  refusal: { message: string; times: number; retryAt: number } | undefined;
}
const all = new WeakMap<Store, Map<string, Rollout>>();

function rolloutOf(store: Store, uid: string): Rollout {
  const rollouts = all.get(store) ?? new Map<string, Rollout>();
  all.set(store, rollouts);
  const found = rollouts.get(uid) ?? { seen: '', since: store.clock.now, refusal: undefined };
  rollouts.set(uid, found);
  return found;
}

export function runDeployments(store: Store): void {
  for (const deployment of store.relations.take(kindNamed('Deployment'))) {
    if (deployment.metadata.deletionTimestamp || deployment.spec.paused) continue;
    store.clock.asking(deployment, () => runDeployment(store, deployment));
  }
}

/** A number, or a share of the replicas. */
const numberOf = (value: number | string, replicas: number, round: (value: number) => number) =>
  typeof value === 'number' ? value : round((Number.parseInt(value, 10) / 100) * replicas);

/** How many pods more or fewer than the replicas there may be in a rolling update. */
function boundsOf({ strategy, replicas }: any): { surge: number; unavailable: number } {
  if (strategy.type === 'Recreate') return { surge: 0, unavailable: replicas };
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy.rollingUpdate ?? {};
  const surge = numberOf(maxSurge, replicas, Math.ceil);
  const unavailable = numberOf(maxUnavailable, replicas, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Creates up to so many pods, unless a quota refuses one. The pauses between the tries double. */
function createPods(store: Store, set: any, count: number, rollout: Rollout): void {
  const { clock } = store;
  const { refusal } = rollout;
  if (count <= 0) rollout.refusal = undefined;
  if (count <= 0 || (refusal && clock.now < refusal.retryAt)) return;
  const labels = { 'pod-template-hash': set.metadata.labels['pod-template-hash'] };
  for (let index = 0; index < count; index++) {
    const name = `${set.metadata.name}-${(store.podCount + 2_000_000).toString(36)}`;
    const message = createPod(store, [kindNamed('ReplicaSet'), set], name, set.spec.template, labels);
    if (message === undefined) {
      rollout.refusal = undefined;
      continue;
    }
    const times = (refusal?.times ?? 0) + 1;
    const retryAt = clock.now + 0.02 * 2 ** (times - 1);
    rollout.refusal = { message, times, retryAt };
    clock.wakeAt(retryAt);
    warn(store, set, 'FailedCreate', `Error creating: ${message}`);
    return;
  }
}

function runDeployment(store: Store, deployment: any): void {
  const [kind, setKind] = [kindNamed('Deployment'), kindNamed('ReplicaSet')];
  const { metadata, spec, status } = deployment;
  const { namespace, name } = metadata;
  const hash = hashOf(spec.template);
  const setName = `${name}-${hash}`;
  const rollout = rolloutOf(store, metadata.uid);
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
    rollout.refusal = undefined;
    const message = `Created new replica set "${setName}"`;
    const revision = String(Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0) + 1);
    save(
      { ...status, conditions: conditions(status, ['Progressing', true, 'NewReplicaSetCreated', message]) },
      revision,
    );
    return;
  }
  const sets = ownedBy(store, 'ReplicaSet', deployment);
  const podsOf = (of: any) => ownedBy(store, 'Pod', of);
  const isAlive = ({ metadata: { deletionTimestamp } }: any) => !deletionTimestamp;
  const isUp = (pod: any) => isAvailable(store, pod, spec.minReadySeconds);
  const isObserved = status.observedGeneration === metadata.generation;
  const { surge, unavailable } = boundsOf(spec);
  if (isObserved) {
    const current = podsOf(set).filter(isAlive);
    const older = sets.filter((each) => each !== set).flatMap(podsOf);
    const old = older.filter(isAlive);
    // Pods that are to go count only for a strategy that waits until they are gone.
    const others = spec.strategy.type === 'Recreate' ? older.length * spec.replicas : old.length;
    const room = spec.replicas + (old.length ? surge : 0) - current.length - others;
    createPods(store, set, Math.min(spec.replicas - current.length, room), rollout);
    const surplus = [...current].sort((one, other) => Number(isUp(one)) - Number(isUp(other)));
    for (const pod of surplus.slice(0, Math.max(0, current.length - spec.replicas)))
      remove(store, 'Pod', pod);
    const least = spec.replicas - unavailable;
    const down = current.filter((pod) => !isUp(pod)).length;
    const broken = old
      .filter((pod) => !isUp(pod))
      .slice(0, Math.max(0, current.length + old.length - least - down));
    const spare = [...current, ...old].filter(isUp).length - least;
    const superfluous = [...broken, ...old.filter(isUp).slice(0, Math.max(0, spare))];
    for (const pod of spec.replicas === 0 ? old : superfluous) remove(store, 'Pod', pod);
  }
  const pods = sets.flatMap(podsOf).filter(isAlive);
  const updated = podsOf(set).filter(isAlive);
  const available = pods.filter(isUp).length;
  const isComplete =
    isObserved &&
    available === pods.length &&
    updated.length === pods.length &&
    updated.length === spec.replicas;
  const told = status.conditions?.find(({ type }: any) => type === 'Progressing');
  const counted = counts({
    replicas: pods.length,
    updatedReplicas: updated.length,
    readyReplicas: pods.filter(isReady).length,
    availableReplicas: available,
    unavailableReplicas: Math.max(spec.replicas, pods.length) - available,
  });
  // What was complete once is not in progress again because a pod of it is no longer available.
  const wasComplete =
    isObserved && told?.reason === 'NewReplicaSetAvailable' && updated.length === pods.length;
  const isOver = isComplete || wasComplete;
  const isLate = hasStalled(
    store,
    rollout,
    canonical([counted, hash]),
    isOver ? undefined : spec.progressDeadlineSeconds,
  );
  const progressing: [string, boolean, string, string] = isOver
    ? ['Progressing', true, 'NewReplicaSetAvailable', `ReplicaSet "${setName}" has successfully progressed.`]
    : isLate && isObserved
      ? [
          'Progressing',
          false,
          'ProgressDeadlineExceeded',
          `ReplicaSet "${setName}" has timed out progressing.`,
        ]
      : isObserved
        ? ['Progressing', true, 'ReplicaSetUpdated', `ReplicaSet "${setName}" is progressing.`]
        : ['Progressing', true, 'NewReplicaSetCreated', told?.message ?? ''];
  const isServing = available >= spec.replicas - (spec.strategy.type === 'Recreate' ? 0 : unavailable);
  const serving: [string, boolean, string, string] = isServing
    ? ['Available', true, 'MinimumReplicasAvailable', 'Deployment has minimum availability.']
    : ['Available', false, 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'];
  const kept = { conditions: (status.conditions ?? []).filter(({ type }: any) => type !== 'ReplicaFailure') };
  const { refusal } = rollout;
  save({
    observedGeneration: metadata.generation,
    ...counted,
    conditions: conditions(
      kept,
      serving,
      ...(refusal
        ? [['ReplicaFailure', true, 'FailedCreate', refusal.message] as [string, boolean, string, string]]
        : []),
      progressing,
    ),
  });
}

/** Whether something has been the same for so many seconds. Undefined if there is nothing to wait for. */
function hasStalled({ clock }: Store, rollout: Rollout, seen: string, seconds: number | undefined): boolean {
  if (rollout.seen !== seen) Object.assign(rollout, { seen, since: clock.now });
  return seconds !== undefined && clock.hasPassed(rollout.since, seconds);
}
