import type { ServerResponse } from 'node:http';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Person } from '../../../support/fixtures.ts';
import { createClusterPlace } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';
import { type MetricsServer, startMetricsServer } from '../../../support/metrics-server.ts';

const { trellis, server } = useClusterWorld();
let metrics: MetricsServer;
let namespace: string;
let regionName: string;
let appId: number;
let component: { componentId: string };
let viewer: Person;

beforeAll(async () => {
  metrics = await startMetricsServer();
  const cluster = { gatewayClass: 'test', metricsUrl: metrics.url };
  const place = await createClusterPlace(trellis, server, { token: 'platform', cluster });
  ({ appId, namespace } = place);
  regionName = place.region.name;
  const { componentId } = await trellis.createComponent(appId, { alias: 'web', clusterName: 'web' });
  component = { componentId };
  // What was recorded before a component was created can be of another one.
  const createdAt = new Date(0);
  await trellis.services.db.transaction((tx) => tx.component.updateMany({ data: { createdAt } }));
  viewer = await trellis.createMember(place.teamId, 'VIEWER');
  return () => metrics.close();
});
beforeEach(() => {
  metrics.respond = undefined;
  metrics.recorded = [];
  metrics.queries = [];
});

const points = (series: string) => `${series} { at value }`;
const fields = `gap from to stepSeconds ${points('cpuMillicores')} ${points('memoryMiB')} ${points('restarts')}`;

async function historyOf(last: string, of = component): Promise<any> {
  const query = `query($by: ComponentRef!, $last: UsagePeriod) { component(by: $by) { name usageHistory(last: $last) { ${fields} } } }`;
  const { data, errors } = await trellis.graphql(query, { by: of, last }, viewer.token);
  if (!errors) return data.component.usageHistory;
  expect(data.component.usageHistory).toBeNull();
  return [errors[0]!.extensions.code, errors[0]!.message];
}

const record = (metric: string, pod: string, value: number, labels: object = {}) =>
  metrics.recorded.push({
    metric,
    labels: { namespace, pod, container: 'main', ...labels },
    value,
  });

describe('Component.usageHistory', () => {
  it('sums what is recorded of the instances of the component, and of no other', async () => {
    const cpu = 'container_cpu_usage_seconds_total';
    for (const pod of ['web-5d9c7b6f4d-x2zk8', 'web-7f6b9c8d5c-bcdfg', 'web-0']) record(cpu, pod, 0.25);
    for (const pod of ['web-api-5d9c7b6f4d-x2zk8', 'webs-0', 'my-web-0', 'web-api-0']) record(cpu, pod, 9);
    record(cpu, 'web-0', 9, { container: '' });
    record(cpu, 'web-0', 9, { container: 'POD' });
    record(cpu, 'web-0', 9, { namespace: 'trellis-other' });
    record('container_memory_working_set_bytes', 'web-0', 96 * 2 ** 20);
    record('kube_pod_container_status_restarts_total', 'web-0', 3);
    const { gap, from, to, stepSeconds, cpuMillicores, memoryMiB, restarts } = await historyOf('HOUR');
    expect([gap, stepSeconds, Date.parse(to) - Date.parse(from)]).toEqual([null, 60, 3_600_000]);
    for (const [series, value] of [
      [cpuMillicores, 750],
      [memoryMiB, 96],
      [restarts, 3],
    ]) {
      expect(series.length).toBe(61);
      expect(series[0]).toEqual({ at: from, value });
      expect(series.at(-1)).toEqual({ at: to, value });
    }
  });

  it.each([
    ['HOUR', 60, 3_600],
    ['SIX_HOURS', 120, 21_600],
    ['DAY', 300, 86_400],
    ['WEEK', 3_600, 604_800],
    ['MONTH', 10_800, 2_592_000],
  ])('asks for %s with a step of %i s, in at most 300 points', async (last, step, length) => {
    record('container_memory_working_set_bytes', 'web-0', 2 ** 20);
    const { memoryMiB, cpuMillicores } = await historyOf(last);
    expect(memoryMiB.length).toBe(length / step + 1);
    expect(memoryMiB.length).toBeLessThanOrEqual(300);
    expect(cpuMillicores).toEqual([]);
    expect(metrics.queries.length).toBe(3);
    for (const { start, end, step: asked } of metrics.queries) {
      expect([Number(asked), Number(end) - Number(start), Number(end) % step]).toEqual([step, length, 0]);
    }
    const rate = metrics.queries.find(({ query }) => query!.includes('rate('));
    expect(rate!.query).toContain(`[${Math.max(120, step)}s]`);
  });

  const answering =
    (body: string, status = 200) =>
    (response: ServerResponse) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body);
    };
  const matrixOf = (values: unknown[]) =>
    JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [{ metric: {}, values }] } });

  it('leaves out what is no number', async () => {
    metrics.respond = answering(
      matrixOf([
        [1, 'NaN'],
        [2, '+Inf'],
        [3, '4.5'],
      ]),
    );
    const { cpuMillicores } = await historyOf('HOUR');
    expect(cpuMillicores).toEqual([{ at: '1970-01-01T00:00:03.000Z', value: 4.5 }]);
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['no JSON', answering('<html>'), /invalid answer/],
    ['another type', answering('{"status":"success","data":{"resultType":"vector","result":[]}}'), /invalid/],
    ['too many points', answering(matrixOf(Array.from({ length: 301 }, (_, at) => [at, '1']))), /invalid/],
    ['too many values', answering(`[${'0,'.repeat(250_001)}0]`), /invalid answer|more than/],
    ['too many bytes', answering('x'.repeat(600_000)), /more than 524288 bytes/],
    ['a rejected query', answering('{"status":"error"}', 422), /rejected a query with status 422/],
    ['an error', answering('oops', 500), /responded with status 500/],
    [
      'a redirect to another host',
      (response) => response.writeHead(302, { location: 'http://localhost:1/' }).end(),
      /redirected to another host/,
    ],
    ['no answer', (response) => response.destroy(), /cannot be reached \(connection closed\)/],
    ['nothing in time', () => {}, /did not respond within/],
  ])('is null with an error for %s', async (_, respond, message) => {
    metrics.respond = respond;
    const [code, text] = await historyOf('HOUR');
    expect(code).toBe('REGION_UNAVAILABLE');
    expect(text).toMatch(message);
  });

  it('reads the same once, and that of 20 components at most', async () => {
    const alias = (last: string, index: number) => `h${index}: usageHistory(last: ${last}) { gap }`;
    const same = Array.from({ length: 5 }, (_, index) => alias('DAY', index)).join(' ');
    const query = `query($by: ComponentRef!) { component(by: $by) { ${same} } }`;
    await trellis.data(query, { by: component }, viewer.token);
    expect(metrics.queries.length).toBe(3);
    const many = await Promise.all(Array.from({ length: 21 }, () => trellis.createComponent(appId)));
    const all = many.map(
      ({ componentId }, index) =>
        `c${index}: component(by: { componentId: "${componentId}" }) { usageHistory { gap } }`,
    );
    const { errors } = await trellis.graphql(`{ ${all.join(' ')} }`, {}, viewer.token);
    expect(errors!.map(({ extensions }) => extensions.code)).toEqual(['LIMIT_EXCEEDED']);
  });

  it('says that the region has no metrics server, whose address is validated', async () => {
    const region = { name: regionName };
    const settings = 'region { cluster { metricsUrl } }';
    for (const metricsUrl of ['ftp://x', 'http://user:pass@x', 'http://x/?a=b', 'http://x/#a', 'x']) {
      const { code, message } = await trellis.attempt(
        'updateRegion',
        { region, cluster: { metricsUrl } },
        settings,
      );
      expect([code, message]).toEqual(['INVALID_INPUT', expect.any(String)]);
    }
    const changed = await trellis.succeed(
      'updateRegion',
      { region, cluster: { metricsUrl: null } },
      settings,
    );
    expect(changed.region.cluster.metricsUrl).toBeNull();
    await expect.poll(async () => (await historyOf('HOUR')).gap, { timeout: 60_000 }).toBe('NO_METRICS_URL');
    const cluster = { metricsUrl: metrics.url };
    const again = await trellis.succeed('updateRegion', { region, cluster }, settings);
    expect(again.region.cluster).toEqual(cluster);
    await expect.poll(async () => (await historyOf('HOUR')).gap, { timeout: 60_000 }).toBeNull();
  });

  it('is what was recorded since the component was created, and by its name alone', async () => {
    record('container_memory_working_set_bytes', 'late-0', 2 ** 20);
    const { componentId } = await trellis.createComponent(appId, { alias: 'late', clusterName: 'late' });
    expect(await historyOf('DAY', { componentId })).toMatchObject({ gap: null, memoryMiB: [] });
    const data = { clusterName: 'web', ownedClusterName: null };
    await trellis.services.db.transaction((tx) => tx.component.update({ where: { id: componentId }, data }));
    expect(await historyOf('DAY')).toMatchObject({ gap: 'SHARED_NAME' });
  });
});
