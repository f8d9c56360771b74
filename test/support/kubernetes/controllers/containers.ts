import { kindNamed } from '../api/kinds.ts';
import { now, type Store } from '../api/store.ts';
import { probeFailure, tell } from './kubelet-events.ts';
import type { Program } from './programs.ts';

/** The run of a pod's container, by the clock of the cluster. */
export interface Run {
  /** When its present state began. */
  since: number;
  /** How often its image was pulled in vain. */
  pulls: number;
  /** Whether it was said that a probe of it fails, since it runs. */
  isReported?: boolean;
  /** When its pod was told to go. */
  stoppingSince?: number;
}

const backOff = (times: number) => Math.min(300, 10 * 2 ** (times - 1));

/** Why a container cannot be created now: by its image, or because it reads what does not exist. */
function refusalOf(
  store: Store,
  pod: any,
  program: Program,
): { reason: string; message: string; cause?: string } | undefined {
  const { namespace } = pod.metadata;
  const { refusal } = program;
  const since = runsOf(store).get(pod.metadata.uid)!.since;
  if (refusal && !store.clock.hasPassed(since, refusal.seconds)) return refusal;
  const [main] = pod.spec.containers;
  const { runAsNonRoot, runAsUser } = { ...pod.spec.securityContext, ...main.securityContext };
  if (runAsNonRoot && program.isRoot && runAsUser === undefined) {
    const of = `pod: "${pod.metadata.name}_${namespace}(${pod.metadata.uid})", container: ${main.name}`;
    const message = `container has runAsNonRoot and image will run as root (${of})`;
    return { reason: 'CreateContainerConfigError', message };
  }
  for (const { configMapRef, secretRef } of pod.spec.containers[0].envFrom ?? []) {
    const [kind, ref] = configMapRef
      ? (['ConfigMap', configMapRef] as const)
      : (['Secret', secretRef] as const);
    if (ref && !ref.optional && !store.get(kindNamed(kind), namespace, ref.name)) {
      const message = `${kind.toLowerCase()} "${ref.name}" not found`;
      return { reason: 'CreateContainerConfigError', message };
    }
  }
  return undefined;
}

/** Why a volume of the pod cannot be mounted: it reads a ConfigMap or a Secret that does not exist. */
export function missingMount(store: Store, { metadata, spec }: any): string | undefined {
  for (const { name: volume, configMap, secret } of spec.volumes ?? []) {
    const [kind, name] = configMap ? ['ConfigMap', configMap.name] : ['Secret', secret?.secretName];
    if (name === undefined || store.get(kindNamed(kind), metadata.namespace, name)) continue;
    return `MountVolume.SetUp failed for volume "${volume}" : ${kind.toLowerCase()} "${name}" not found`;
  }
  return undefined;
}

const all = new WeakMap<Store, Map<string, Run>>();
export function runsOf(store: Store): Map<string, Run> {
  const runs = all.get(store) ?? new Map<string, Run>();
  all.set(store, runs);
  return runs;
}

/** Whether the probe that tells when a container gets requests succeeds. */
function listens(store: Store, { spec }: any, program: Program, since: number): boolean {
  const { readinessProbe, startupProbe } = spec.containers[0];
  const probe = readinessProbe ?? startupProbe;
  if (!probe) return true;
  return store.clock.hasPassed(since, Math.max(probe.initialDelaySeconds ?? 0, program.listensAfter ?? 0));
}

/** The status of a pod with a node after a step. */
export function nextStatus(store: Store, pod: any, program: Program): any {
  const { clock } = store;
  const [main] = pod.spec.containers;
  const was = pod.status.containerStatuses?.[0];
  const runs = runsOf(store);
  const run = runs.get(pod.metadata.uid) ?? { since: clock.now, pulls: 0 };
  runs.set(pod.metadata.uid, run);
  const base = { name: main.name, image: main.image, imageID: '', restartCount: 0, lastState: {} };
  const next = (phase: string, state: any, more: object = {}) => {
    const isStarted = state.running !== undefined;
    const container = { ...base, ...was, ready: false, started: isStarted, ...more, state };
    const conditions = conditionsOf(container.ready, main.name);
    return {
      ...pod.status,
      phase,
      hostIP: '10.1.0.1',
      startTime: pod.status.startTime ?? now(),
      ...(isStarted && { podIP: pod.status.podIP ?? nextAddress() }),
      conditions,
      containerStatuses: [container],
    };
  };
  const begin = () => {
    run.since = clock.now;
    run.isReported = false;
  };
  const say = (...event: Parameters<typeof tell>[2]) => tell(store, pod, event, main.name);

  if (['Succeeded', 'Failed'].includes(pod.status.phase)) return pod.status;
  if (!was) return next('Pending', { waiting: { reason: 'ContainerCreating' } });
  const { waiting, running, terminated } = was.state;
  if (waiting && waiting.reason !== 'CrashLoopBackOff') {
    const mount = missingMount(store, pod);
    if (mount) {
      if (!run.isReported) tell(store, pod, ['Warning', 'FailedMount', mount]);
      run.isReported = true;
      return pod.status;
    }
    const refusal = refusalOf(store, pod, program);
    if (!refusal) return start();
    const { reason, message } = refusal;
    return reason === 'ImagePullBackOff' ? pull(refusal) : next('Pending', { waiting: { reason, message } });
  }
  if (running) {
    const { exits } = program;
    if (exits && clock.hasPassed(run.since, exits.seconds)) return exit();
    if (program.hangs && isHung()) return exit();
    const ready = listens(store, pod, program, run.since);
    if (!ready) reportProbe();
    return ready === was.ready ? pod.status : next('Running', was.state, { ready });
  }
  // The first restart follows at once.
  const pause = was.restartCount === 0 ? 0 : backOff(was.restartCount);
  if (terminated && !clock.hasPassed(run.since, 1)) return pod.status;
  if (clock.hasPassed(run.since, pause)) {
    const lastState = terminated ? { terminated } : was.lastState;
    return start({ restartCount: was.restartCount + 1, lastState });
  }
  if (waiting) return pod.status;
  const message = `back-off ${pause}s restarting failed container=${main.name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
  return next('Running', { waiting: { reason: 'CrashLoopBackOff', message } }, { lastState: { terminated } });

  function start(more: object = {}) {
    begin();
    if (program.exits?.seconds === 0) return exit(more);
    if (program.hangs) isHung();
    if (program.exits) clock.wakeAt(clock.now + program.exits.seconds);
    const ready = listens(store, pod, program, clock.now);
    const imageID = `sha256:${main.image}`;
    return next('Running', { running: { startedAt: now() } }, { ...more, ready, imageID });
  }

  /** Once, although a node says it at each check. */
  function reportProbe() {
    if (run.isReported) return;
    run.isReported = true;
    say(...probeFailure(pod, main.startupProbe ? 'startup' : 'readiness', program.answers));
  }

  /** Whether the liveness probe has failed as often as it may. */
  function isHung(): boolean {
    const { livenessProbe: probe } = main;
    if (!probe) return false;
    if (!clock.hasPassed(run.since, probe.periodSeconds * probe.failureThreshold)) return false;
    say(...probeFailure(pod, 'liveness', program.answers));
    say('Normal', 'Killing', `Container ${main.name} failed liveness probe, will be restarted`);
    return true;
  }

  function exit(more: object = {}) {
    begin();
    clock.wakeAt(clock.now + 1);
    const { exitCode, reason, message } = program.exits ?? { exitCode: 0, reason: 'Completed' };
    const at = was.state.running?.startedAt ?? (message ? '1970-01-01T00:00:00Z' : now());
    const times = { ...(message && { message }), startedAt: at, finishedAt: now() };
    const ended = exitCode === 0 ? 'Succeeded' : 'Failed';
    const phase = pod.spec.restartPolicy === 'Never' ? ended : 'Running';
    return next(phase, { terminated: { exitCode, reason, ...times } }, more);
  }

  /** Tries to pull the image in vain, after pauses that become longer. */
  function pull({ message, cause }: { message: string; cause?: string }) {
    if (waiting.reason === 'ErrImagePull') {
      if (!clock.hasPassed(run.since, 1)) return pod.status;
      clock.wakeAt(run.since + backOff(run.pulls));
      return next('Pending', { waiting: { reason: 'ImagePullBackOff', message } });
    }
    const isPausing = waiting.reason === 'ImagePullBackOff';
    if (isPausing && !clock.hasPassed(run.since, backOff(run.pulls))) return pod.status;
    begin();
    run.pulls++;
    clock.wakeAt(clock.now + 1);
    say('Warning', 'Failed', `Failed to pull image "${main.image}": ${cause}`);
    say('Warning', 'Failed', 'Error: ErrImagePull');
    return next('Pending', { waiting: { reason: 'ErrImagePull', message: cause } });
  }
}

let addresses = 0;
const nextAddress = () => `10.2.${(addresses >> 8) & 255}.${addresses++ & 255}`;

const conditionsOf = (isUp: boolean, container: string) =>
  ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => {
    if (isUp || ['PodScheduled', 'Initialized'].includes(type)) return { type, status: 'True' };
    const message = `containers with unready status: [${container}]`;
    return { type, status: 'False', reason: 'ContainersNotReady', message };
  });
