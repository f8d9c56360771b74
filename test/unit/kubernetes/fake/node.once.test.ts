import { describe, expect, it } from 'vitest';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { Cluster } from '../../../support/kubernetes/cluster.ts';

/** A cluster whose time passes when a test lets it, with a Deployment `web`. */
function start(tag: string, spec: object = {}, pod: object = {}, container: object = {}) {
  const cluster = new Cluster();
  cluster.store.put('Namespace', { metadata: { name: 'ns' } });
  /** What is seen of each pod, without repetitions. */
  const seen = new Map<string, string[]>();
  const changes: string[] = [];
  cluster.store.watch(kindNamed('Pod'), 0, ({ type, object }) => {
    const { name, deletionTimestamp } = object.metadata;
    const [status] = object.status.containerStatuses ?? [];
    const { waiting, terminated } = status?.state ?? {};
    const isReady = object.status.conditions?.some(
      (each: any) => each.type === 'Ready' && each.status === 'True',
    );
    const word = waiting?.reason ?? terminated?.reason ?? (status ? 'running' : '');
    const text = `${word}${isReady ? ' ready' : ''}`;
    const states = seen.get(name) ?? [];
    seen.set(name, states);
    if (states.at(-1) !== text) states.push(text);
    if (deletionTimestamp) changes.push(`${type} ${text}`);
  });
  const deployment = (image: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      ...spec,
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          ...pod,
          containers: [{ name: 'main', image: `registry.example/web:${image}`, ...container }],
        },
      },
    },
  });
  const path = '/apis/apps/v1/namespaces/ns/deployments/web?fieldManager=test';
  const apply = (image: string) => {
    const body = deployment(image);
    const answer = cluster.handle(
      { method: 'PATCH', path, contentType: 'application/apply-patch+yaml', body },
      'admin',
    );
    expect((answer as { status: number }).status).toBeLessThan(300);
    cluster.settle();
  };
  const read = () => cluster.store.get(kindNamed('Deployment'), 'ns', 'web')!.object;
  const condition = (type: string): string | undefined => {
    const found = read().status.conditions.find((each: any) => each.type === type);
    return found && `${found.status} ${found.reason}`;
  };
  const pods = () => cluster.store.list(kindNamed('Pod'), 'ns');
  apply(tag);
  return { cluster, seen, changes, apply, read, condition, pods };
}

const tagsOf = (pods: any[]) => pods.map(({ spec }) => spec.containers[0].image.split(':')[1]).sort();
const only = (seen: Map<string, string[]>) => [...seen.values()][0]!;

describe('the node of the fake cluster', () => {
  it('lets a container be ready as soon as it runs, so that a version that crashes replaces all others', () => {
    const { cluster, apply, pods, condition, read } = start('1', { replicas: 2 });
    cluster.pass(1);
    expect(condition('Progressing')).toBe('True NewReplicaSetAvailable');
    apply('crash-later');
    cluster.pass(3);
    expect(tagsOf(pods())).toEqual(['crash-later', 'crash-later']);
    expect(condition('Progressing')).toBe('True NewReplicaSetAvailable');
    cluster.pass(6);
    expect(read().status.availableReplicas).toBeUndefined();
    expect(condition('Progressing')).toBe('True NewReplicaSetAvailable');
    expect(condition('Available')).toBe('False MinimumReplicasUnavailable');
  });

  it('keeps the old pods until new ones were ready for minReadySeconds', () => {
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    const { cluster, apply, pods, condition, read } = start('1', {
      replicas: 2,
      minReadySeconds: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate },
    });
    cluster.pass(9);
    expect(read().status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
    cluster.pass(2);
    expect(read().status.availableReplicas).toBe(2);
    apply('crash-later');
    cluster.pass(3);
    expect(read().status).toMatchObject({ readyReplicas: 3, availableReplicas: 2, updatedReplicas: 1 });
    cluster.pass(60);
    expect(tagsOf(pods())).toEqual(['1', '1', 'crash-later']);
    expect([condition('Progressing'), condition('Available')]).toEqual([
      'True ReplicaSetUpdated',
      'True MinimumReplicasAvailable',
    ]);
    apply('1');
    cluster.pass(2);
    expect(tagsOf(pods())).toEqual(['1', '1']);
    expect(condition('Progressing')).toBe('True NewReplicaSetAvailable');
  });

  it.each([
    [
      'crash',
      70,
      ['', 'ContainerCreating', 'Error', 'CrashLoopBackOff', 'Error', 'CrashLoopBackOff', 'Error'],
    ],
    [
      'oom',
      20,
      [
        '',
        'ContainerCreating',
        'running ready',
        'OOMKilled',
        'running ready',
        'OOMKilled',
        'CrashLoopBackOff',
      ],
    ],
    [
      'broken',
      15,
      ['', 'ContainerCreating', 'ErrImagePull', 'ImagePullBackOff', 'ErrImagePull', 'ImagePullBackOff'],
    ],
    ['invalid', 15, ['', 'ContainerCreating', 'InvalidImageName']],
    ['busy', 300, ['', 'ContainerCreating', 'CreateContainerConfigError']],
  ])('takes a container of %s through its states', (tag, seconds, states) => {
    const { cluster, seen, pods } = start(tag);
    cluster.pass(seconds);
    expect(only(seen).slice(0, states.length)).toEqual(states);
    const [status] = pods()[0].status.containerStatuses;
    if (tag === 'oom') {
      expect(status.lastState.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
    }
    if (tag === 'crash') expect(status.restartCount).toBeGreaterThanOrEqual(3);
  });

  it('starts a container that it was too busy for', () => {
    const { cluster, seen } = start('busy');
    cluster.start('registry.example/web:busy');
    cluster.pass(1);
    expect(only(seen).at(-1)).toBe('running ready');
  });

  it('waits for the probes of a container', () => {
    const readinessProbe = { tcpSocket: { port: 80 } };
    const { cluster, seen } = start('late', {}, {}, { readinessProbe });
    cluster.pass(8);
    expect(only(seen)).toEqual(['', 'ContainerCreating', 'running', 'running ready']);
    const deaf = start('deaf', {}, {}, { readinessProbe });
    deaf.cluster.pass(700);
    expect(only(deaf.seen).at(-1)).toBe('running');
    expect(deaf.condition('Progressing')).toBe('False ProgressDeadlineExceeded');
  });

  it('starts a container when the ConfigMap that it reads is created', () => {
    const envFrom = [{ configMapRef: { name: 'settings' } }];
    const { cluster, pods, seen } = start('1', {}, {}, { envFrom });
    cluster.pass(20);
    expect(pods()[0].status.containerStatuses[0].state.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'configmap "settings" not found',
    });
    cluster.store.put('ConfigMap', { metadata: { name: 'settings', namespace: 'ns' } });
    cluster.pass(1);
    expect(only(seen).at(-1)).toBe('running ready');
  });

  it('has no node for a pod that requests too much', () => {
    const { cluster, pods } = start('1', {}, {}, { resources: { requests: { cpu: '1000' } } });
    cluster.pass(1);
    expect(pods()[0].spec.nodeName).toBeUndefined();
    expect(pods()[0].status).toMatchObject({
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: expect.stringContaining('0/2 nodes are available: 2 Insufficient cpu.'),
        },
      ],
    });
    expect(pods()[0].status.containerStatuses).toBeUndefined();
  });

  it.each([
    ['1', undefined, 1],
    ['1', { exec: { command: ['sleep', '5'] } }, 6],
    ['distroless', { exec: { command: ['sleep', '5'] } }, 1],
    ['stubborn', undefined, 30],
    ['stubborn', { exec: { command: ['sleep', '5'] } }, 30],
  ])('ends a pod of %s with the hook %o after a time', (tag, preStop, seconds) => {
    const { cluster, pods, changes } = start(tag, {}, {}, preStop && { lifecycle: { preStop } });
    cluster.pass(1);
    const [pod] = pods();
    const path = `/api/v1/namespaces/ns/pods/${pod.metadata.name}`;
    cluster.handle({ method: 'DELETE', path, body: {} }, 'admin');
    cluster.pass(seconds - 0.5);
    expect(pods().length).toBe(2);
    cluster.pass(1);
    expect(pods().length).toBe(1);
    expect(changes).toEqual(['MODIFIED running ready', 'MODIFIED Error', 'DELETED Error']);
  });

  it('counts pods that are to go for a quota alone, and tries again later and later', () => {
    const rollingUpdate = { maxSurge: 0, maxUnavailable: 1 };
    const spec = { replicas: 2, strategy: { type: 'RollingUpdate', rollingUpdate } };
    const { cluster, apply, pods, condition, read } = start('stubborn', spec, {
      terminationGracePeriodSeconds: 8,
    });
    const metadata = { name: 'small', namespace: 'ns' };
    cluster.pass(1);
    cluster.store.put('ResourceQuota', { metadata, spec: { hard: { pods: '2' } } });
    apply('stubborn-2');
    cluster.pass(1);
    expect(condition('ReplicaFailure')).toBe('True FailedCreate');
    expect(read().status).toMatchObject({ replicas: 1, readyReplicas: 1, unavailableReplicas: 1 });
    expect(pods().length).toBe(2);
    cluster.pass(8);
    // The pod is gone, but the next try comes later.
    expect(tagsOf(pods())).toEqual(['stubborn']);
    expect(condition('ReplicaFailure')).toBe('True FailedCreate');
    cluster.pass(3);
    expect(tagsOf(pods())).toEqual(['stubborn', 'stubborn-2']);
    cluster.pass(60);
    expect(tagsOf(pods())).toEqual(['stubborn-2', 'stubborn-2']);
    expect(condition('ReplicaFailure')).toBeUndefined();
    expect(condition('Progressing')).toBe('True NewReplicaSetAvailable');
  });
});
