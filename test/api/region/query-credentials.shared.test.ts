import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { platform } from '../../support/kubernetes/api/access.ts';
import { type FakeServer, startCluster } from '../../support/kubernetes/server.ts';
import { type LogStore, startLogStore } from '../../support/log-store.ts';
import { type MetricsServer, startMetricsServer } from '../../support/metrics-server.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let server: FakeServer;
let metrics: MetricsServer;
let logs: LogStore;
let teamId: string;

beforeAll(async () => {
  [trellis, server, metrics, logs] = await Promise.all([
    startTrellis(),
    startCluster(),
    startMetricsServer(),
    startLogStore(),
  ]);
  server.cluster.users.set('platform', platform());
  ({ teamId } = await trellis.createTeam());
});
beforeEach(() => {
  metrics.requires = { authorization: 'Bearer secret-metrics' };
  logs.requires = {
    authorization: `Basic ${Buffer.from('reader:secret-lögs:1').toString('base64')}`,
    'x-scope-orgid': 'acme',
  };
  for (const each of [metrics, logs]) {
    each.queries = [];
    each.respond = undefined;
  }
});
afterAll(async () => {
  await trellis?.close();
  await Promise.all([server?.close(), metrics?.close(), logs?.close()]);
});

const metricsCredentials = { token: 'secret-metrics' };
const logsCredentials = { username: 'reader', password: 'secret-lögs:1', tenant: 'acme' };
const selection = 'region { cluster { metricsUrl logsUrl hasMetricsCredentials hasLogsCredentials } }';

/** A region of its own, because what a driver has read of one is used for a while, with a component in it. */
async function place(credentials: object) {
  const region = await trellis.createRegion({
    driver: 'KUBERNETES',
    url: server.url,
    credentials: { token: 'platform', caCertificate: server.caCertificate },
    cluster: {
      namespacePrefix: `t${randomBytes(4).toString('hex')}-`,
      metricsUrl: metrics.url,
      logsUrl: logs.url,
    },
    ...credentials,
  });
  const { name, regionId } = region;
  await trellis.succeed('openTeamRegion', { team: { teamId }, region: { name } }, '__typename');
  const { appId } = await trellis.createApplication({ team: { teamId }, region } as never);
  const { componentId } = await trellis.createComponent(appId);
  return { region: { name }, regionId, component: { componentId } };
}

const update = (input: object) => trellis.succeed('updateRegion', input, selection);

/** What is read of both servers: why there is nothing, or the message of the error. */
async function read(component: object): Promise<(string | null)[]> {
  const query =
    'query($by: ComponentRef!) { component(by: $by) { usageHistory { gap } logs(search: "x") { gap } } }';
  const { data, errors = [] } = await trellis.graphql(query, { by: component });
  return (['usageHistory', 'logs'] as const).map((field) => {
    const failure = errors.find(({ path }: any) => path?.at(-1) === field);
    expect(failure?.extensions.code).toBe(failure && 'REGION_UNAVAILABLE');
    return failure?.message ?? data.component[field].gap;
  });
}

describe('the credentials of metrics servers and log stores', () => {
  it('are sent to their servers, and are neither shown nor recorded', async () => {
    const { region, regionId, component } = await place({ metricsCredentials, logsCredentials });
    expect(await read(component)).toEqual([null, null]);
    expect(metrics.queries.length).toBe(3);
    expect(logs.queries.length).toBe(1);
    // The same again changes nothing, and neither do other settings.
    const before = await trellis.counts();
    const { cluster } = (await update({ region, metricsCredentials, logsCredentials })).region;
    expect([cluster.hasMetricsCredentials, cluster.hasLogsCredentials]).toEqual([true, true]);
    expect(await trellis.counts()).toEqual(before);
    await update({ region, alias: 'Other' });
    const replaced = { username: 'other', password: 'secret-3' };
    await update({ region, metricsCredentials: replaced, logsCredentials: null });
    const { events } = await trellis.data(
      `{ events(objectUid: "${regionId}", action: "region.update", first: 1) { nodes { changes { field before: oldValue after: newValue } } } }`,
    );
    expect(events.nodes[0].changes).toEqual([
      { field: 'sealedMetricsCredentials', before: '[redacted]', after: '[redacted]' },
      { field: 'sealedLogsCredentials', before: '[redacted]', after: null },
    ]);
    const stored = JSON.stringify([
      await trellis.services.db.query('SELECT * FROM region', []),
      await trellis.services.db.query('SELECT * FROM event', []),
      trellis.logged,
    ]);
    expect(stored).not.toMatch(/secret-|reader/);
    const [row] = await trellis.services.db.region.findManyByKeys({ by: 'id', keys: [regionId] });
    const kept = trellis.services.seal.open(row!.sealedMetricsCredentials!);
    expect(JSON.parse(kept)).toMatchObject(replaced);
    metrics.requires = {
      authorization: `Basic ${Buffer.from('other:secret-3').toString('base64')}`,
    };
    const missing = /^The log store requires credentials: .* status 401, .* no `logsCredentials`\.$/;
    await expect
      .poll(() => read(component), { timeout: 60_000 })
      .toEqual([null, expect.stringMatching(missing)]);
  });

  it('are named by the error if a server rejects them, and do not follow a redirect', async () => {
    const other = await startMetricsServer();
    try {
      const credentials = { metricsCredentials: { token: 'wrong' }, logsCredentials: { tenant: 'other' } };
      const { component } = await place(credentials);
      expect(await read(component)).toEqual([
        'The metrics server rejected the `metricsCredentials` of the region with status 401.',
        'The log store rejected the `logsCredentials` of the region with status 401.',
      ]);
      for (const each of [metrics, logs]) {
        each.requires = {};
        each.respond = (response) =>
          response.writeHead(307, { location: `${other.url}/api/v1/query_range` }).end();
      }
      expect(await read(component)).toEqual([
        'The metrics server redirected to another host.',
        'The log store redirected to another host.',
      ]);
      expect(other.queries).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('are given again for another server, and removed with the address', async () => {
    const { region } = await place({ metricsCredentials, logsCredentials });
    const elsewhere = { metricsUrl: 'https://metrics.example/a' };
    const refused = await trellis.attempt('updateRegion', { region, cluster: elsewhere }, selection);
    expect([refused.code, refused.issues]).toEqual([
      'INVALID_INPUT',
      [{ path: ['input', 'metricsCredentials'], message: expect.stringMatching(/to another server/) }],
    ]);
    // Another path of the same server is no other server.
    const near = { metricsUrl: `${metrics.url}/deeper` };
    expect((await update({ region, cluster: near })).region.cluster).toMatchObject({
      ...near,
      hasMetricsCredentials: true,
    });
    const moved = await update({ region, cluster: { ...elsewhere, logsUrl: null }, metricsCredentials });
    expect(moved.region.cluster).toEqual({
      ...elsewhere,
      logsUrl: null,
      hasMetricsCredentials: true,
      hasLogsCredentials: false,
    });
    const gone = await update({ region, cluster: { metricsUrl: null } });
    expect(gone.region.cluster).toMatchObject({ metricsUrl: null, hasMetricsCredentials: false });
  });

  it('are validated', async () => {
    const region = await trellis.createRegion({ cluster: { metricsUrl: metrics.url } });
    const before = await trellis.counts();
    for (const [metricsCredentials, path, message] of [
      [{}, [], /^Must have `token`/],
      [{ token: null }, [], /^Must have `token`/],
      [{ token: 'a', username: 'b', password: 'c' }, ['token'], /^Must not be set together/],
      [{ username: 'b' }, ['password'], /^Must be set together with `username`/],
      [{ password: 'c' }, ['username'], /^Must be set together with `password`/],
      [{ username: 'a:b', password: 'c' }, ['username'], /colon/],
      [{ username: 'a', password: '' }, ['password'], /./],
      [{ token: 'a\r\nHost: b' }, ['token'], /visible ASCII/],
      [{ token: 'a'.repeat(16_385) }, ['token'], /16384/],
      [{ tenant: 'a b' }, ['tenant'], /Must consist of/],
    ] as const) {
      const input = { region: { name: region.name }, metricsCredentials };
      const failure = await trellis.attempt('updateRegion', input, selection);
      expect([failure.code, failure.issues]).toEqual([
        'INVALID_INPUT',
        [
          {
            path: ['input', 'metricsCredentials', ...path],
            message: expect.stringMatching(message),
          },
        ],
      ]);
    }
    const input = { region: { name: region.name }, logsCredentials };
    const failure = await trellis.attempt('updateRegion', input, selection);
    expect([failure.code, failure.issues[0].message]).toEqual([
      'INVALID_INPUT',
      'Must not be set without `cluster.logsUrl`',
    ]);
    expect(await trellis.counts()).toEqual(before);
  });
});
