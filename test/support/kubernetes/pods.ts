import type { ControllerOptions } from './controllers.ts';
import { kindNamed } from './kinds.ts';
import { now, type Store } from './store.ts';

const isTrue = (conditions: any[] | undefined, type: string) =>
  conditions?.some((each) => each.type === type && each.status === 'True') ?? false;

export const isReady = ({ status, metadata }: any) =>
  !metadata.deletionTimestamp && isTrue(status.conditions, 'Ready');

let addresses = 0;

/** Schedules pods, starts their containers, and removes those that are to go. */
export function runPods(store: Store, { hasKubelet, troubleOf }: ControllerOptions): void {
  if (!hasKubelet) return;
  const kind = kindNamed('Pod');
  for (const pod of store.list(kind)) {
    if (pod.metadata.deletionTimestamp) {
      if (!pod.metadata.finalizers?.length) store.remove(kind, pod);
      continue;
    }
    if (!pod.spec.nodeName) {
      store.save(kind, {
        ...pod,
        spec: { ...pod.spec, nodeName: store.list(kindNamed('Node'))[0]?.metadata.name ?? 'node1' },
        status: { ...pod.status, conditions: [{ type: 'PodScheduled', status: 'True' }] },
      });
      continue;
    }
    store.save(kind, { ...pod, status: nextStatus(pod, troubleOf) });
  }
}

function nextStatus({ spec, status }: any, troubleOf: ControllerOptions['troubleOf']): any {
  const [main] = spec.containers;
  const trouble = troubleOf(main.image);
  const was = status.containerStatuses?.[0];
  const container = {
    name: main.name,
    image: main.image,
    imageID: '',
    ready: false,
    restartCount: was?.restartCount ?? 0,
    started: false,
  };
  const withContainer = (phase: string, state: object, more: object = {}) => ({
    ...status,
    phase,
    hostIP: '10.1.0.1',
    conditions: conditionsOf(phase === 'Running' && !trouble),
    containerStatuses: [{ ...container, ...more, state }],
  });
  if (!was) return withContainer('Pending', { waiting: { reason: 'ContainerCreating' } });
  if (!trouble) {
    if (was.state.running) return status;
    const started = { startedAt: now() };
    return {
      ...withContainer(
        'Running',
        { running: started },
        { ready: true, started: true, imageID: `sha256:${main.image}` },
      ),
      podIP: `10.2.${(addresses >> 8) & 255}.${addresses++ & 255}`,
      startTime: status.startTime ?? now(),
    };
  }
  if (trouble === 'CrashLoopBackOff') {
    if (container.restartCount >= 5) return status;
    const lastState = { terminated: { exitCode: 1, reason: 'Error' } };
    const waiting = { reason: trouble, message: 'back-off restarting failed container' };
    return withContainer('Running', { waiting }, { restartCount: container.restartCount + 1, lastState });
  }
  const message = `Back-off pulling image "${main.image}"`;
  const reason =
    trouble === 'ImagePullBackOff' && was.state.waiting?.reason === 'ContainerCreating'
      ? 'ErrImagePull'
      : trouble;
  return withContainer('Pending', { waiting: { reason, message } });
}

const conditionsOf = (isUp: boolean) =>
  ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: isUp || ['PodScheduled', 'Initialized'].includes(type) ? 'True' : 'False',
  }));
