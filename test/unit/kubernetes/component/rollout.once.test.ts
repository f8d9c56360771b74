import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import { noProbes, type Probe, type ProbeCheck } from '../../../../src/drivers/region/health.ts';
import { Rollout } from '../../../../src/drivers/region/kubernetes/instances/rollout.ts';
import { preStopOf, probesOf } from '../../../../src/drivers/region/kubernetes/workload/checks.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { beforeNextCall } from '../../../support/kubernetes/next-call.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

let under: KubernetesUnderTest;
beforeAll(async () => {
  under = await kubernetesUnderTest();
});
afterAll(() => under.close());

const image = 'registry.example/web:1';
const never = new AbortController().signal;
let works = 0;

/** Calls the driver until the work is done. Between two calls, `look` is called. */
async function apply(
  component: DesiredComponent,
  look: () => Promise<void> | void = () => {},
  { driver, region } = under,
): Promise<void> {
  const id = ++works;
  for (let attempt = 1; attempt <= 600; attempt++) {
    const work = { id, job: id, attempt, elapsedMs: 0 };
    const progress = await driver.apply(region, component, work, never);
    await look();
    if (progress.isDone) return;
    await beforeNextCall();
  }
  throw new Error('not done');
}

const statusOf = async ({ id }: DesiredComponent) => {
  const knowledge = { id, regionId: under.region.id, deployState: 'running' };
  return (await under.driver.observe([knowledge], never)).get(id);
};
const instancesOf = (component: DesiredComponent, of = under) =>
  of.driver.instances!.list({ ...component, regionId: of.region.id, deployState: 'running' }, never);
const objectsOf = (kind: string, { id, teamId }: DesiredComponent) =>
  under.server.cluster.store
    .list(kindNamed(kind), `trellis-${teamId}`)
    .filter(({ metadata }) => metadata.labels?.['trellis.dev/component'] === id);
const variable = (value: string) => [{ name: 'MODE', value, isSecret: false }];
const plain = (given: Partial<DesiredComponent> = {}) =>
  desiredComponent(image, { volumes: [], variables: variable('a'), ...given });

describe('an update in a cluster', () => {
  it('goes on and keeps what ran before when no instance of it ever listens', async () => {
    // The time after which the cluster says that a Deployment has made no progress passes at once.
    const fast = await kubernetesUnderTest(
      {},
      { secondMs: 2, rollouts: { eventsAfterMs: 0, eventsForMs: 0 } },
    );
    const component = plain();
    await apply(component, undefined, fast);
    const uids = async () =>
      (await instancesOf(component, fast)).filter(({ isReady }) => isReady).map(({ uid }) => uid);
    const before = await uids();
    const next = { ...component, image: 'registry.example/web:deaf' };
    const { driver, region, server } = fast;
    const stalled = () =>
      server.cluster.store
        .list(kindNamed('Deployment'), `trellis-${component.teamId}`)
        .some(({ status }) =>
          status.conditions.some(({ reason }: any) => reason === 'ProgressDeadlineExceeded'),
        );
    const id = ++works;
    const call = () => driver.apply(region, next, { id, job: id, attempt: 1, elapsedMs: 0 }, never);
    await call();
    await expect.poll(stalled, { timeout: 60_000 }).toBe(true);
    expect(await call()).toMatchObject({
      isDone: false,
      reason: 'Not ready: the readiness check of port 8080 failed: connection refused',
    });
    expect(await uids()).toEqual(before);
    await fast.close();
  });

  it('keeps the configuration of instances that can start again, and removes it when they are gone', async () => {
    const component = plain();
    await apply(component);
    const [old] = objectsOf('ConfigMap', component);
    const next = { ...component, image: 'registry.example/web:crash', variables: variable('b') };
    await expect(apply(next)).rejects.toThrow('exit code 3');
    const names = objectsOf('ConfigMap', component).map(({ metadata }) => metadata.name);
    expect(names.length).toBe(2);
    expect(names).toContain(old.metadata.name);
    expect(old.data).toEqual({ MODE: 'a' });
    const [instance] = (await instancesOf(component)).filter(({ isReady }) => isReady);
    await under.driver.instances!.remove(
      { ...component, regionId: under.region.id, deployState: 'running' },
      instance!,
      never,
    );
    const isThere = async () => (await instancesOf(component)).some(({ uid }) => uid === instance!.uid);
    await expect.poll(isThere, { timeout: 60_000 }).toBe(false);
    // What another instance of that version would start with.
    expect(objectsOf('ConfigMap', component).map(({ metadata }) => metadata.name)).toContain(
      old.metadata.name,
    );
    const third = { ...component, variables: variable('c') };
    await apply(third);
    expect(objectsOf('ConfigMap', component).map(({ data }) => data)).toEqual([{ MODE: 'c' }]);
  });

  it('says that and why instances crash, also between two crashes', async () => {
    for (const [tag, reason] of [
      ['oom', 'OOMKilled'],
      ['crash', 'Error (exit code 3)'],
    ]) {
      const component = plain({ image: `registry.example/web:${tag}`, replicas: 1 });
      const statuses = new Set<string | undefined>();
      const reasons = new Set<string>();
      let hasCrashed = false;
      const failed = apply(component, async () => {
        const [instance] = await instancesOf(component);
        hasCrashed ||= instance?.reason != null;
        if (!hasCrashed) return;
        statuses.add(await statusOf(component));
        reasons.add(instance?.reason ?? 'none');
      });
      await expect(failed).rejects.toThrow(reason);
      expect([...statuses]).toEqual(['abnormal']);
      expect([...reasons].filter((each) => !each.includes(reason!))).toEqual([]);
    }
  });

  it('starts one instance first where a quota has room for it, and ends one first where it has not', async () => {
    const teamId = 'limited';
    const one = plain({ teamId, replicas: 1 });
    await apply(one);
    const counts: number[] = [];
    await apply({ ...one, variables: variable('b') }, async () => {
      const instances = await instancesOf(one);
      counts.push(instances.filter(({ isReady, phase }) => isReady && phase !== 'Terminating').length);
    });
    expect(Math.min(...counts)).toBe(1);
    const strategies = () => objectsOf('Deployment', one)[0].spec.strategy.rollingUpdate;
    expect(strategies()).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    // What is added needs all the room that there is.
    await apply({ ...one, replicas: 2, variables: variable('a') });
    expect(strategies()).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    await apply(one);
    const two = plain({ teamId, replicas: 1 });
    await apply(two);
    await apply({ ...one, variables: variable('c') });
    expect(strategies()).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    // Reading what others changed takes the same strategy for granted, whatever the quota has left now.
    const identity = { ...two, deletesVolumes: true };
    const remove = () =>
      under.driver.remove(
        under.region,
        identity,
        { id: ++works, job: works, attempt: 1, elapsedMs: 0 },
        never,
      );
    await expect.poll(async () => (await remove()).isDone, { timeout: 60_000 }).toBe(true);
    expect(await under.driver.drift(under.region, { ...one, variables: variable('c') }, never)).toEqual({
      changed: [],
      refused: [],
    });
  });

  it('gives pods the profile and namespaces the labels that others check', async () => {
    // The level of a namespace depends on all of its team.
    const teamId = 'secured';
    const levels = () => {
      const name = `trellis-${teamId}`;
      const { labels } = under.server.cluster.store.get(kindNamed('Namespace'), undefined, name)!.object
        .metadata;
      return ['enforce', 'warn'].map((mode) => labels[`pod-security.kubernetes.io/${mode}`]);
    };
    const component = plain({ teamId });
    await apply(component);
    expect(objectsOf('Pod', component).map(({ spec }) => spec.securityContext)).toContainEqual({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(levels()).toEqual(['restricted', 'restricted']);
    const root = plain({ teamId, needsRoot: true });
    await apply(root);
    expect(objectsOf('Pod', root).map(({ spec }) => spec.securityContext)).toContainEqual({
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(levels()).toEqual(['baseline', 'restricted']);
  });
});

describe('the probes of a container', () => {
  const timing = {
    initialDelaySeconds: 3,
    periodSeconds: 7,
    timeoutSeconds: 2,
    failureThreshold: 4,
    successThreshold: 1,
  };
  const of = (given: Partial<DesiredComponent>) => probesOf(plain(given)) as Record<string, any>;
  const ports = (...given: Partial<DesiredComponent['ports'][number]>[]) =>
    given.map((each, index) => ({
      number: 80 + index,
      protocol: 'tcp',
      alias: `P${index}`,
      isInner: false,
      isOuter: false,
      additionalName: null,
      ...each,
    }));

  it.each<[ProbeCheck, object]>([
    [
      { kind: 'http', path: '/live', port: 8080, scheme: 'https', headers: [{ name: 'A', value: 'b' }] },
      { httpGet: { path: '/live', port: 8080, scheme: 'HTTPS', httpHeaders: [{ name: 'A', value: 'b' }] } },
    ],
    [
      { kind: 'http', path: '/', port: 80, scheme: 'http', headers: [] },
      { httpGet: { path: '/', port: 80, scheme: 'HTTP' } },
    ],
    [{ kind: 'tcp', port: 5432 }, { tcpSocket: { port: 5432 } }],
    [{ kind: 'grpc', port: 9000, service: 'shop' }, { grpc: { port: 9000, service: 'shop' } }],
    [{ kind: 'command', command: ['pg_isready', '-q'] }, { exec: { command: ['pg_isready', '-q'] } }],
  ])('are those of the component: %o', (check, handler) => {
    const probe: Probe = { check, ...timing };
    expect(of({ probes: { startup: probe, readiness: probe, liveness: probe } })).toEqual({
      startupProbe: { ...handler, ...timing },
      readinessProbe: { ...handler, ...timing },
      livenessProbe: { ...handler, ...timing },
    });
  });

  it('check a port that requests come to, unless that is switched off or there is none', () => {
    const tcpRules = [{ key: 'r', portNumber: 82, address: '0.0.0.0', outerPort: 30_000, extensions: [] }];
    const none = { httpRules: [], tcpRules: [], probes: noProbes };
    const checked = (given: Partial<DesiredComponent>) =>
      of({ ...none, ...given }).readinessProbe?.tcpSocket.port;
    const all = ports({}, { isInner: true }, {}, { isInner: true, protocol: 'udp' });
    expect(checked({ ports: all, tcpRules })).toBe(82);
    expect(checked({ ports: all })).toBe(81);
    expect(checked({ ports: all.slice(0, 1) })).toBeUndefined();
    expect(checked({ ports: all.slice(3) })).toBeUndefined();
    expect(checked({ ports: ports({ isInner: true, protocol: 'tcp_udp' }) })).toBe(80);
    expect(checked({ ports: all, checksPorts: false })).toBeUndefined();
  });

  it('come with a pause before the signal to end, if requests come to the component', () => {
    const component = plain();
    const exec = { lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } } };
    expect(preStopOf(component, false)).toEqual(exec);
    expect(preStopOf({ ...component, preStopSeconds: 9 }, true)).toEqual({
      lifecycle: { preStop: { sleep: { seconds: 9 } } },
    });
    expect(preStopOf({ ...component, preStopSeconds: 0 }, true)).toEqual({});
    expect(preStopOf({ ...component, ports: [], httpRules: [], tcpRules: [] }, true)).toEqual({});
  });
});

describe('a failure of instances', () => {
  const failing = {
    status: 'abnormal',
    reason: 'ErrImagePull',
    failure: 'lasting',
    isSettled: false,
  } as const;
  const blocked = { ...failing, failure: 'refused' } as const;

  it('is one of the work once it was seen three times over 30 s', () => {
    const rollout = new Rollout();
    const looks = [0, 10_000, 29_000, 30_000].map((ms) => rollout.hasFailed(failing, 30_000, ms));
    expect(looks).toEqual([false, false, false, true]);
    const seldom = new Rollout();
    expect([0, 40_000, 80_000].map((ms) => seldom.hasFailed(failing, 30_000, ms))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('is over when nothing is wrong at a look', () => {
    const rollout = new Rollout();
    rollout.hasFailed(failing, 30_000, 0);
    rollout.hasFailed({ status: 'starting', isSettled: false }, 30_000, 20_000);
    expect([31_000, 45_000, 60_000].map((ms) => rollout.hasFailed(failing, 30_000, ms))).toEqual([
      false,
      false,
      false,
    ]);
    expect(rollout.hasFailed(failing, 30_000, 61_000)).toBe(true);
  });

  it('is given as long as an instance was in the way, because the pauses between two tries double', () => {
    const rollout = new Rollout();
    rollout.hasFailed({ ...blocked, failure: undefined }, 30_000, 0);
    const looks = [60_000, 91_000, 119_000, 120_000].map((ms) => rollout.hasFailed(blocked, 30_000, ms));
    expect(looks).toEqual([false, false, false, true]);
  });
});
