import type { Instance } from '../instances.ts';
import { annotations, type KubernetesObject } from './objects.ts';

/** What a component's instances are doing. */
export interface Observed {
  status: string;
  /** Why instances cannot start. */
  reason?: string;
  /** Whether that will not pass by itself. */
  isStuck: boolean;
  /** Whether the workload is as it was applied last. */
  isSettled: boolean;
}

interface Container {
  ready?: boolean;
  restartCount?: number;
  state?: { waiting?: { reason?: string; message?: string } };
  lastState?: { terminated?: { reason?: string; exitCode?: number } };
}

/** Reasons of containers that wait for something that has to be changed. */
const stuckReasons = [
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];
const crashReason = 'CrashLoopBackOff';
/** A container that has crashed as often is not starting any more. */
const maxCrashes = 3;

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

/** Why a pod cannot start. */
export function troubleOf(pod: KubernetesObject): { reason: string; isStuck: boolean } | undefined {
  for (const { state, restartCount = 0, lastState } of containersOf(pod)) {
    const { reason, message } = state?.waiting ?? {};
    if (reason === undefined) continue;
    const code = lastState?.terminated?.exitCode;
    const text = `${reason}: ${message ?? ''}${code === undefined ? '' : ` (exit code ${code})`}`;
    if (stuckReasons.includes(reason)) return { reason: text, isStuck: true };
    if (reason === crashReason) return { reason: text, isStuck: restartCount >= maxCrashes };
  }
  return undefined;
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
  const trouble =
    current.map(troubleOf).find((each) => each?.isStuck) ?? current.map(troubleOf).find(Boolean);
  const failure = isSeen ? failureOf(workload) : undefined;
  const some = ready > 0 ? 'some_abnormal' : 'abnormal';
  const is = (name: string, more: Partial<Observed> = {}): Observed => ({
    status: name,
    isStuck: false,
    isSettled: false,
    ...more,
  });

  // The first row that applies is the status.
  if (metadata.annotations?.[annotations.state] === 'closed') {
    return all.length > 0 ? is('stopping') : is('closed', { isSettled: isSeen });
  }
  if (wanted === 0) return all.length > 0 ? is('stopping') : is('running', { isSettled: isSeen });
  if (isRolledOut && ready >= wanted) return is('running', { isSettled: true });
  if (trouble) return is(some, trouble);
  if (failure) return is(some, { reason: failure, isStuck: true });
  if (pods.length > 0 && pods.every((pod) => pod.status?.phase === 'Succeeded')) return is('succeeded');
  if (ready > 0 && current.length < pods.length) return is('upgrade');
  if (pods.length > 0 && pods.every((pod) => conditionOf(pod, 'PodScheduled')?.status === 'False')) {
    return is('waiting', { reason: conditionOf(pods[0]!, 'PodScheduled')?.message ?? 'Unschedulable' });
  }
  return is(isRolledOut ? 'some_abnormal' : 'starting');
}

/** What keeps a Deployment from starting instances. */
function failureOf(workload: KubernetesObject): string | undefined {
  const refusal = conditionOf(workload, 'ReplicaFailure');
  if (refusal?.status === 'True') return refusal.message ?? refusal.reason;
  const progressing = conditionOf(workload, 'Progressing');
  return progressing?.status === 'False' ? (progressing.message ?? progressing.reason) : undefined;
}
