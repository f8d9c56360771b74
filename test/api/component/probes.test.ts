import { beforeAll, describe, expect, it } from 'vitest';
import { desiredComponent } from '../../../src/domain/job/desired-reads.ts';
import { createLoaders } from '../../../src/kernel/batch.ts';
import { queued, useDriver } from '../../support/deploys.ts';
import { once } from '../../support/once.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [queued] });

let appId: number;
beforeAll(async () => {
  const place = await trellis.createPlace();
  ({ appId } = await trellis.createApplication(place));
});

const probe =
  '{ http { port path scheme headers { name value } } tcp { port } grpc { port service } command initialDelaySeconds periodSeconds timeoutSeconds failureThreshold successThreshold }';
const health = `probes { startup ${probe} readiness ${probe} liveness ${probe} } checksPorts preStopSeconds terminationGracePeriodSeconds deployDeadlineSeconds`;
const selection = `component { revision hasUndeployedChanges ${health} }`;

const newComponent = async (input: object = {}) => (await trellis.createComponent(appId, input)).componentId;
const set = async (componentId: string, input: object) =>
  (await trellis.succeed('setProbes', { component: { componentId }, ...input }, selection)).component;
const read = async (componentId: string) =>
  (
    await trellis.data(
      `{ component(by: { componentId: "${componentId}" }) { ${health} hasUndeployedChanges } }`,
    )
  ).component;
const refusal = (mutation: string, input: object) => trellis.attempt(mutation, input, '__typename');

const timing = {
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  failureThreshold: 3,
  successThreshold: 1,
};
const unchecked = { http: null, tcp: null, grpc: null, command: null };

describe('probes of a component', () => {
  it('are none at first, with a check of ports and a pause before the end', async () => {
    expect(await read(await newComponent())).toEqual({
      probes: { startup: null, readiness: null, liveness: null },
      checksPorts: true,
      preStopSeconds: 5,
      terminationGracePeriodSeconds: 30,
      deployDeadlineSeconds: 86_400,
      hasUndeployedChanges: false,
    });
  });

  it('check by HTTP, TCP, gRPC or a command, from the start', async () => {
    const headers = [{ name: 'X-Probe', value: 'a=b, c' }];
    const componentId = await newComponent({
      probes: {
        startup: { command: ['cat', '/run/ready'], failureThreshold: 30, periodSeconds: 2 },
        readiness: { http: { port: 8080, path: '/health?full=1', scheme: 'HTTPS', headers } },
        liveness: { grpc: { port: 50_051 }, timeoutSeconds: 5, initialDelaySeconds: 15 },
      },
      checksPorts: false,
      preStopSeconds: 0,
      terminationGracePeriodSeconds: 1,
      deployDeadlineSeconds: 10,
    });
    expect(await read(componentId)).toEqual({
      probes: {
        startup: {
          ...{ ...unchecked, command: ['cat', '/run/ready'] },
          ...{ ...timing, failureThreshold: 30, periodSeconds: 2 },
        },
        readiness: {
          ...{ ...unchecked, http: { port: 8080, path: '/health?full=1', scheme: 'HTTPS', headers } },
          ...{ ...timing },
        },
        liveness: {
          ...{ ...unchecked, grpc: { port: 50_051, service: '' } },
          ...{ ...timing, timeoutSeconds: 5, initialDelaySeconds: 15 },
        },
      },
      checksPorts: false,
      preStopSeconds: 0,
      terminationGracePeriodSeconds: 1,
      deployDeadlineSeconds: 10,
      hasUndeployedChanges: false,
    });
  });

  it('are set and removed one by one, recorded, and take effect with the next deploy', async () => {
    const componentId = await newComponent({ deploy: true });
    const first = await set(componentId, {
      readiness: { tcp: { port: 80 } },
      liveness: { tcp: { port: 80 } },
    });
    expect(first).toMatchObject({
      hasUndeployedChanges: true,
      probes: {
        startup: null,
        readiness: { ...unchecked, tcp: { port: 80 }, ...timing },
        liveness: { tcp: { port: 80 } },
      },
    });
    const { revision } = first;
    // Equal probes are no change, although they are written differently.
    const same = await set(componentId, { readiness: { tcp: { port: 80 }, periodSeconds: 10, http: null } });
    expect(same.revision).toBe(revision);
    const second = await set(componentId, { liveness: null, expectedRevision: revision });
    expect(second).toMatchObject({ revision: revision + 1, probes: { readiness: {}, liveness: null } });
    expect(
      await refusal('setProbes', { component: { componentId }, readiness: null, expectedRevision: revision }),
    ).toMatchObject({ code: 'CONFLICT' });
    const dryRun = await trellis.succeed(
      'setProbes',
      { component: { componentId }, readiness: null, dryRun: true },
      'plan { action objectType }',
    );
    expect(dryRun.plan).toEqual([{ action: 'component.set_probes', objectType: 'Component' }]);
    expect((await read(componentId)).probes.readiness).not.toBeNull();
    const { events } = await trellis.data(
      `{ events(action: "component.set_probes", objectUid: "${componentId}") { nodes { changes { field } } } }`,
    );
    const fields = events.nodes.map(({ changes }: any) => changes.map(({ field }: any) => field));
    expect(fields).toEqual([
      expect.arrayContaining(['livenessProbe']),
      expect.arrayContaining(['livenessProbe', 'readinessProbe']),
    ]);
  });

  it('are what a region has to carry out once they are deployed', async () => {
    const own = await trellis.createPlace();
    await useDriver(trellis, own.region.regionId, 'queued');
    const app = await trellis.createApplication(own);
    const { componentId } = await trellis.createComponent(app.appId, { deploy: true });
    const { services } = trellis;
    const { db, seal } = services;
    const desired = () => desiredComponent({ ...services, loaders: createLoaders() }, componentId);
    const defaults = {
      ...{ checksPorts: true, preStopSeconds: 5, terminationGracePeriodSeconds: 30 },
      deployDeadlineSeconds: 86_400,
    };
    const none = { startup: null, readiness: null, liveness: null };
    expect(await desired()).toMatchObject({ probes: none, ...defaults });
    await set(componentId, { readiness: { http: { port: 80 } } });
    const slow = {
      ...{ preStopSeconds: 20, terminationGracePeriodSeconds: 60, checksPorts: false },
      deployDeadlineSeconds: 60,
    };
    const by = { component: { componentId } };
    expect((await trellis.succeed('updateComponent', { ...by, ...slow }, selection)).component).toMatchObject(
      slow,
    );
    expect(await desired()).toMatchObject({ probes: none, ...defaults });
    await trellis.succeed('deployComponent', by, '__typename');
    const check = { kind: 'http', path: '/', port: 80, scheme: 'http', headers: [] };
    expect(await desired()).toMatchObject({ probes: { ...none, readiness: { check, ...timing } }, ...slow });
    // As an earlier version of Trellis stored it.
    const fields = ['startupProbe', 'readinessProbe', 'livenessProbe', ...Object.keys(slow)];
    await db.transaction(async (tx) => {
      const { sealedSpec } = await tx.deployment.findUniqueOrThrow({ where: { id: componentId } });
      const spec = JSON.parse(seal.open(sealedSpec));
      for (const field of fields) {
        expect(spec).toHaveProperty(field);
        delete spec[field];
      }
      const data = { sealedSpec: seal.close(JSON.stringify(spec)) };
      await tx.deployment.update({ where: { id: componentId }, data });
    });
    expect(await desired()).toMatchObject({ probes: none, ...defaults });
  });

  const tcp = { tcp: { port: 80 } };
  once.each([
    ['no check', { readiness: { periodSeconds: 1 } }, 'readiness'],
    ['two checks', { readiness: { ...tcp, command: ['x'] } }, 'readiness.command'],
    ['a period of 0', { readiness: { ...tcp, periodSeconds: 0 } }, 'readiness.periodSeconds'],
    ['a timeout of 0', { readiness: { ...tcp, timeoutSeconds: 0 } }, 'readiness.timeoutSeconds'],
    ['a negative delay', { readiness: { ...tcp, initialDelaySeconds: -1 } }, 'readiness.initialDelaySeconds'],
    ['no failures', { readiness: { ...tcp, failureThreshold: 0 } }, 'readiness.failureThreshold'],
    ['two successes at the start', { startup: { ...tcp, successThreshold: 2 } }, 'startup.successThreshold'],
    [
      'two successes for liveness',
      { liveness: { ...tcp, successThreshold: 2 } },
      'liveness.successThreshold',
    ],
    ['port 0', { startup: { tcp: { port: 0 } } }, 'startup.tcp.port'],
    ['a large port', { startup: { grpc: { port: 65_536 } } }, 'startup.grpc.port'],
    ['a relative path', { liveness: { http: { port: 80, path: 'health' } } }, 'liveness.http.path'],
    ['a path with a line break', { liveness: { http: { port: 80, path: '/a\nb' } } }, 'liveness.http.path'],
    [
      'a header that is no token',
      { liveness: { http: { port: 80, headers: [{ name: 'X Y', value: '' }] } } },
      'liveness.http.headers.0.name',
    ],
    [
      'a header with a line break',
      { liveness: { http: { port: 80, headers: [{ name: 'X', value: 'a\r\nB: c' }] } } },
      'liveness.http.headers.0.value',
    ],
    [
      'too many headers',
      { liveness: { http: { port: 80, headers: Array(21).fill({ name: 'X', value: '' }) } } },
      'liveness.http.headers',
    ],
    ['an empty command', { liveness: { command: [] } }, 'liveness.command'],
    ['no program', { liveness: { command: ['', 'x'] } }, 'liveness.command'],
    ['a long command', { liveness: { command: ['x'.repeat(4_000), 'x'.repeat(97)] } }, 'liveness.command'],
  ])('%s is INVALID_INPUT, and nothing changes', async (_, probes, path) => {
    const componentId = await newComponent();
    expect(await refusal('setProbes', { component: { componentId }, ...probes })).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['input', ...path.split('.')] }],
    });
    const application = { appId };
    expect(await refusal('createComponent', { application, name: 'x', image: 'x:1', probes })).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['input', 'probes', ...path.split('.')] }],
    });
    expect((await read(componentId)).probes).toEqual({ startup: null, readiness: null, liveness: null });
  });

  once('a pause that is as long as the time to end is INVALID_INPUT', async () => {
    const componentId = await newComponent({ preStopSeconds: 10, terminationGracePeriodSeconds: 20 });
    const component = { componentId };
    for (const [input, field] of [
      [{ preStopSeconds: 20 }, 'preStopSeconds'],
      [{ terminationGracePeriodSeconds: 10 }, 'terminationGracePeriodSeconds'],
      [{ deployDeadlineSeconds: 9 }, 'deployDeadlineSeconds'],
      [{ deployDeadlineSeconds: 86_401 }, 'deployDeadlineSeconds'],
      [{ preStopSeconds: 40, terminationGracePeriodSeconds: 40 }, 'terminationGracePeriodSeconds'],
    ] as const) {
      expect(await refusal('updateComponent', { component, ...input })).toMatchObject({
        code: 'INVALID_INPUT',
        issues: [{ path: ['input', field] }],
      });
    }
    expect(await read(componentId)).toMatchObject({ preStopSeconds: 10, terminationGracePeriodSeconds: 20 });
  });
});
