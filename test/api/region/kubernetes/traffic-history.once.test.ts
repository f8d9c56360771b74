import { readFile } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gatewayPlaceholders } from '../../../../src/drivers/region/traffic.ts';
import type { Person } from '../../../support/fixtures.ts';
import { createClusterPlace } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';
import { type MetricsServer, startMetricsServer } from '../../../support/metrics-server.ts';

const { trellis, server } = useClusterWorld();
let metrics: MetricsServer;
let namespace: string;
let region: { name: string };
let component: { componentId: string };
let viewer: Person;
/** The example of the documentation. */
let documented: string;

const settings = 'region { cluster { metricsUrl gatewayQueries { requests errors latencyP95 } } }';
const update = (cluster: object) => trellis.succeed('updateRegion', { region, cluster }, settings);

beforeAll(async () => {
  metrics = await startMetricsServer();
  const cluster = { gatewayClass: 'test', metricsUrl: metrics.url };
  const place = await createClusterPlace(trellis, server, { token: 'platform', cluster });
  ({ namespace } = place);
  region = { name: place.region.name };
  const { componentId } = await trellis.createComponent(place.appId, { alias: 'web', clusterName: 'web' });
  component = { componentId };
  // What was recorded before a component was created can be of another one.
  const createdAt = new Date(0);
  await trellis.services.db.transaction((tx) => tx.component.updateMany({ data: { createdAt } }));
  viewer = await trellis.createMember(place.teamId, 'VIEWER');
  const guide = await readFile('docs/kubernetes.md', 'utf8');
  const examples = [...guide.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, text]) => text!);
  documented = examples
    .find((text) => text.includes('gatewayQueries'))!
    .replace('"kind"', `"${region.name}"`);
  return () => metrics.close();
});
beforeEach(() => {
  metrics.respond = undefined;
  metrics.recorded = [];
  metrics.queries = [];
});

const points = (series: string) => `${series} { at value }`;
const fields = `gap from to stepSeconds ${points('requestsPerSecond')} ${points('errorsPerSecond')} ${points('latencyP95Ms')}`;

async function trafficOf(last: string): Promise<any> {
  const query = `query($by: ComponentRef!, $last: UsagePeriod) { component(by: $by) { trafficHistory(last: $last) { ${fields} } } }`;
  const { data, errors } = await trellis.graphql(query, { by: component, last }, viewer.token);
  if (!errors) return data.component.trafficHistory;
  expect([errors.length, data.component]).toEqual([1, { trafficHistory: null }]);
  return [errors[0]!.extensions.code, errors[0]!.message];
}

const requests = 'nginx_ingress_controller_requests';
const buckets = 'nginx_ingress_controller_request_duration_seconds_bucket';
const record = (metric: string, value: number, labels: object = {}) =>
  metrics.recorded.push({
    metric,
    labels: { exported_namespace: namespace, exported_service: 'web-backend', ...labels },
    value,
  });

describe('Component.trafficHistory', () => {
  it('reads requests, errors and latency of the component with the queries of the documentation', async () => {
    expect((await trafficOf('HOUR')).gap).toBe('NO_GATEWAY_QUERIES');
    const { updateRegion } = await trellis.data(documented);
    expect(updateRegion.region.cluster.gatewayQueries.requests).toContain('{{service}}');
    await expect.poll(async () => (await trafficOf('HOUR')).gap, { timeout: 60_000 }).toBeNull();
    metrics.queries = [];
    record(requests, 8, { status: '200' });
    record(requests, 2, { status: '404' });
    record(requests, 90, { exported_service: 'web-api-backend', status: '500' });
    record(requests, 90, { exported_namespace: 'trellis-other', status: '500' });
    for (const [le, value] of Object.entries({ 0.1: 90, 0.2: 100, '+Inf': 100 }))
      record(buckets, value, { le });
    const quiet = await trafficOf('HOUR');
    expect([quiet.gap, quiet.stepSeconds]).toEqual([null, 60]);
    const first = ([{ at, value }]: any) => [at, Math.round(value * 1_000) / 1_000];
    expect(first(quiet.requestsPerSecond)).toEqual([quiet.from, 10]);
    expect(first(quiet.errorsPerSecond)).toEqual([quiet.from, 0]);
    expect(first(quiet.latencyP95Ms)).toEqual([quiet.from, 150]);
    expect(quiet.requestsPerSecond.length).toBe(61);
    expect(quiet.requestsPerSecond.at(-1).at).toBe(quiet.to);
    record(requests, 3, { status: '502' });
    const failing = await trafficOf('WEEK');
    expect(first(failing.requestsPerSecond)[1]).toBe(13);
    expect(first(failing.errorsPerSecond)[1]).toBe(3);
    const asked = metrics.queries.map(({ query }) => query!);
    expect(asked.length).toBe(6);
    expect(asked.filter((query) => query.includes('[120s]')).length).toBe(3);
    expect(asked.filter((query) => query.includes('[3600s]')).length).toBe(3);
    for (const query of asked) expect(query).not.toMatch(/\{\{|\}\}/);
  });

  it('names a query that is rejected, or has more than one series, and leaves other fields alone', async () => {
    const query = 'avg(no_function{n="{{namespace}}",w="{{workload}}"})';
    await update({ gatewayQueries: { requests: null, errors: query, latencyP95: null } });
    const both = `query($by: ComponentRef!) { component(by: $by) { usageHistory { gap } trafficHistory { gap } } }`;
    const read = () => trellis.graphql(both, { by: component }, viewer.token);
    await expect.poll(async () => (await read()).errors?.length, { timeout: 60_000 }).toBe(1);
    const { data, errors } = await read();
    expect(data.component).toEqual({ usageHistory: { gap: null }, trafficHistory: null });
    expect(errors![0]!.message).toMatch(/rejected the query `errors` of the region with status 400/);
    expect(metrics.queries.map((each) => each.query)).toContain(`avg(no_function{n="${namespace}",w="web"})`);
    const series = { metric: {}, values: [[1, '1']] };
    metrics.respond = (response) => {
      const data = { resultType: 'matrix', result: [series, series] };
      response.end(JSON.stringify({ status: 'success', data }));
    };
    const [code, message] = await trafficOf('DAY');
    expect([code, message]).toEqual(['REGION_UNAVAILABLE', expect.stringMatching(/`errors`.* aggregate/)]);
    // What the region has no query for is unknown, not empty.
    metrics.respond = (response) => {
      const result = [
        {
          metric: {},
          values: [
            [1, '0.5'],
            [2, 'NaN'],
          ],
        },
      ];
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }));
    };
    const partial = await trafficOf('DAY');
    expect([partial.requestsPerSecond, partial.latencyP95Ms]).toEqual([null, null]);
    expect(partial.errorsPerSecond).toEqual([{ at: '1970-01-01T00:00:01.000Z', value: 0.5 }]);
  });

  it('accepts only queries that select one component', async () => {
    const valid = 'sum(m{n="{{namespace}}",s="{{ service }}"})';
    for (const [query, message] of [
      ['sum(m{n="{{namespace}}",s="{{service}}",p="{{pod}}"})', /no other placeholders/],
      ['sum(m{n="{{namespace}}",s="{{service}}",p="{{constructor}}"})', /no other placeholders/],
      ['sum(m{s="{{service}}"})', /needs the placeholder/],
      ['sum(m{n="{{namespace}}"})', /needs the placeholder/],
      ['', /needs the placeholder/],
      [valid.padEnd(1_001), /1000/],
      [`${valid}\u0000`, /Control characters/],
    ] as const) {
      const cluster = { gatewayQueries: { latencyP95: query } };
      const failure = await trellis.attempt('updateRegion', { region, cluster }, settings);
      expect([failure.code, failure.issues[0]]).toEqual([
        'INVALID_INPUT',
        {
          path: ['input', 'cluster', 'gatewayQueries', 'latencyP95'],
          message: expect.stringMatching(message),
        },
      ]);
    }
    const set = await update({ gatewayQueries: { requests: valid, errors: null } });
    const only = { requests: valid, errors: null, latencyP95: null };
    expect(set.region.cluster.gatewayQueries).toEqual(only);
    // One query at a time, and what is omitted stays.
    const two = await update({ gatewayQueries: { latencyP95: valid } });
    expect(two.region.cluster.gatewayQueries).toEqual({ ...only, latencyP95: valid });
    const one = await update({ gatewayQueries: { requests: null } });
    expect(one.region.cluster.gatewayQueries).toEqual({ ...only, requests: null, latencyP95: valid });
    for (const gatewayQueries of [{ latencyP95: null }, null]) {
      await update({ gatewayQueries: { errors: valid } });
      await update({ gatewayQueries: { errors: null } });
      const none = await update({ gatewayQueries });
      expect(none.region.cluster).toEqual({ metricsUrl: metrics.url, gatewayQueries: null });
    }
    await update({ metricsUrl: null });
    await expect.poll(async () => (await trafficOf('HOUR')).gap, { timeout: 60_000 }).toBe('NO_METRICS_URL');
  });

  it('documents every placeholder', async () => {
    const guide = await readFile('docs/kubernetes.md', 'utf8');
    const named = [...guide.matchAll(/^\| `\{\{(\w+)\}\}` \|/gm)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(gatewayPlaceholders));
  });
});
