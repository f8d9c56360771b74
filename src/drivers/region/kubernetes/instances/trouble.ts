import type { EventNeed, PodEvent } from '../cluster/pod-events.ts';
import { conditionOf } from '../objects/conditions.ts';
import type { KubernetesObject } from '../objects/objects.ts';
import {
  checkFailed,
  checkFailure,
  failedKind,
  inOneLine,
  killedFor,
  type ProbedContainer,
} from './check-failures.ts';
import { mayPassLater, pullCause } from './pull-failures.ts';

/**
 * Why work on a component can fail: it never passes by itself, or it fails once it has lasted. `refused` is a controller that
 * is not allowed to create an instance. `passing` is a cause that is waited for.
 */
export type FailureKind = 'permanent' | 'lasting' | 'refused' | 'passing';

/** Why an instance does not run. */
export interface Trouble {
  reason: string;
  failure?: FailureKind | undefined;
  /** Whether it waits for a node. */
  isUnscheduled?: boolean;
  /** Whether it has not failed yet: it waits for a check or a volume. */
  isWaiting?: boolean;
}

interface Terminated {
  reason?: string;
  message?: string;
  exitCode?: number;
  startedAt?: string;
  finishedAt?: string;
}

export interface Container {
  name?: string;
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
  'ImageInspectError',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];
/** Reasons of images that the registry did not give. */
const pullReasons = ['ErrImagePull', 'ImagePullBackOff', 'RegistryUnavailable'];
/** Reasons of containers for which volumes and images are made ready. */
const preparingReasons = ['ContainerCreating', 'PodInitializing'];
/** The message of the node about an image that a restricted instance cannot start. */
const rootPattern = /^container has runAsNonRoot and image /;
const rootAdvice =
  'Use an image that runs as another user than root, which is set by number or, if the region allows it, set `needsRoot` of the component.';
const crashReason = 'CrashLoopBackOff';
/** A container that has crashed as often is not starting any more. */
export const maxCrashes = 3;
/** How long a container is shown to have crashed after it was started again. */
const recoveredAfterMs = 60_000;
/** How long after the kubelet has said that it ends a container the container has ended. */
const killMs = { soon: 5_000, longest: 600_000 };
/** The exit codes of programs that are ended: by themselves at the signal, by the signal, or by force. */
const killedCodes = [0, 137, 143];

const none: readonly PodEvent[] = [];

export const containersOf = ({ status }: KubernetesObject): Container[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];

export const isOver = ({ status }: KubernetesObject) => ['Succeeded', 'Failed'].includes(status?.phase);

export const timeOf = (text: string | undefined) => Date.parse(text ?? '') || 0;

const exitOf = ({ reason, exitCode, message }: Terminated) =>
  `${reason ?? 'Error'}${message ? `: ${message}` : ''} (exit code ${exitCode ?? 'unknown'})`;

const isOf = ({ container }: PodEvent, { name }: Container) => container === null || container === name;

/** Whether the kubelet has ended a container when this event came. It does not report every time that it does. */
function hasEnded({ lastMs }: PodEvent, { startedAt, finishedAt, exitCode }: Terminated): boolean {
  const endMs = timeOf(finishedAt);
  if (lastMs > endMs + killMs.soon) return false;
  if (lastMs >= timeOf(startedAt)) return true;
  return killedCodes.includes(exitCode ?? -1) && lastMs >= endMs - killMs.longest;
}

/** How a container has ended last: by a check that failed, or by itself. */
function endOf(pod: KubernetesObject, container: Container, last: Terminated, events: readonly PodEvent[]) {
  const containerEvents = events.filter((event) => isOf(event, container));
  const kill = containerEvents.find((event) => killedFor(event) && hasEnded(event, last));
  if (!kill) return exitOf(last);
  const kind = killedFor(kill);
  const failed = containerEvents.find((event) => failedKind(event) === kind);
  const { containers } = pod.spec;
  return failed ? checkFailure(containers, failed) : checkFailed(containers, kill);
}

/** Why the image of a container is not there. The pause between two tries says nothing of the cause. */
function pullTrouble(container: Container, events: readonly PodEvent[]): Trouble {
  const { reason, message = '' } = container.state!.waiting!;
  const failed = events.find(
    (event) =>
      event.reason === 'Failed' && isOf(event, container) && event.message.startsWith('Failed to pull'),
  );
  const cause = pullCause(message) || pullCause(failed?.message ?? '');
  if (!cause) return { reason: message ? `${reason}: ${message}` : reason!, failure: 'lasting' };
  const isPassing = reason === 'RegistryUnavailable' || mayPassLater(cause);
  return { reason: `${reason}: ${cause}`, failure: isPassing ? 'passing' : 'lasting' };
}

/** Reasons why the container of a pod is not created, with their messages. */
const preparing: [RegExp, string][] = [
  [/^Failed(Mount|MapVolume)$/, 'Not started: a volume cannot be mounted'],
  [/^FailedAttachVolume$/, 'Not started: a volume cannot be attached'],
  [/^FailedCreatePodSandBox$/, 'Not started: the node cannot create the instance'],
];
const preparingText = ({ reason }: PodEvent) => preparing.find(([pattern]) => pattern.test(reason))?.[1];
/** Reasons of events after the volumes of a pod were mounted. */
const preparedReasons = ['Pulling', 'Pulled', 'Created', 'Started'];
/** Messages of the kubelet about a volume that repeat without a cause. */
const vaguePattern = /timed out waiting for the condition|context deadline exceeded$/;

function preparingTrouble(events: readonly PodEvent[]): Trouble | undefined {
  const doneMs = Math.max(
    0,
    ...events.filter(({ reason }) => preparedReasons.includes(reason)).map(({ lastMs }) => lastMs),
  );
  const failed = events.filter((event) => preparingText(event) && event.lastMs > doneMs);
  const event = failed.find(({ message }) => !vaguePattern.test(message)) ?? failed[0];
  if (!event) return undefined;
  return { reason: `${preparingText(event)}: ${inOneLine(event.message)}`, isWaiting: true };
}

/** The last check that a container has failed since it runs. */
function checkTrouble(
  pod: KubernetesObject,
  container: Container,
  events: readonly PodEvent[],
): Trouble | undefined {
  const startMs = timeOf(container.state?.running?.startedAt);
  const failed = events.find(
    (event) =>
      ['readiness', 'startup'].includes(failedKind(event) ?? '') &&
      isOf(event, container) &&
      event.lastMs >= startMs,
  );
  if (failed) return { reason: `Not ready: ${checkFailure(pod.spec.containers, failed)}`, isWaiting: true };
  return undefined;
}

/** Why a container does not run, or why it was started again lately. */
function troubleOfContainer(
  pod: KubernetesObject,
  container: Container,
  events: readonly PodEvent[],
): Trouble | undefined {
  const { state, ready, restartCount = 0, lastState } = container;
  const { waiting, running, terminated } = state ?? {};
  const last = terminated ?? lastState?.terminated;
  const failure = restartCount >= maxCrashes ? 'lasting' : undefined;
  if (waiting?.reason !== undefined) {
    const { reason, message } = waiting;
    const text = message ? `${reason}: ${message}` : reason;
    if (message && rootPattern.test(message))
      return { reason: `${text}. ${rootAdvice}`, failure: 'permanent' };
    if (permanentReasons.includes(reason)) return { reason: text, failure: 'permanent' };
    if (pullReasons.includes(reason)) return pullTrouble(container, events);
    if (passingReasons.includes(reason)) return { reason: text, failure: 'lasting' };
    if (reason === crashReason)
      return { reason: last ? `${text} after ${endOf(pod, container, last, events)}` : text, failure };
    if (preparingReasons.includes(reason) && !last) return preparingTrouble(events);
  }
  if (last === undefined || (terminated && terminated.exitCode === undefined))
    return running && !ready ? checkTrouble(pod, container, events) : undefined;
  if (!running) return { reason: endOf(pod, container, last, events), failure };
  const runsLong = Date.now() - timeOf(running.startedAt) > recoveredAfterMs;
  if (ready && runsLong) return undefined;
  const check = runsLong ? checkTrouble(pod, container, events) : undefined;
  return { reason: check?.reason ?? `Started again after ${endOf(pod, container, last, events)}` };
}

/** Whether the hook of an instance that ends has failed, so that requests on their way to it are not answered. */
const hookTrouble = (events: readonly PodEvent[]): Trouble | undefined =>
  events.some(({ reason }) => reason === 'FailedPreStopHook')
    ? {
        reason: 'Ending without its pause: the command of the pause failed (FailedPreStopHook)',
        isWaiting: true,
      }
    : undefined;

/** Why a pod does not run, by its status and by what is known of its events, newest first. */
export function troubleOf(pod: KubernetesObject, events: readonly PodEvent[] = none): Trouble | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False') {
    const { reason = 'Unschedulable', message } = scheduled;
    return { reason: message ? `${reason}: ${message}` : reason, isUnscheduled: true };
  }
  // Init containers end, and one-off pods do.
  const containers = pod.status?.phase === 'Succeeded' ? [] : containersOf(pod);
  const trouble = containers.map((each) => troubleOfContainer(pod, each, events)).find(Boolean);
  return trouble ?? (pod.metadata.deletionTimestamp ? hookTrouble(events) : undefined);
}

/** Whether a pod is not about to go. */
export const isKept = ({ metadata }: KubernetesObject) => !metadata.deletionTimestamp;

/** Whether the events of a pod say more than its status. */
export function eventNeed(pod: KubernetesObject): EventNeed | undefined {
  if (!pod.spec.nodeName || isOver(pod)) return undefined;
  if (pod.metadata.deletionTimestamp) return pod.spec.containers?.[0]?.lifecycle?.preStop ? 'now' : undefined;
  const containers = containersOf(pod);
  const isProbed = pod.spec.containers.some(
    (each: ProbedContainer) => each.livenessProbe ?? each.startupProbe,
  );
  const isTold = ({ state, lastState }: Container) =>
    pullReasons.includes(state?.waiting?.reason ?? '') ||
    (isProbed && (lastState?.terminated ?? state?.terminated));
  if (troubleOf(pod) && containers.some(isTold)) return 'now';
  const isStarting = ({ state, ready }: Container) =>
    preparingReasons.includes(state?.waiting?.reason ?? '') || (state?.running && !ready);
  return containers.some(isStarting) ? 'later' : undefined;
}
