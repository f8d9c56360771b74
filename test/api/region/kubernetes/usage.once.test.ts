import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Person } from '../../../support/fixtures.ts';
import { platform } from '../../../support/kubernetes/api/access.ts';
import { createClusterPlace } from '../../../support/kubernetes/place.ts';
import { type FakeServer, startCluster } from '../../../support/kubernetes/server.ts';
import { startTrellis, type Trellis } from '../../../support/trellis.ts';

let trellis: Trellis;
let measured: Place;
let unmeasured: Place;
let viewer: Person;
let teamId: string;

interface Place {
  server: FakeServer;
  appId: number;
}

function createPlace(server: FakeServer): Promise<Place> {
  server.cluster.users.set('platform', platform());
  return createClusterPlace(trellis, server, { token: 'platform', teamId });
}

beforeAll(async () => {
  const [started, withMetrics, without] = await Promise.all([
    startTrellis({ jobs: {} }),
    startCluster({ hasMetrics: true }),
    startCluster(),
  ]);
  trellis = started;
  ({ teamId } = await trellis.createTeam());
  measured = await createPlace(withMetrics);
  unmeasured = await createPlace(without);
  viewer = await trellis.createMember(teamId, 'VIEWER');
});
afterAll(async () => {
  await trellis?.close();
  await Promise.all([measured?.server.close(), unmeasured?.server.close()]);
});

const fields =
  'gap cpuMillicores memoryMiB restarts instances { name cpuMillicores memoryMiB restarts measuredAt }';

async function usageOf(by: { componentId: string }): Promise<any> {
  const query = `query($by: ComponentRef!) { component(by: $by) { name usage { ${fields} } } }`;
  const { data, errors } = await trellis.graphql(query, { by }, viewer.token);
  return errors ? { ...data.component, code: errors[0]!.extensions.code } : data.component.usage;
}

/** A component whose instances all run. */
async function running({ appId }: Place, alias: string, replicas = 1): Promise<{ componentId: string }> {
  const { componentId } = await trellis.createComponent(appId, {
    ...{ name: alias, alias, image: 'nginx:1.29', replicas, deploy: true },
  });
  const query = 'query($by: ComponentRef!) { component(by: $by) { instances { isReady } } }';
  await vi.waitUntil(
    async () => {
      const { data } = await trellis.graphql(query, { by: { componentId } }, trellis.adminToken);
      const ready = (data?.component.instances ?? []).filter(({ isReady }: any) => isReady);
      return ready.length === replicas;
    },
    { timeout: 90_000, interval: 20 },
  );
  return { componentId };
}

const requests = ({ server }: Place) =>
  server.cluster.log.filter(({ path }) => path.startsWith('/apis/metrics.k8s.io/v1beta1/pods')).length;

describe('Component.usage in a cluster', () => {
  it('sums what the metrics server measures of each instance', async () => {
    const component = await running(measured, 'web', 2);
    const { cluster } = measured.server;
    const [one, two] = (await usageOf(component)).instances.map(({ name }: any) => name);
    cluster.usage.set(one, { cpu: '125m', memory: '64Mi' });
    cluster.usage.set(two, { cpu: '250500000n', memory: '131072Ki' });
    expect(await usageOf(component)).toEqual({
      gap: null,
      cpuMillicores: 375.5,
      memoryMiB: 192,
      restarts: 0,
      instances: [
        { name: one, cpuMillicores: 125, memoryMiB: 64, restarts: 0, measuredAt: expect.any(String) },
        { name: two, cpuMillicores: 250.5, memoryMiB: 128, restarts: 0, measuredAt: expect.any(String) },
      ],
    });
  });

  it('leaves out measurements of an earlier instance with the same name', async () => {
    const component = await running(measured, 'again', 2);
    const [one, two] = (await usageOf(component)).instances.map(({ name }: any) => name);
    const { cluster } = measured.server;
    cluster.usage.set(one, { cpu: '900m', memory: '900Mi', timestamp: '2020-01-01T00:00:00Z' });
    cluster.usage.set(two, { cpu: '100m', memory: '50Mi' });
    const { cpuMillicores, memoryMiB, instances } = await usageOf(component);
    expect([cpuMillicores, memoryMiB]).toEqual([100, 50]);
    expect(instances[0]).toEqual({
      ...{ name: one, cpuMillicores: null, memoryMiB: null, restarts: 0, measuredAt: null },
    });
    cluster.usage.set(two, { cpu: '100m', memory: '50Mi', timestamp: 'never' });
    expect((await usageOf(component)).cpuMillicores).toBeNull();
  });

  it('asks once for the components of a list, with a selector of their own', async () => {
    await Promise.all(['a', 'b', 'c'].map((alias) => running(measured, alias)));
    const before = requests(measured);
    const query = `query($by: ApplicationRef!) { application(by: $by) { components(first: 50) { nodes { name usage { ${fields} } } } } }`;
    const { application } = await trellis.data(query, { by: { appId: measured.appId } }, viewer.token);
    const { nodes } = application.components;
    const own = nodes.filter(({ name }: { name: string }) => ['a', 'b', 'c'].includes(name));
    expect(own.map(({ usage }: any) => usage.cpuMillicores)).toEqual([2.5, 2.5, 2.5]);
    expect(requests(measured) - before).toBe(1);
    const isMetrics = ({ path }: { path: string }) => path.includes('metrics.k8s.io/v1beta1/pods');
    const { path } = measured.server.cluster.log.findLast(isMetrics)!;
    const { labelSelector } = Object.fromEntries(new URL(path, 'https://cluster').searchParams);
    const ids = /^trellis\.dev\/component in \((.+)\)$/.exec(labelSelector!)![1]!.split(',');
    expect(ids.length).toBe(nodes.length);
  });

  it('asks for nothing, and has no usage, where nothing runs', async () => {
    const closed = await trellis.createComponent(measured.appId, { deploy: false });
    const before = requests(measured);
    const none = { gap: null, cpuMillicores: 0, memoryMiB: 0, restarts: 0, instances: [] };
    expect(await usageOf({ componentId: closed.componentId })).toEqual(none);
    expect(requests(measured)).toBe(before);
  });

  it('has instances and restarts, and says what is missing, without measurements', async () => {
    const component = await running(unmeasured, 'web');
    const found = await usageOf(component);
    expect(found).toMatchObject({ gap: 'NO_METRICS', cpuMillicores: null, memoryMiB: null, restarts: 0 });
    expect(found.instances).toEqual([
      { name: expect.any(String), cpuMillicores: null, memoryMiB: null, restarts: 0, measuredAt: null },
    ]);
    const other = await running(measured, 'refused');
    const { cluster } = measured.server;
    const rights = platform();
    for (const rule of rights.rules) if (rule.groups.includes('metrics.k8s.io')) rule.resources = ['nodes'];
    cluster.users.set('platform', rights);
    expect(await usageOf(other)).toMatchObject({ gap: 'NOT_ALLOWED', cpuMillicores: null });
    cluster.users.set('platform', platform());
    const isMetrics = ({ path }: { path: string }) => path.includes('metrics.k8s.io');
    const body = {
      kind: 'Status',
      apiVersion: 'v1',
      message: 'the server is currently unable to handle the request',
    };
    cluster.fault = (request) => (isMetrics(request) ? { status: 503, body } : undefined);
    expect(await usageOf(other)).toMatchObject({ gap: 'NOT_RESPONDING', memoryMiB: null });
    cluster.fault = (request) => (isMetrics(request) ? { status: 500, body } : undefined);
    expect(await usageOf(other)).toEqual({ name: 'refused', usage: null, code: 'REGION_UNAVAILABLE' });
    cluster.fault = undefined;
    expect(await usageOf(other)).toMatchObject({ gap: null, restarts: 0 });
  });

  it('does not fail for a region that responds because another does not', async () => {
    const [here, there] = await Promise.all([running(measured, 'here'), running(unmeasured, 'there')]);
    const { cluster } = measured.server;
    cluster.fault = ({ path }) =>
      path.includes('metrics.k8s.io')
        ? { status: 500, body: { kind: 'Status', message: 'broken' } }
        : undefined;
    const query = `query($a: ComponentRef!, $b: ComponentRef!) { a: component(by: $a) { usage { gap } } b: component(by: $b) { usage { gap } } }`;
    const { data, errors } = await trellis.graphql(query, { a: here, b: there }, viewer.token);
    cluster.fault = undefined;
    expect(data).toEqual({ a: { usage: null }, b: { usage: { gap: 'NO_METRICS' } } });
    expect(errors!.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['a', 'usage'], 'REGION_UNAVAILABLE'],
    ]);
  });
});
