import type { ServerResponse } from 'node:http';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Person } from '../../../support/fixtures.ts';
import { createClusterPlace } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';
import { type LogStore, startLogStore } from '../../../support/log-store.ts';

const { trellis, server } = useClusterWorld({ jobs: {} });
let store: LogStore;
let namespace: string;
let region: { name: string };
let appId: number;
let component: { componentId: string };
let pod: string;
let createdAt: number;
let developer: Person;
let viewer: Person;

beforeAll(async () => {
  store = await startLogStore();
  const place = await createClusterPlace(trellis, server, { token: 'platform' });
  ({ appId, namespace } = place);
  region = { name: place.region.name };
  const input = {
    application: { appId },
    name: 'web',
    alias: 'web',
    clusterName: 'web',
    image: 'nginx:1.29',
  };
  const created = await trellis.succeed(
    'createComponent',
    { ...input, deploy: true },
    'component { uid createdAt }',
  );
  component = { componentId: created.component.uid };
  createdAt = Date.parse(created.component.createdAt);
  [developer, viewer] = await Promise.all([
    trellis.createMember(place.teamId, 'DEVELOPER'),
    trellis.createMember(place.teamId, 'VIEWER'),
  ]);
  await vi.waitUntil(
    async () => {
      const query = 'query($by: ComponentRef!) { component(by: $by) { instances { name isReady } } }';
      const { data } = await trellis.graphql(query, { by: component });
      pod = data?.component.instances?.find(({ isReady }: any) => isReady)?.name;
      return pod !== undefined;
    },
    { timeout: 90_000, interval: 20 },
  );
  return () => store.close();
});
beforeEach(() => {
  store.respond = undefined;
  store.lines = [];
  store.queries = [];
});

const fields = 'source gap searchedFrom mayHaveMore isTruncated lines { instance container at text }';

async function logs(given: object, token = developer.token, by = component): Promise<any> {
  const query = `query($by: ComponentRef!, $search: String, $since: DateTime, $until: DateTime, $tail: Int, $instance: String, $container: String, $source: LogSource) {
    component(by: $by) { name logs(search: $search, since: $since, until: $until, tail: $tail, instance: $instance, container: $container, source: $source) { ${fields} } }
  }`;
  const { data, errors } = await trellis.graphql(query, { by, ...given }, token);
  if (!errors) return data.component.logs;
  return [errors[0]!.extensions.code, errors[0]!.message];
}
const texts = async (given: object): Promise<string[]> =>
  (await logs(given)).lines.map(({ text }: { text: string }) => text);

const iso = (ms: number) => new Date(ms).toISOString();
const write = (text: string) => server.cluster.logs.write({ namespace, name: pod }, text);
/** A line in the log store, at a time in ms after the component was made. */
const record = (text: string, afterMs = 0, labels: object = {}) =>
  store.lines.push({
    labels: { namespace, pod: 'web-5d9c7b6f4d-x2zk8', container: 'main', ...labels },
    at: BigInt(createdAt + afterMs) * 1_000_000n,
    text,
  });

describe('Component.logs of instances', () => {
  it('searches more lines than it returns, in any letter case', async () => {
    write('GET /cart?item=[1] TIMEOUT (upstream)');
    for (let line = 0; line < 150; line++) write(`GET /health 200 ${line}`);
    const found = await logs({ search: 'cart?item=[1] timeout (', tail: 1 });
    expect(found).toMatchObject({ source: 'INSTANCES', gap: 'NO_LOGS_URL', searchedFrom: null });
    expect(found).toMatchObject({ mayHaveMore: true, isTruncated: false });
    expect(found.lines).toMatchObject([
      { instance: pod, container: 'main', text: 'GET /cart?item=[1] TIMEOUT (upstream)' },
    ]);
    expect(await texts({ search: 'cart.*timeout' })).toEqual([]);
    expect(await texts({ search: 'health 200 14', tail: 3 })).toEqual(
      [147, 148, 149].map((n) => `GET /health 200 ${n}`),
    );
    expect(await logs({ search: 'upstream', tail: 5 })).toMatchObject({ mayHaveMore: false });
    expect(await texts({ search: '', tail: 1 })).toEqual(['GET /health 200 149']);
  });

  it('returns the lines of a time', async () => {
    const { lines } = await logs({ tail: 1 });
    const last = Date.parse(lines[0].at);
    expect((await texts({ until: iso(last), tail: 1000 })).length).toBe(151);
    expect(await texts({ until: iso(createdAt - 1) })).toEqual([]);
    expect(await texts({ since: iso(last + 60_000) })).toEqual([]);
    expect(await texts({ since: iso(createdAt), search: 'timeout' })).toHaveLength(1);
  });

  it('says that it has not searched every line', async () => {
    for (let line = 0; line < 10_000; line++) write('later');
    expect(await logs({ search: 'upstream' })).toMatchObject({
      lines: [],
      isTruncated: true,
      mayHaveMore: true,
    });
    expect(await logs({ tail: 1 })).toMatchObject({
      source: 'INSTANCES',
      gap: null,
      isTruncated: false,
      mayHaveMore: true,
    });
  });

  it('has no log store to read from', async () => {
    const nothing = { lines: [], isTruncated: false, searchedFrom: null, mayHaveMore: false, source: null };
    expect(await logs({ source: 'LOG_STORE' })).toEqual({ ...nothing, gap: 'NO_LOGS_URL' });
    const declared = await trellis.createApplication(await trellis.createPlace());
    const { componentId } = await trellis.createComponent(declared.appId, { deploy: true });
    expect(await logs({ search: 'a' }, trellis.adminToken, { componentId })).toEqual({
      ...nothing,
      gap: 'NO_CLUSTER',
    });
  });
});

describe('Component.logs of a log store', () => {
  beforeAll(async () => {
    const settings = 'region { cluster { logsUrl metricsUrl } }';
    for (const logsUrl of ['ftp://x', 'http://user:pass@x', 'http://x/?a=b', 'http://x/#a', 'x']) {
      const { code } = await trellis.attempt('updateRegion', { region, cluster: { logsUrl } }, settings);
      expect([logsUrl, code]).toEqual([logsUrl, 'INVALID_INPUT']);
    }
    const cluster = { logsUrl: store.url };
    const changed = await trellis.succeed('updateRegion', { region, cluster }, settings);
    expect(changed.region.cluster).toEqual({ ...cluster, metricsUrl: null });
    const isRead = async () => (await logs({ search: 'a' })).source === 'LOG_STORE';
    await vi.waitUntil(isRead, { timeout: 90_000, interval: 50 });
  });

  it('has lines of the instances that the component had, and of no others', async () => {
    record('Timeout one', 1);
    record('timeout two', 3, { pod: 'web-0' });
    record('TIMEOUT three', 2, { pod: 'web-7f6b9c8d5c-bcdfg', container: 'proxy' });
    record('no match', 4);
    for (const name of ['web-api-5d9c7b6f4d-x2zk8', 'webs-0', 'my-web-0', 'web-api-0']) {
      record('timeout of another component', 5, { pod: name });
    }
    record('timeout of another team', 5, { namespace: 'trellis-other' });
    record('timeout of a component before', -1_000);
    const found = await logs({ search: 'timeOUT' });
    expect(found).toEqual({
      source: 'LOG_STORE',
      gap: null,
      searchedFrom: iso(createdAt),
      mayHaveMore: false,
      isTruncated: false,
      lines: [
        { instance: 'web-5d9c7b6f4d-x2zk8', container: 'main', at: iso(createdAt + 1), text: 'Timeout one' },
        {
          instance: 'web-7f6b9c8d5c-bcdfg',
          container: 'proxy',
          at: iso(createdAt + 2),
          text: 'TIMEOUT three',
        },
        { instance: 'web-0', container: 'main', at: iso(createdAt + 3), text: 'timeout two' },
      ],
    });
    expect(await texts({ search: 'timeout', instance: 'web-0' })).toEqual(['timeout two']);
    expect(await texts({ search: 'timeout', container: 'proxy' })).toEqual(['TIMEOUT three']);
    expect(await texts({ search: 'timeout', instance: 'webs-0' })).toEqual([]);
  });

  it('asks for the last lines of a time', async () => {
    for (let line = 0; line < 5; line++) record(`line ${line}`, line);
    const until = iso(createdAt + 3);
    const found = await logs({ since: iso(createdAt + 1), until, tail: 2 });
    expect(found.lines.map(({ text }: any) => text)).toEqual(['line 2', 'line 3']);
    expect(found).toMatchObject({ mayHaveMore: true, searchedFrom: iso(createdAt + 1) });
    const [{ query, ...range }] = store.queries as [Record<string, string>];
    expect(query).toMatch(/^\{namespace="[^"]+",pod=~"web-[^"]+"\}$/);
    expect(range).toEqual({
      start: `${createdAt + 1}000000`,
      end: `${createdAt + 4}000000`,
      limit: '2',
      direction: 'backward',
    });
    expect(await texts({ until: found.searchedFrom })).toEqual(['line 0', 'line 1']);
    expect(await texts({ until: iso(createdAt - 1) })).toEqual([]);
    expect(await texts({ since: iso(Date.now() + 60_000), search: 'line' })).toEqual([]);
  });

  it.each(['a.b', '"} or {namespace=~".+"} |~ "', '\\', '.*', '`', '(?-i)[', 'ünïcode ✓'])(
    'searches %j as text',
    async (search) => {
      record(`before ${search} after`);
      record('axb');
      expect(await texts({ search })).toEqual([`before ${search} after`]);
    },
  );

  it('reads from what is asked for', async () => {
    record('stored');
    expect(await logs({ tail: 1 })).toMatchObject({ source: 'INSTANCES', gap: null });
    expect(await logs({ search: 'upstream', source: 'INSTANCES' })).toMatchObject({
      source: 'INSTANCES',
      gap: null,
    });
    expect(await logs({ since: iso(createdAt), tail: 1 })).toMatchObject({ source: 'INSTANCES' });
    expect(store.queries).toEqual([]);
    expect(await texts({ source: 'LOG_STORE' })).toEqual(['stored']);
  });

  it('is bounded in lines and bytes', async () => {
    record('x'.repeat(40_000), 0);
    expect((await texts({ source: 'LOG_STORE' }))[0]!.length).toBe(16_384);
    for (let line = 1; line <= 40; line++) record(`${line} ${'y'.repeat(16_000)}`, line);
    const { isTruncated, mayHaveMore, lines } = await logs({ source: 'LOG_STORE', tail: 1000 });
    expect([isTruncated, mayHaveMore]).toEqual([true, true]);
    expect(lines.length).toBeLessThan(40);
    expect(lines.at(-1).text).toMatch(/^40 /);
  });

  const answering =
    (body: string, status = 200) =>
    (response: ServerResponse) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body);
    };
  const streamsOf = (values: unknown[], stream: object = {}) =>
    JSON.stringify({ status: 'success', data: { resultType: 'streams', result: [{ stream, values }] } });

  it('reads answers with more than times and lines', async () => {
    store.respond = answering(streamsOf([['1700000000123456789', 'a\r', { level: 'info' }]]));
    expect((await logs({ search: 'a' })).lines).toEqual([
      { instance: '', container: '', at: '2023-11-14T22:13:20.123Z', text: 'a' },
    ]);
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['no JSON', answering('<html>'), /log store sent an invalid answer/],
    ['another type', answering('{"status":"success","data":{"resultType":"matrix","result":[]}}'), /invalid/],
    ['no times', answering(streamsOf([['yesterday', 'a']])), /invalid/],
    ['too many lines', answering(streamsOf(Array.from({ length: 1001 }, () => ['1', 'a']))), /invalid/],
    ['too many values', answering(`[${'0,'.repeat(250_001)}0]`), /invalid/],
    ['too many bytes', answering('x'.repeat(4_300_000)), /more than 4194304 bytes/],
    ['a rejected query', answering('parse error', 400), /rejected a query with status 400/],
    ['an error', answering('oops', 500), /responded with status 500/],
    [
      'a redirect to another host',
      (response) => response.writeHead(302, { location: 'http://localhost:1/' }).end(),
      /redirected to another host/,
    ],
    ['no answer', (response) => response.destroy(), /cannot be reached \(connection closed\)/],
    ['nothing in time', () => {}, /did not respond within/],
  ])('is null with an error for %s', async (_, respond, message) => {
    store.respond = respond;
    const [code, text] = await logs({ search: 'a' });
    expect(code).toBe('REGION_UNAVAILABLE');
    expect(text).toMatch(message);
  });

  it('refuses viewers and texts that are no search, and asks for nothing', async () => {
    expect((await logs({ search: 'a' }, viewer.token))[0]).toBe('FORBIDDEN');
    for (const given of [
      { search: 'x'.repeat(201) },
      { search: 'a\u0000b' },
      { search: 'a\nb' },
      { search: 'a', instance: 'web-0"} or {' },
      { search: 'a', container: '"' },
    ]) {
      expect((await logs(given))[0], JSON.stringify(given)).toBe('INVALID_INPUT');
    }
    expect(store.queries).toEqual([]);
  });

  it('reads the same once, and the logs of 20 components at most', async () => {
    const query = (count: number, searchOf: (index: number) => string) => {
      const each = (_: unknown, index: number) => `l${index}: logs(search: "${searchOf(index)}") { gap }`;
      const all = Array.from({ length: count }, each).join(' ');
      return `query($by: ComponentRef!) { component(by: $by) { ${all} } }`;
    };
    await trellis.data(
      query(30, () => 'same'),
      { by: component },
      developer.token,
    );
    expect(store.queries.length).toBe(1);
    const { errors } = await trellis.graphql(
      query(21, (index) => `s${index}`),
      { by: component },
      developer.token,
    );
    expect(errors!.map(({ extensions }) => extensions.code)).toEqual(['LIMIT_EXCEEDED']);
  });

  it('is not asked for a component whose name in the cluster another one has', async () => {
    record('of one of the two');
    expect(await texts({ search: 'of the two' })).toHaveLength(1);
    const second = await trellis.createComponent(appId, { alias: 'second' });
    const data = { clusterName: 'web', ownedClusterName: null };
    const set = (to: object) =>
      trellis.services.db.transaction((tx) =>
        tx.component.update({ where: { id: second.componentId }, data: to }),
      );
    await set(data);
    const asked = store.queries.length;
    for (const by of [component, { componentId: second.componentId }]) {
      const found = await logs({ source: 'LOG_STORE' }, developer.token, by);
      expect(found).toMatchObject({ gap: 'SHARED_NAME', lines: [] });
    }
    expect(store.queries).toHaveLength(asked);
    await set({ clusterName: 'second', ownedClusterName: 'second' });
    expect(await texts({ search: 'of the two' })).toHaveLength(1);
  });
});
