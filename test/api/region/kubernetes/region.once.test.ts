import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { neededRights } from '../../../../src/drivers/region/kubernetes/cluster/rights.ts';
import { unique } from '../../../support/fixtures.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { createClusterPlace } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, server } = useClusterWorld({ jobs: {} }, { hasMetrics: true });

const createCluster = (more: object = {}) =>
  trellis.createRegion({
    driver: 'KUBERNETES',
    url: server.url,
    credentials: { token: 'platform', caCertificate: server.caCertificate },
    cluster: { gatewayClass: 'test', namespacePrefix: `${unique('p')}-` },
    ...more,
  });

const refusal = async (mutation: string, input: object) => (await trellis.attempt(mutation, input)).code;

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A kubeconfig as clusters give it. */
const kubeconfig = (user: object = { token: 'platform' }, cluster: object = {}) => {
  const given = {
    server: server.url,
    'certificate-authority-data': base64(server.caCertificate),
    ...cluster,
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: given }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
};

const check = async (name: string) => {
  const selection =
    'isReachable problem version hasGatewayApi hasMetrics hasCertManager hasSnapshots rights { verb group resource isAllowed }';
  const { checkRegion } = await trellis.data(`{ checkRegion(region: { name: "${name}" }) { ${selection} } }`);
  return checkRegion;
};

describe('a region that is a cluster', () => {
  it('keeps its settings, and the address and credentials of a kubeconfig', async () => {
    const { name } = await createCluster({
      url: 'https://unused.example',
      credentials: undefined,
      kubeconfig: kubeconfig(),
      cluster: { gatewayClass: 'test' },
    });
    const selection =
      'url driver cluster { gatewayClass ingressClass storageClass certificateIssuer namespacePrefix } credentials { token caCertificate clientKey }';
    const read = async () =>
      (await trellis.data(`{ region(by: { name: "${name}" }) { ${selection} } }`)).region;
    const credentials = { token: 'platform', caCertificate: server.caCertificate, clientKey: null };
    const cluster = {
      gatewayClass: 'test',
      ingressClass: null,
      storageClass: null,
      certificateIssuer: null,
      namespacePrefix: 'trellis-',
    };
    expect(await read()).toEqual({ url: server.url, driver: 'KUBERNETES', cluster, credentials });
    const changed = { gatewayClass: null, storageClass: 'fast', namespacePrefix: 'shop-' };
    await trellis.succeed('updateRegion', { region: { name }, cluster: changed }, '__typename');
    expect((await read()).cluster).toEqual({ ...cluster, ...changed });
    // Namespaces that exist keep their names.
    const { teamId } = await trellis.createTeam();
    await trellis.succeed('openTeamRegion', { team: { teamId }, region: { name } }, '__typename');
    const other = { region: { name }, cluster: { namespacePrefix: 'other-' } };
    expect(await refusal('updateRegion', other)).toBe('CONFLICT');
  });

  it.each<[string, () => object]>([
    ['a plugin', () => ({ kubeconfig: kubeconfig({ exec: { command: 'sh', apiVersion: 'v1' } }) })],
    ['a provider', () => ({ kubeconfig: kubeconfig({ 'auth-provider': { name: 'gcp' } }) })],
    ['a password', () => ({ kubeconfig: kubeconfig({ username: 'a', password: 'b' }) })],
    ['a file', () => ({ kubeconfig: kubeconfig({ 'client-key': '/etc/shadow' }) })],
    ['a file with a token', () => ({ kubeconfig: kubeconfig({ tokenFile: '/etc/shadow' }) })],
    ['a proxy', () => ({ kubeconfig: kubeconfig({}, { 'proxy-url': 'http://10.0.0.1' }) })],
    [
      'no check of certificates',
      () => ({ kubeconfig: kubeconfig({}, { 'insecure-skip-tls-verify': true }) }),
    ],
    ['an address without TLS', () => ({ kubeconfig: kubeconfig({}, { server: 'http://10.0.0.1' }) })],
    ['an account that acts as another', () => ({ kubeconfig: kubeconfig({ token: 'a', as: 'admin' }) })],
    ['no context', () => ({ kubeconfig: 'apiVersion: v1' })],
    ['a cluster that is no object', () => ({ kubeconfig: 'clusters: [1]\ncurrent-context: [x]' })],
    ['aliases', () => ({ kubeconfig: `a: &a [1]\nb: *a\n${kubeconfig()}` })],
    ['a token that is too long', () => ({ kubeconfig: kubeconfig({ token: 'a'.repeat(4_097) }) })],
    ['a certificate that is no PEM', () => ({ kubeconfig: kubeconfig({ 'client-key-data': '\u0000' }) })],
    ['nesting', () => ({ kubeconfig: '['.repeat(65_000) })],
    ['too much in it', () => ({ kubeconfig: '&a '.repeat(20_000) })],
    ['no YAML', () => ({ kubeconfig: '{' })],
    ['credentials beside it', () => ({ kubeconfig: kubeconfig(), credentials: { token: 'a' } })],
    ['a URL without TLS', () => ({ url: 'http://cluster.example' })],
    ['a prefix that is none', () => ({ cluster: { namespacePrefix: '1' } })],
  ])('is not created with %s', async (_, more) => {
    const address = { websocketUrl: 'wss://a.example', httpDomain: 'a.example', tcpDomain: 'b.example' };
    const input = { name: 'refused', driver: 'KUBERNETES', url: 'https://a.example', ...address, ...more() };
    expect(await refusal('createRegion', input)).toBe('INVALID_INPUT');
  });

  it.each<[string, object, object]>([
    ['users[].user.token-file', { 'token-file': '/proc/self/environ' }, {}],
    ['users[].user.tokenFile', { token: 'a', tokenFile: '/proc/self/environ' }, {}],
    ['users[].user.client-key', { token: 'a', 'client-key': '/proc/self/environ' }, {}],
    ['users[].user.exec', { token: 'a', exec: { command: 'sh' } }, {}],
    ['users[].user.unknown', { token: 'a', unknown: 1 }, {}],
    [
      'clusters[].cluster.certificate-authority',
      { token: 'a' },
      { 'certificate-authority': '/etc/hostname' },
    ],
    ['clusters[].cluster.proxy-url', { token: 'a' }, { 'proxy-url': 'http://10.0.0.1' }],
  ])('is neither created nor changed with `%s` in its kubeconfig', async (key, user, cluster) => {
    const issue = {
      path: ['input', 'kubeconfig'],
      message: expect.stringContaining(`Must not have \`${key}\``),
    };
    const { name } = await createCluster();
    const given = { kubeconfig: kubeconfig(user, cluster) };
    const address = { websocketUrl: 'wss://a.example', httpDomain: 'a.example', tcpDomain: 'b.example' };
    const created = { name: 'files', driver: 'KUBERNETES', url: 'https://a.example', ...address, ...given };
    for (const [mutation, input] of [
      ['createRegion', created],
      ['updateRegion', { region: { name }, ...given }],
    ] as const) {
      const refused = await trellis.attempt(mutation, input);
      expect(refused).toMatchObject({ code: 'INVALID_INPUT', issues: [issue] });
    }
    const { region } = await trellis.data(`{ region(by: { name: "${name}" }) { credentials { token } } }`);
    expect(region.credentials.token).toBe('platform');
  });

  it('is checked: what its account may do, and what is installed', async () => {
    const { name } = await createCluster();
    const { rights, ...found } = await check(name);
    const installed = {
      version: 'v1.26.0',
      hasGatewayApi: true,
      hasMetrics: true,
      hasCertManager: false,
      hasSnapshots: false,
    };
    expect(found).toEqual({ isReachable: true, problem: null, ...installed });
    expect(rights.length).toBeGreaterThan(30);
    expect(rights.filter((right: any) => !right.isAllowed)).toEqual([]);
    const wrong = await createCluster({
      credentials: { token: 'wrong', caCertificate: server.caCertificate },
    });
    expect(await check(wrong.name)).toMatchObject({
      isReachable: true,
      problem: expect.stringMatching('credentials'),
    });
    const unknown = await createCluster({ credentials: { token: 'platform' } });
    expect(await check(unknown.name)).toMatchObject({
      isReachable: false,
      problem: expect.stringMatching('SIGNATURE'),
    });
    const declared = await trellis.createRegion();
    const { errors } = await trellis.graphql(
      `{ checkRegion(region: { name: "${declared.name}" }) { version } }`,
    );
    expect(errors?.[0]?.extensions.code).toBe('CONFLICT');
  });

  it('is checked by its kubeconfig before it exists', async () => {
    const selection = 'url isReachable problem version rights { isAllowed }';
    const document = `query Check($region: RegionRef, $kubeconfig: String) {
      checkRegion(region: $region, kubeconfig: $kubeconfig) { ${selection} }
    }`;
    const { checkRegion } = await trellis.data(document, { kubeconfig: kubeconfig() });
    expect(checkRegion).toMatchObject({ url: server.url, isReachable: true, problem: null });
    expect(checkRegion.rights.length).toBeGreaterThan(20);

    const unknown = await trellis.data(document, { kubeconfig: kubeconfig({ token: 'wrong' }) });
    expect(unknown.checkRegion).toMatchObject({
      isReachable: true,
      problem: expect.stringMatching('credentials'),
      version: null,
    });

    // Of a region that has another account.
    const { name } = await createCluster({ credentials: { token: 'wrong' } });
    const changed = await trellis.data(document, { region: { name }, kubeconfig: kubeconfig() });
    expect(changed.checkRegion).toMatchObject({ isReachable: true, problem: null });

    const refusalOf = async (variables: object, token?: string) =>
      (await trellis.graphql(document, variables, token)).errors?.[0]?.extensions;
    expect(await refusalOf({ kubeconfig: kubeconfig({ exec: {} }) })).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['kubeconfig'], message: expect.stringContaining('users[].user.exec') }],
    });
    expect(await refusalOf({})).toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: ['region'] }] });
    const { teamId } = await trellis.createTeam();
    const owner = await trellis.createMember(teamId, 'OWNER');
    expect(await refusalOf({ kubeconfig: kubeconfig() }, owner.token)).toMatchObject({ code: 'FORBIDDEN' });
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: unique('reader'), isReadOnly: true },
      'secret',
    );
    expect(await refusalOf({ kubeconfig: kubeconfig() }, secret)).toMatchObject({ code: 'FORBIDDEN' });
    // One that checks the region itself may go on.
    expect(await refusalOf({ region: { name } }, secret)).toBeUndefined();
  });

  it('says what it cannot express of rules', async () => {
    const rules = async (driver: string) => {
      const place =
        driver === 'KUBERNETES' ? await createClusterPlace(trellis, server) : await trellis.createPlace();
      const appId = 'appId' in place ? place.appId : (await trellis.createApplication(place)).appId;
      const { componentId } = await trellis.createComponent(appId);
      await trellis.addPort(componentId, 8080);
      const domainCookie = 'a=1;b=2;c=3;d=4';
      const configuration = { bufferCount: 8, setHeaders: [] };
      const target = { application: { appId }, component: { componentId }, portNumber: 8080 };
      const input = { ...target, domain: `${unique('d')}.example.com`, domainCookie, configuration };
      const selection = 'rule { limitations { refused ignored } }';
      return (await trellis.succeed('createHttpRule', input, selection)).rule.limitations;
    };
    expect(await rules('KUBERNETES')).toEqual({
      refused: ['more than 3 cookies or 4096 characters of them'],
      ignored: ['bufferCount'],
    });
    expect(await rules('DECLARED')).toEqual({ refused: [], ignored: [] });
  });

  it('does not apply rules with signs that rules could have before, and shows them', async () => {
    for (const settings of [{ gatewayClass: 'test' }, { gatewayClass: null }]) {
      const place = await createClusterPlace(trellis, server);
      const region = { name: place.region.name };
      await trellis.succeed('updateRegion', { region, cluster: settings }, '__typename');
      const { appId } = place;
      const { componentId } = await trellis.createComponent(appId);
      await trellis.addPort(componentId, 8080);
      const target = { application: { appId }, component: { componentId }, portNumber: 8080 };
      const input = { ...target, domain: `${unique('d')}.example.com` };
      const { rule } = await trellis.succeed('createHttpRule', input, 'rule { uid }');
      const path = '/a";}$`';
      const id = Number(rule.uid);
      await trellis.services.db.transaction((tx) => tx.httpRule.update({ where: { id }, data: { path } }));
      const read = `{ team(by: { teamId: "${place.teamId}" }) { httpRules { nodes { path limitations { refused } } } } }`;
      const { team } = await trellis.data(read);
      expect(team.httpRules.nodes).toEqual([{ path, limitations: { refused: ['the path'] } }]);
    }
  });

  it('says so of many rules with the same statements', async () => {
    const { appId, teamId } = await createClusterPlace(trellis, server);
    const query = `{ team(by: { teamId: "${teamId}" }) { httpRules(first: 100) { nodes { limitations { refused } } } } }`;
    const counts: number[] = [];
    for (let added = 0; added < 2; added++) {
      const { componentId } = await trellis.createComponent(appId);
      await trellis.addPort(componentId, 8080);
      const target = {
        application: { appId },
        component: { componentId },
        portNumber: 8080,
        opensPort: true,
      };
      for (const domain of [`${unique('d')}.example.com`, `all-${appId}.example.com`]) {
        await trellis.succeed('createHttpRule', { ...target, domain, pathRewrite: added > 0 }, '__typename');
      }
      trellis.statements.length = 0;
      const { nodes } = (await trellis.data(query)).team.httpRules;
      // The worker reads other tables.
      counts.push(trellis.statements.filter((text) => /"(http_rule|port)"/.test(text)).length);
      expect(nodes.flatMap(({ limitations }: any) => limitations.refused)).toEqual(
        added > 0 ? ['a path rewrite of its own'] : [],
      );
    }
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts[1]).toBe(counts[0]);
  });

  it('needs the rights that the documentation has', () => {
    const guide = readFileSync(new URL('../../../../docs/deploy.md', import.meta.url), 'utf8');
    const [, manifest] = /```yaml\n(apiVersion: v1\nkind: Namespace[^`]+)```/.exec(guide)!;
    const role = parseAllDocuments(manifest!)
      .find((each) => each.get('kind') === 'ClusterRole')!
      .toJSON();
    const rules = neededRights.map(({ group, resources, verbs }) => ({
      apiGroups: [group],
      resources,
      verbs,
    }));
    expect(role.rules).toEqual(rules);
  });

  it('runs what is deployed in it, with the rights that the documentation names', async () => {
    const region = await createCluster({ cluster: { gatewayClass: 'test', namespacePrefix: 'runs-' } });
    const { teamId } = await trellis.createTeam();
    await trellis.succeed(
      'openTeamRegion',
      { team: { teamId }, region: { name: region.name } },
      '__typename',
    );
    const place = { team: { teamId }, region } as any;
    const { appId } = await trellis.createApplication(place, 'runs', { isolation: 'TEAM' });
    const input = { application: { appId }, name: 'Web', alias: 'web', image: 'nginx:1.29', replicas: 2 };
    const { component } = await trellis.succeed('createComponent', input, 'component { uid }');
    const at = { component: { componentId: component.uid } };
    const status = async () =>
      (await trellis.data(`{ component(by: { componentId: "${component.uid}" }) { status: state } }`))
        .component.status;
    const { store } = server.cluster;
    const namespace = `runs-${teamId}`;
    const pods = () => store.list(kindNamed('Pod'), namespace).length;

    await trellis.succeed('deployComponent', at, '__typename');
    await expect.poll(status, { timeout: 60_000 }).toBe('RUNNING');
    expect(pods()).toBe(2);
    const selection = 'name node phase isReady restarts startedAt reason';
    const query = `{ component(by: { componentId: "${component.uid}" }) { instances { ${selection} } } }`;
    const { instances } = (await trellis.data(query)).component;
    const instance = { node: 'node1', phase: 'Running', isReady: true, restarts: 0, reason: null };
    const own = { name: expect.stringMatching(/^web-/), startedAt: expect.stringMatching(/^20/) };
    expect(instances).toEqual([
      { ...instance, ...own },
      { ...instance, ...own },
    ]);
    const viewer = await trellis.createMember(teamId, 'VIEWER');
    const seen = await trellis.graphql(query, {}, viewer.token);
    expect(seen.data.component.instances).toBeNull();
    expect(seen.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect(store.get(kindNamed('Deployment'), namespace, 'web')?.object.spec.replicas).toBe(2);
    await trellis.succeed('stopComponent', at, '__typename');
    await expect.poll(status, { timeout: 60_000 }).toBe('STOPPED');
    expect(pods()).toBe(0);
    const usage = await trellis.data(
      `{ region(by: { name: "${region.name}" }) { usage { totalCpuCores usedCpuCores totalMemoryMiB usedMemoryMiB } } }`,
    );
    expect(usage.region.usage).toEqual({
      totalCpuCores: 8,
      usedCpuCores: 1,
      totalMemoryMiB: 16_384,
      usedMemoryMiB: 2_048,
    });
    await trellis.succeed('deleteComponent', at, '__typename');
    await expect.poll(() => store.list(kindNamed('Deployment'), namespace), { timeout: 60_000 }).toEqual([]);
  });

  it('leaves components of a cancelled job in the state that the cluster has, and says why', async () => {
    const { appId } = await createClusterPlace(trellis, server);
    const names = [unique('db'), unique('web')] as const;
    const image = 'registry.example/db:broken';
    const { componentId } = await trellis.createComponent(appId, { name: names[0], alias: names[0], image });
    const dependencies = [{ componentId }];
    await trellis.createComponent(appId, { name: names[1], alias: names[1], dependencies });
    const application = { appId };
    const { job } = await trellis.succeed('deployApplication', { application }, 'job { uid }');
    const query = `{ application(by: { appId: ${appId} }) { state components(orderBy: { field: NAME }) { nodes { state problem { message } } } } }`;
    const seen = async () => (await trellis.data(query)).application;
    const waiting = async () => (await seen()).components.nodes[0].problem?.message;
    await expect.poll(waiting, { timeout: 60_000 }).toContain('ImagePull');
    await trellis.succeed('cancelJob', { job: { jobId: job.uid } }, '__typename');
    expect(await seen()).toEqual({
      state: 'UNHEALTHY',
      components: {
        nodes: [
          { state: 'UNHEALTHY', problem: { message: expect.stringContaining('ImagePull') } },
          { state: 'NOT_DEPLOYED', problem: { message: 'Cancelled before the start.' } },
        ],
      },
    });
  });
});
