import type { Instance } from '../../instances.ts';
import type { EventsOf, PodEvent } from '../cluster/pod-events.ts';
import { conditionOf } from '../objects/conditions.ts';
import { annotations, type KubernetesObject } from '../objects/objects.ts';
import { containersOf, type FailureKind, isKept, isOver, maxCrashes, timeOf, troubleOf } from './trouble.ts';

export const isReady = (pod: KubernetesObject) => conditionOf(pod, 'Ready')?.status === 'True';

/** The status of the instances of a component. */
export interface Observed {
  status: string;
  /** Why an instance does not run. */
  reason?: string | undefined;
  failure?: FailureKind | undefined;
  /** Whether the workload is as it was applied last. */
  isSettled: boolean;
}

/** A pod as users see it, with what its events say of it. */
export const instanceOf = (pod: KubernetesObject, events: readonly PodEvent[] = []): Instance => ({
  name: pod.metadata.name,
  uid: pod.metadata.uid ?? '',
  containers: (pod.spec.containers ?? []).map(({ name }: { name: string }) => name),
  node: pod.spec.nodeName ?? null,
  phase: pod.metadata.deletionTimestamp ? 'Terminating' : (pod.status?.phase ?? 'Unknown'),
  isReady: isReady(pod),
  restarts: containersOf(pod).reduce((total, { restartCount = 0 }) => total + restartCount, 0),
  startedAt: pod.status?.startTime ? new Date(pod.status.startTime) : null,
  reason: troubleOf(pod, events)?.reason ?? null,
});

/** Whether a pod has the configuration and image of the workload. */
function isCurrent(pod: KubernetesObject, { spec }: KubernetesObject): boolean {
  const { template } = spec;
  const image = (of: KubernetesObject['spec']) => of.containers?.[0]?.image;
  return (
    image(pod.spec) === image(template.spec) &&
    pod.metadata.annotations?.[annotations.config] === template.metadata.annotations?.[annotations.config] &&
    pod.metadata.annotations?.[annotations.restarted] ===
      template.metadata.annotations?.[annotations.restarted]
  );
}

/** An instance of the last apply whose container was started again as often as it takes to have crashed. */
export function crashOf(
  workload: KubernetesObject,
  pod: KubernetesObject,
  events: readonly PodEvent[] = [],
): { instance: string; restarts: number; reason: string | null } | undefined {
  const restarts = Math.max(0, ...containersOf(pod).map(({ restartCount = 0 }) => restartCount));
  if (restarts < maxCrashes || pod.metadata.deletionTimestamp || !isCurrent(pod, workload)) return undefined;
  return { instance: pod.metadata.uid ?? '', restarts, reason: troubleOf(pod, events)?.reason ?? null };
}

/** How long an instance may run before it counts as one that does not start. */
const slowStartMs = 300_000;

/** Whether an instance runs and serves no requests any more, or has not begun to for long. */
function isUnhealthy(pod: KubernetesObject, nowMs = Date.now()): boolean {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status !== 'False' || isOver(pod)) return false;
  const [main] = pod.status?.containerStatuses ?? [];
  const startedAt = main?.state?.running?.startedAt;
  if (startedAt === undefined || containersOf(pod).every((each) => each.ready)) return false;
  const runsMs = nowMs - timeOf(startedAt);
  // The condition changes at the start of the pod, and then when the instance becomes ready or is no longer ready.
  const wasReady = timeOf(ready.lastTransitionTime) > timeOf(startedAt) + 1_000;
  return wasReady || runsMs > slowStartMs;
}

const hasNoNode = (pod: KubernetesObject) => conditionOf(pod, 'PodScheduled')?.status === 'False';

/** Facts about a component other than its objects. */
interface Knowledge {
  /** The events of its pods, as far as they were read. */
  eventsOf?: EventsOf;
  /** Whether the last work on it has failed, so that nothing waits for its instances. */
  hasFailed?: boolean;
}

/** The status of a component from its workload and its pods. */
export function observed(
  workload: KubernetesObject,
  all: readonly KubernetesObject[],
  { eventsOf = () => [], hasFailed = false }: Knowledge = {},
): Observed {
  const { spec, status = {}, metadata } = workload;
  const desiredReplicas: number = spec.replicas ?? 1;
  const pods = all.filter(isKept);
  const current = pods.filter((pod) => isCurrent(pod, workload));
  const ready = pods.filter(isReady).length;
  const isSeen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const isRolledOut =
    isSeen &&
    (status.updatedReplicas ?? 0) === desiredReplicas &&
    (status.replicas ?? 0) === desiredReplicas &&
    (status.availableReplicas ?? 0) >= desiredReplicas;
  const troubles = current.flatMap((pod) => troubleOf(pod, eventsOf(pod)) ?? []);
  const trouble =
    troubles.find(({ failure }) => failure === 'permanent') ??
    troubles.find(({ failure }) => failure) ??
    troubles.find(({ isUnscheduled, isWaiting }) => !isUnscheduled && !isWaiting);
  const waiting = troubles.find(({ isWaiting }) => isWaiting);
  const unscheduled = troubles.find(({ isUnscheduled }) => isUnscheduled);
  const refusal = isSeen ? refusalOf(workload, all.length > pods.length) : undefined;
  // An instance that crashes again and again is ready at times.
  const some = pods.some((pod) => isReady(pod) && !troubleOf(pod)) ? 'some_abnormal' : 'abnormal';
  const is = (name: string, more: Partial<Observed> = {}): Observed => ({
    status: name,
    isSettled: false,
    ...more,
  });

  // The first row that applies is the status.
  if (metadata.annotations?.[annotations.state] === 'closed') {
    return all.length > 0 ? is('stopping') : is('closed', { isSettled: isSeen });
  }
  if (desiredReplicas === 0) return all.length > 0 ? is('stopping') : is('running', { isSettled: isSeen });
  if (isRolledOut && ready >= desiredReplicas) return is('running', { isSettled: true });
  if (trouble) return is(some, { reason: trouble.reason, failure: trouble.failure });
  if (refusal?.failure) return is(some, refusal);
  if (pods.length > 0 && pods.every((pod) => pod.status?.phase === 'Succeeded')) return is('succeeded');
  const reason = waiting?.reason ?? unscheduled?.reason ?? refusal?.reason;
  const isUnscheduled = pods.length > 0 && pods.every(hasNoNode);
  if (refusal?.isStalled || current.some((pod) => isUnhealthy(pod))) return is(some, { reason });
  if (hasFailed && !isUnscheduled) return is(some, { reason });
  if (ready > 0 && current.length < pods.length) return is('upgrade', { reason });
  if (isUnscheduled) return is('waiting', { reason });
  return is(isRolledOut ? 'some_abnormal' : 'starting', { reason });
}

/**
 * The error that keeps a Deployment from starting instances. While an instance of it ends, which counts for quotas until it
 * is gone, there is nothing wrong with a refusal.
 */
function refusalOf(
  workload: KubernetesObject,
  isEnding: boolean,
): { reason: string | undefined; failure?: FailureKind; isStalled?: boolean } | undefined {
  const refusal = conditionOf(workload, 'ReplicaFailure');
  if (refusal?.status === 'True') {
    const reason = refusal.message ?? refusal.reason;
    return isEnding ? { reason } : { reason, failure: 'refused' };
  }
  const progressing = conditionOf(workload, 'Progressing');
  if (progressing?.status !== 'False') return undefined;
  const reason = progressing.message ?? progressing.reason;
  // How long a component may take is the deadline of its job, for both kinds of workloads.
  if (progressing.reason === 'ProgressDeadlineExceeded') return { reason, isStalled: true };
  return { reason, failure: 'lasting' };
}
