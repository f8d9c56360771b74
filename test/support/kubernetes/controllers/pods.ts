import { amountOf } from '../api/defaults.ts';
import { kindNamed } from '../api/kinds.ts';
import { now, type Store } from '../api/store.ts';
import { missingMount, nextStatus, runsOf } from './containers.ts';
import type { ControllerOptions } from './controllers.ts';
import { tell } from './kubelet-events.ts';
import { type Program, programOfCommand } from './programs.ts';

const isTrue = (conditions: any[] | undefined, type: string) =>
  conditions?.some((each) => each.type === type && each.status === 'True') ?? false;

export const isReady = ({ status, metadata }: any) =>
  !metadata.deletionTimestamp && isTrue(status.conditions, 'Ready');

const readySince = new WeakMap<Store, Map<string, number>>();

/** Whether a pod has been ready for a time. If not, there will be a step when it has. */
export function isAvailable(store: Store, pod: any, minReadySeconds = 0): boolean {
  const since = readySince.get(store) ?? new Map<string, number>();
  readySince.set(store, since);
  const { uid } = pod.metadata;
  if (!isReady(pod)) {
    since.delete(uid);
    return false;
  }
  if (!since.has(uid)) since.set(uid, store.clock.now);
  return store.clock.hasPassed(since.get(uid)!, minReadySeconds);
}

/** Schedules pods, runs their containers, and removes those that are to go. */
export function runPods(store: Store, { hasKubelet, programOf, write }: ControllerOptions): void {
  if (!hasKubelet) return;
  const kind = kindNamed('Pod');
  for (const pod of store.relations.take(kind)) {
    const [main] = pod.spec.containers;
    const isJob = pod.spec.restartPolicy !== 'Always';
    const program = { ...programOf(main.image), ...(isJob && programOfCommand(main.command ?? [])) };
    store.clock.asking(pod, () => runPod(store, pod, program, write));
    const { namespace, name, uid } = pod.metadata;
    if (!isSettled(store.get(kind, namespace, name)?.object)) store.relations.again(kind, uid);
  }
}

/** Whether nothing but a change or its time moves a pod on. Others wait for something else, such as a ConfigMap. */
const isSettled = (pod: any) =>
  !pod ||
  (!pod.metadata.deletionTimestamp &&
    (['Succeeded', 'Failed'].includes(pod.status.phase) ||
      pod.status.containerStatuses?.[0]?.ready === true));

function runPod(store: Store, pod: any, program: Program, write: ControllerOptions['write']): void {
  if (pod.metadata.deletionTimestamp) stop(store, pod, program);
  else if (!pod.spec.nodeName) schedule(store, pod);
  else runContainer(store, pod, program, write);
}

function runContainer(store: Store, pod: any, program: Program, write: ControllerOptions['write']): void {
  const status = nextStatus(store, pod, program);
  const isStarted = (of: any) => of.containerStatuses?.[0]?.state.running !== undefined;
  const hasBegun = !isStarted(pod.status) && isStarted(status);
  if (hasBegun) for (const line of program.output ?? []) write?.(pod, line);
  store.save(kindNamed('Pod'), { ...pod, status });
}

const requested = ({ spec }: any, resource: string): number =>
  spec.containers.reduce(
    (sum: number, { resources }: any) => sum + amountOf(resources?.requests?.[resource]),
    0,
  );

/** Gives a pod a node. Only its own requests count, because tests share the nodes. */
function schedule(store: Store, pod: any): void {
  const nodes = store.list(kindNamed('Node'));
  const lacking = ['cpu', 'memory'].find((resource) =>
    nodes.every(({ status }) => requested(pod, resource) > amountOf(status.allocatable[resource])),
  );
  const node = lacking ? undefined : (nodes[0]?.metadata.name ?? 'node1');
  const message = `0/${nodes.length} nodes are available: ${nodes.length} Insufficient ${lacking}. preemption: 0/${nodes.length} nodes are available: ${nodes.length} No preemption victims found for incoming pod.`;
  const condition = lacking ? { status: 'False', reason: 'Unschedulable', message } : { status: 'True' };
  store.save(kindNamed('Pod'), {
    ...pod,
    spec: { ...pod.spec, ...(node && { nodeName: node }) },
    status: { ...pod.status, phase: 'Pending', conditions: [{ type: 'PodScheduled', ...condition }] },
  });
}

/** How long the hook before SIGTERM takes, in seconds. One that fails takes no time. */
function preStopSeconds({ spec }: any, program: Program): number {
  const hook = spec.containers[0].lifecycle?.preStop;
  if (hook?.sleep) return hook.sleep.seconds;
  const [command, seconds] = hook?.exec?.command ?? [];
  return command === 'sleep' && !program.hasNoSleep ? Number(seconds) : 0;
}

function reportHook(store: Store, pod: any): void {
  const [main] = pod.spec.containers;
  if (main.lifecycle?.preStop?.exec)
    tell(store, pod, ['Warning', 'FailedPreStopHook', 'PreStopHook failed'], main.name);
}

/** How long a node lets a pod wait that is to go while a volume of it cannot be mounted, in seconds. */
const mountTimeout = 120;

/**
 * A pod that is to go stays, and stays ready, until its container has ended: after the hook and SIGTERM, or when its grace
 * period is over.
 */
function stop(store: Store, pod: any, program: Program): void {
  const kind = kindNamed('Pod');
  const { metadata, status } = pod;
  if (metadata.finalizers?.length) return;
  const runs = runsOf(store);
  const run = runs.get(metadata.uid);
  const [container] = status.containerStatuses ?? [];
  const grace = metadata.deletionGracePeriodSeconds ?? 0;
  if (run && container && !container.state.terminated) {
    if (run.stoppingSince === undefined && program.hasNoSleep && container.state.running)
      reportHook(store, pod);
    run.stoppingSince ??= store.clock.now;
    const { running } = container.state;
    const ends = preStopSeconds(pod, program) + (program.isStubborn ? Number.POSITIVE_INFINITY : 1);
    const lasts = running ? Math.min(grace, ends) : missingMount(store, pod) ? mountTimeout : 0;
    if (grace > 0 && !store.clock.hasPassed(run.stoppingSince, lasts)) return;
    if (running) {
      const exitCode = ends > grace ? 137 : 143;
      const terminated = { exitCode, reason: 'Error', startedAt: running.startedAt, finishedAt: now() };
      const conditions = status.conditions.map((each: any) =>
        each.type.endsWith('Ready') ? { ...each, status: 'False', reason: 'ContainersNotReady' } : each,
      );
      const ended = { ...container, ready: false, started: false, state: { terminated } };
      store.save(kind, { ...pod, status: { ...status, conditions, containerStatuses: [ended] } });
      return;
    }
  }
  runs.delete(metadata.uid);
  readySince.get(store)?.delete(metadata.uid);
  store.remove(kind, pod);
}
