import type { Instance } from '../instances.ts';
import { annotations, type KubernetesObject } from './objects.ts';

/**
 * Why work on a component can fail: it never passes by itself, or it fails once it has lasted. `refused` is a controller that
 * is not allowed to create an instance.
 */
type Failure = 'permanent' | 'lasting' | 'refused';

/** The status of the instances of a component. */
export interface Observed {
  status: string;
  /** Why an instance does not run. */
  reason?: string | undefined;
  failure?: Failure | undefined;
  /** Whether the workload is as it was applied last. */
  isSettled: boolean;
}

/** Why an instance does not run. */
interface Trouble {
  reason: string;
  failure?: Failure | undefined;
  /** Whether it waits for a node. */
  isUnscheduled?: boolean;
}

interface Terminated {
  reason?: string;
  message?: string;
  exitCode?: number;
}

interface Container {
  ready?: boolean;
  restartCount?: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    running?: { startedAt?: string };
    terminated?: Terminated;
  };
  lastState?: { terminated?: Terminated };
}

/** Reasons of containers that never start by themselves. */
const permanentReasons = ['InvalidImageName'];
/** Reasons that pass when their cause does: a node that is busy, or a registry that does not answer. */
const passingReasons = [
  'ErrImagePull',
  'ImagePullBackOff',
  'ImageInspectError',
  'RegistryUnavailable',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];
/** What the node says of an image that a restricted instance cannot start. */
const rootPattern = /^container has runAsNonRoot and image /;
const rootAdvice =
  'Use an image that runs as another user than root, which is set by number or, if the region allows it, set `needsRoot` of the component.';
const crashReason = 'CrashLoopBackOff';
/** A container that has crashed as often is not starting any more. */
const maxCrashes = 3;
/** How long a container is shown to have crashed after it was started again. */
const recoveredAfterMs = 60_000;

const containersOf = ({ status }: KubernetesObject): Container[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];

const conditionOf = (
  { status }: KubernetesObject,
  type: string,
): { status: string; reason?: string; message?: string } | undefined =>
  status?.conditions?.find((each: { type: string }) => each.type === type);

export const isReady = (pod: KubernetesObject) => conditionOf(pod, 'Ready')?.status === 'True';

const exitOf = ({ reason, exitCode, message }: Terminated) =>
  `${reason ?? 'Error'}${message ? `: ${message}` : ''} (exit code ${exitCode ?? 'unknown'})`;

/** Why a container does not run, or why it was started again lately. */
function troubleOfContainer({ state, ready, restartCount = 0, lastState }: Container): Trouble | undefined {
  const { waiting, running, terminated } = state ?? {};
  const last = terminated ?? lastState?.terminated;
  const failure = restartCount >= maxCrashes ? 'lasting' : undefined;
  if (waiting?.reason !== undefined) {
    const { reason, message } = waiting;
    const text = message ? `${reason}: ${message}` : reason;
    if (message && rootPattern.test(message))
      return { reason: `${text}. ${rootAdvice}`, failure: 'permanent' };
    if (permanentReasons.includes(reason)) return { reason: text, failure: 'permanent' };
    if (passingReasons.includes(reason)) return { reason: text, failure: 'lasting' };
    if (reason === crashReason) return { reason: last ? `${text} after ${exitOf(last)}` : text, failure };
  }
  if (last === undefined || (terminated && terminated.exitCode === undefined)) return undefined;
  if (!running) return { reason: exitOf(last), failure };
  const hasRecovered = ready && Date.now() - Date.parse(running.startedAt ?? '') > recoveredAfterMs;
  return hasRecovered ? undefined : { reason: `Started again after ${exitOf(last)}` };
}

/** Why a pod does not run. */
export function troubleOf(pod: KubernetesObject): Trouble | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False') {
    const { reason = 'Unschedulable', message } = scheduled;
    return { reason: message ? `${reason}: ${message}` : reason, isUnscheduled: true };
  }
  // Init containers end, and one-off pods do.
  const isOver = pod.status?.phase === 'Succeeded';
  const containers = isOver ? [] : containersOf(pod);
  return containers.map(troubleOfContainer).find(Boolean);
}

/** A pod as users see it. */
export const instanceOf = (pod: KubernetesObject): Instance => ({
  name: pod.metadata.name,
  uid: pod.metadata.uid ?? '',
  containers: (pod.spec.containers ?? []).map(({ name }: { name: string }) => name),
  node: pod.spec.nodeName ?? null,
  phase: pod.metadata.deletionTimestamp ? 'Terminating' : (pod.status?.phase ?? 'Unknown'),
  isReady: isReady(pod),
  restarts: containersOf(pod).reduce((total, { restartCount = 0 }) => total + restartCount, 0),
  startedAt: pod.status?.startTime ? new Date(pod.status.startTime) : null,
  reason: troubleOf(pod)?.reason ?? null,
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
): { instance: string; restarts: number; reason: string | null } | undefined {
  const restarts = Math.max(0, ...containersOf(pod).map(({ restartCount = 0 }) => restartCount));
  if (restarts < maxCrashes || pod.metadata.deletionTimestamp || !isCurrent(pod, workload)) return undefined;
  return { instance: pod.metadata.uid ?? '', restarts, reason: troubleOf(pod)?.reason ?? null };
}

/** The status of a component from its workload and its pods. */
export function observed(workload: KubernetesObject, all: readonly KubernetesObject[]): Observed {
  const { spec, status = {}, metadata } = workload;
  const wanted: number = spec.replicas ?? 1;
  const pods = all.filter(({ metadata: { deletionTimestamp } }) => !deletionTimestamp);
  const current = pods.filter((pod) => isCurrent(pod, workload));
  const ready = pods.filter(isReady).length;
  const isSeen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const isRolledOut =
    isSeen &&
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) >= wanted;
  const troubles = current.flatMap((pod) => troubleOf(pod) ?? []);
  const trouble =
    troubles.find(({ failure }) => failure === 'permanent') ??
    troubles.find(({ failure }) => failure) ??
    troubles.find(({ isUnscheduled }) => !isUnscheduled);
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
  if (wanted === 0) return all.length > 0 ? is('stopping') : is('running', { isSettled: isSeen });
  if (isRolledOut && ready >= wanted) return is('running', { isSettled: true });
  if (trouble) return is(some, { reason: trouble.reason, failure: trouble.failure });
  if (refusal?.failure) return is(some, refusal);
  if (pods.length > 0 && pods.every((pod) => pod.status?.phase === 'Succeeded')) return is('succeeded');
  const reason = unscheduled?.reason ?? refusal?.reason;
  if (ready > 0 && current.length < pods.length) return is('upgrade', { reason });
  if (pods.length > 0 && pods.every((pod) => conditionOf(pod, 'PodScheduled')?.status === 'False')) {
    return is('waiting', { reason });
  }
  return is(isRolledOut ? 'some_abnormal' : 'starting', { reason });
}

/**
 * What keeps a Deployment from starting instances. While an instance of it ends, which counts for quotas until it is gone,
 * there is nothing wrong with a refusal.
 */
function refusalOf(
  workload: KubernetesObject,
  isEnding: boolean,
): { reason: string | undefined; failure?: Failure } | undefined {
  const refusal = conditionOf(workload, 'ReplicaFailure');
  if (refusal?.status === 'True') {
    const reason = refusal.message ?? refusal.reason;
    return isEnding ? { reason } : { reason, failure: 'refused' };
  }
  const progressing = conditionOf(workload, 'Progressing');
  if (progressing?.status !== 'False') return undefined;
  return { reason: progressing.message ?? progressing.reason, failure: 'lasting' };
}
