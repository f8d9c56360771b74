import { beforeAll, describe, expect, it } from 'vitest';
import { parseTemplate } from '../../../src/drivers/app-store/template.ts';
import { compareVersions } from '../../../src/kernel/version.ts';
import type { Place } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { ringTemplate, templateText, versionsOf } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
beforeAll(async () => {
  for (const application of ['online-boutique', 'sock-shop', 'bookinfo', 'wordpress-mysql']) {
    for (const version of versionsOf(application)) {
      await trellis.succeed(
        'publishTemplate',
        { template: templateText(application, version) },
        'version { version }',
      );
    }
  }
});

const publish = (text: string) =>
  trellis.succeed('publishTemplate', { template: text }, 'template { key } version { revision }');
/** Trellis itself is the store. */
const ownStore = () => ({ url: trellis.url, domain: 'self', accessKey: trellis.adminToken });
const keyOf = (application: string) =>
  JSON.parse(templateText(application, versionsOf(application)[0]!)).group_key as string;

async function install(place: Place, templateId: string, version: string, options: object = {}) {
  const { appId } = await trellis.createApplication(place);
  const result = await trellis.succeed(
    'installApplication',
    { application: { appId }, store: ownStore(), templateId, version, deploy: true, ...options },
    'application { appId: uid componentCount storeName storeUrl templateName version } group { uid name templateId templateVersion }',
  );
  return { appId, ...result };
}

const upgrade = (appId: number, templateId: string, version: string, dryRun = false) =>
  trellis.attempt(
    'upgradeApplication',
    { application: { appId }, upgrades: [{ storeName: 'self', templateId, version }], dryRun },
    'application { appId: uid } outcomes { templateId fromVersion toVersion changes { component kind name before after } }',
  );

const componentFields = `uid key name alias image version command replicas cpuMillicores memoryMiB extendMethod status: state serviceName
  accessUrls group { templateVersion }
  ports(first: 100) { nodes { number protocol alias isInner isOuter serviceName } }
  variables(first: 100) { nodes { name value scope portNumber } }
  volumes(first: 100) { nodes { name path type } }
  dependencies(first: 100) { nodes { name } }`;

const componentsOf = async (appId: number) => {
  const data = await trellis.data(
    `{ application(by: { appId: ${appId} }) { components(first: 100) { nodes { ${componentFields} } } } }`,
  );
  return data.application.components.nodes as any[];
};

/** What must be alike in an application that was installed at a version and one that was upgraded to it. */
const essence = (components: any[]) =>
  components
    .filter((each) => each.status !== 'STOPPED')
    .map(
      ({
        key,
        name,
        image,
        version,
        command,
        replicas,
        cpuMillicores,
        memoryMiB,
        ports,
        variables,
        volumes,
        dependencies,
      }) => ({
        key,
        name,
        image,
        version,
        command,
        replicas,
        cpuMillicores,
        memoryMiB,
        ports: ports.nodes.map(({ serviceName, ...port }: any) => port),
        variables: variables.nodes.map(
          ({ name, value, scope }: any) => `${scope} ${name}=${scope === 'CONNECTION' ? '' : value}`,
        ),
        volumes: volumes.nodes.map((volume: any) => volume.path),
        dependencies: dependencies.nodes.map((dependency: any) => dependency.name).sort(),
      }),
    )
    .sort((one, other) => (one.key < other.key ? -1 : 1));

describe('compareVersions', () => {
  once('compares by number, ignores a prefix, and orders a pre-release lower', () => {
    const ascending = [
      'v0.3.9',
      '0.8.0',
      'v0.10.0-rc.1',
      'v0.10.0-rc.2',
      'v0.10.0',
      '0.10.0.1',
      'v0.10.2',
      '1.0.0-alpha',
      '1',
      '2022.05.10',
    ];
    for (let index = 1; index < ascending.length; index++) {
      expect(compareVersions(ascending[index - 1]!, ascending[index]!), ascending[index]).toBeLessThan(0);
      expect(compareVersions(ascending[index]!, ascending[index - 1]!)).toBeGreaterThan(0);
    }
    expect(compareVersions('v1.0', '1.0.0')).toBe(0);
  });
});

describe('installApplication', () => {
  it('installs all of Online Boutique', async () => {
    const place = await trellis.createPlace();
    const { appId, application, group } = await install(place, keyOf('online-boutique'), 'v0.10.3');
    expect(application).toMatchObject({
      componentCount: 12,
      storeName: 'self',
      templateName: 'Online Boutique',
      version: 'v0.10.3',
    });
    expect(group).toMatchObject({ templateId: keyOf('online-boutique'), templateVersion: 'v0.10.3' });
    const components = await componentsOf(appId);
    const { template } = await parseTemplate(templateText('online-boutique', 'v0.10.3'));
    expect(components).toHaveLength(12);
    expect(components.flatMap((each) => each.ports.nodes)).toHaveLength(11);
    for (const wanted of template.components) {
      const found = components.find((each) => each.key === wanted.key);
      expect(found).toMatchObject({
        name: wanted.name,
        image: wanted.image,
        status: 'RUNNING',
        memoryMiB: wanted.memoryMiB,
      });
      expect(found.alias).toMatch(/^gr[0-9a-f]{6}$/);
      expect(found.ports.nodes.map((port: any) => port.alias)).toEqual(
        wanted.ports.map((port) => port.alias),
      );
      expect(found.dependencies.nodes).toHaveLength(wanted.dependencies.length);
      expect(found.variables.nodes).toHaveLength(wanted.variables.length + wanted.connectionVariables.length);
    }
    const frontend = components.find((each) => each.name === 'frontend');
    expect(frontend.ports.nodes).toMatchObject([{ number: 8080, isOuter: true, isInner: true }]);
    expect(frontend.accessUrls).toEqual([
      `http://8080.${frontend.alias}.${place.team.name}.${place.region.name}.apps.example/`,
    ]);
  });

  it('adds a suffix to a service name that is taken, and updates the components that depend on it', async () => {
    const place = await trellis.createPlace();
    const { appId } = await install(place, keyOf('bookinfo'), '1.30.3');
    const names = (await componentsOf(appId)).map((each) => each.serviceName).sort();
    expect(names).toEqual(['details', 'productpage', 'ratings', 'reviews', 'reviews-2', 'reviews-3']);
  });

  it('creates two groups when called twice', async () => {
    const place = await trellis.createPlace();
    const { appId } = await install(place, keyOf('wordpress-mysql'), '2022.05.10');
    await trellis.succeed(
      'installApplication',
      {
        application: { appId },
        store: ownStore(),
        templateId: keyOf('wordpress-mysql'),
        version: '2022.05.10',
      },
      'group { uid }',
    );
    const components = await componentsOf(appId);
    expect(components).toHaveLength(4);
    expect(components.map((each) => each.serviceName).sort()).toEqual([
      'db',
      'db-2',
      'wordpress',
      'wordpress-2',
    ]);
    expect(components.map((each) => each.status).sort()).toEqual([
      'NOT_DEPLOYED',
      'NOT_DEPLOYED',
      'RUNNING',
      'RUNNING',
    ]);
    const second = components.find((each) => each.serviceName === 'db-2');
    expect(second.variables.nodes).toContainEqual({
      name: 'DB_3306_HOST',
      value: 'db-2',
      scope: 'CONNECTION',
      portNumber: 3306,
    });
  });

  once('installs 400 components with circular dependencies in one transaction', async () => {
    const ring = ringTemplate(400);
    await publish(ring.text);
    const place = await trellis.createPlace();
    trellis.statements.length = 0;
    const { appId } = await install(place, ring.key, ring.version);
    expect(trellis.statements.filter((each) => each.startsWith('INSERT')).length).toBeLessThan(100);
    const data = await trellis.data(
      `{ application(by: { appId: ${appId} }) { componentCount components(first: 2) { nodes { dependencies { totalCount } dependents { totalCount } } } } }`,
    );
    expect(data.application.componentCount).toBe(400);
    expect(data.application.components.nodes[0]).toEqual({
      dependencies: { totalCount: 1 },
      dependents: { totalCount: 1 },
    });
  });

  it('leaves no row behind when it is refused', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const viewer = await trellis.createMember(place.team.teamId, 'VIEWER');
    const input = {
      application: { appId },
      store: ownStore(),
      templateId: keyOf('bookinfo'),
      version: '1.30.3',
    };
    await trellis.graphql('{ viewer { isAdministrator } }', {}, viewer.token);
    const before = await trellis.counts();
    const refused: [object, string, string?][] = [
      [{ ...input, templateId: 'nothing' }, 'STORE_REFUSED'],
      [{ ...input, version: '9.9.9' }, 'STORE_REFUSED'],
      [{ ...input, store: { ...ownStore(), accessKey: 'trl_wrong' } }, 'STORE_REFUSED'],
      [{ ...input, store: { ...ownStore(), url: 'http://127.0.0.1:1' } }, 'STORE_UNAVAILABLE'],
      [{ ...input, store: { ...ownStore(), url: 'ftp://127.0.0.1' } }, 'INVALID_INPUT'],
      [{ ...input, application: { appId: 2_000_000_000 } }, 'NOT_FOUND'],
      [input, 'FORBIDDEN', viewer.token],
    ];
    for (const [each, code, token] of refused) {
      expect(
        await trellis.attempt('installApplication', each, '__typename', token),
        JSON.stringify(each),
      ).toMatchObject({ code });
      expect(await trellis.counts()).toEqual(before);
    }
  });

  it('stores the access key encrypted', async () => {
    const place = await trellis.createPlace();
    await install(place, keyOf('wordpress-mysql'), '2022.05.10');
    for (const table of ['store_connection', 'event', 'component_group']) {
      const stored = JSON.stringify(await trellis.services.db.query(`SELECT * FROM "${table}"`, []));
      expect(stored).not.toContain(trellis.adminToken);
    }
    expect(JSON.stringify(trellis.logged)).not.toContain(trellis.adminToken);
  });
});

describe('upgradeApplication', () => {
  it('upgrades Online Boutique step by step to the same state as installing the latest version', async () => {
    const key = keyOf('online-boutique');
    const place = await trellis.createPlace();
    const { appId } = await install(place, key, 'v0.3.9');
    const report = async () => {
      const { application } = await trellis.data(
        `{ application(by: { appId: ${appId} }) { upgrades { storeName templateId templateName currentVersion canUpgrade upgradeVersions source } } }`,
      );
      return application.upgrades;
    };
    const steps = ['v0.8.0', 'v0.9.0', 'v0.10.0', 'v0.10.2', 'v0.10.3'];
    expect(await report()).toEqual([
      {
        storeName: 'self',
        templateId: key,
        templateName: 'Online Boutique',
        currentVersion: 'v0.3.9',
        canUpgrade: true,
        upgradeVersions: steps,
        source: 'market',
      },
    ]);
    for (const version of steps) {
      const before = await trellis.counts();
      const planned = await upgrade(appId, key, version, true);
      expect(await trellis.counts()).toEqual(before);
      const done = await upgrade(appId, key, version);
      expect(done.__typename).toBe('UpgradeApplicationPayload');
      expect(done.outcomes).toEqual(planned.outcomes);
      const fresh = await install(await trellis.createPlace(), key, version);
      expect(essence(await componentsOf(appId)), version).toEqual(essence(await componentsOf(fresh.appId)));
    }
    expect(await report()).toMatchObject([
      { currentVersion: 'v0.10.3', canUpgrade: false, upgradeVersions: [] },
    ]);
    const { application } = await trellis.data(
      `{ application(by: { appId: ${appId} }) { version upgradeRecords { totalCount nodes { fromVersion toVersion user { email } changes { kind } } } } }`,
    );
    expect(application.version).toBe('v0.10.3');
    expect(application.upgradeRecords.totalCount).toBe(5);
    expect(application.upgradeRecords.nodes[0]).toMatchObject({
      fromVersion: 'v0.10.2',
      toVersion: 'v0.10.3',
      user: { email: 'admin@trellis.example' },
    });
    expect(application.upgradeRecords.nodes[0].changes.length).toBeGreaterThan(10);
  });

  it('adds six components of Sock Shop, and closes five without deleting them', async () => {
    const key = keyOf('sock-shop');
    const { appId } = await install(await trellis.createPlace(), key, '0.0.12');
    const { outcomes } = await upgrade(appId, key, '0.3.0');
    const of = (kind: string) =>
      outcomes[0].changes
        .filter((each: any) => each.kind === kind)
        .map((each: any) => each.component)
        .sort();
    expect(of('ADD_COMPONENT')).toEqual([
      'carts',
      'carts-db',
      'catalogue-db',
      'session-db',
      'user',
      'user-db',
    ]);
    expect(of('CLOSE_COMPONENT')).toEqual(['accounts', 'accounts-db', 'cart', 'cart-db', 'login']);
    const components = await componentsOf(appId);
    expect(components).toHaveLength(19);
    expect(
      components
        .filter((each) => each.status === 'STOPPED')
        .map((each) => each.name)
        .sort(),
    ).toEqual(of('CLOSE_COMPONENT'));
    const fresh = await install(await trellis.createPlace(), key, '0.3.0');
    expect(essence(components)).toEqual(essence(await componentsOf(fresh.appId)));
  });

  it('keeps what users changed', async () => {
    const one = ringTemplate(2, {
      edit: (app) => {
        app.service_env_map_list.push(
          { attr_name: 'KEPT', attr_value: 'one' },
          { attr_name: 'MOVED', attr_value: 'one' },
          { attr_name: 'GONE', attr_value: 'one' },
          { attr_name: 'STAYS', attr_value: 'one' },
        );
        app.memory = 128;
      },
    });
    const two = ringTemplate(2, {
      key: one.key,
      version: '2.0.0',
      edit: (app) => {
        app.service_env_map_list.push(
          { attr_name: 'KEPT', attr_value: 'two' },
          { attr_name: 'MOVED', attr_value: 'two' },
          { attr_name: 'NEW', attr_value: 'two' },
        );
        app.memory = 256;
        app.port_map_list.push({
          container_port: 9090,
          protocol: 'tcp',
          port_alias: 'METRICS',
          is_outer_service: true,
        });
        app.service_volume_map_list.push({
          volume_name: 'cache',
          volume_path: '/cache',
          volume_type: 'local',
        });
      },
    });
    await publish(one.text);
    const { appId } = await install(await trellis.createPlace(), one.key, '1.0.0');
    const [component] = await componentsOf(appId);
    // A value, a replica count, a port, an alias and a switch of a user's own.
    await trellis.services.db.transaction(async (tx) => {
      for (const name of ['KEPT', 'STAYS']) {
        await tx.environmentVariable.updateMany({
          where: { componentId: component.uid, name },
          data: { value: 'mine' },
        });
      }
      await tx.component.update({ where: { id: component.uid }, data: { replicas: 5 } });
    });
    const port = { at: { component: { componentId: component.uid }, number: 8080 } };
    await trellis.succeed('changePortAlias', { port, alias: 'MINE' }, 'port { alias }');
    await trellis.succeed('openOuterService', { port }, 'port { isOuter }');
    await trellis.addPort(component.uid, 7070, { alias: 'METRICS' });
    await publish(two.text);
    const { outcomes } = await upgrade(appId, one.key, '2.0.0');
    expect(outcomes[0]).toMatchObject({ fromVersion: '1.0.0', toVersion: '2.0.0' });
    const after = (await componentsOf(appId)).find((each) => each.uid === component.uid);
    expect(after).toMatchObject({
      replicas: 5,
      memoryMiB: 256,
      version: '2.0.0',
      image: 'registry.example/part-0:2.0.0',
    });
    expect(Object.fromEntries(after.variables.nodes.map((each: any) => [each.name, each.value]))).toEqual({
      INDEX: '0',
      KEPT: 'mine',
      MINE_HOST: 'part-0',
      MINE_PORT: '8080',
      MOVED: 'two',
      NEW: 'two',
      STAYS: 'mine',
    });
    expect(after.ports.nodes.map(({ number, alias, isOuter }: any) => [number, alias, isOuter])).toEqual([
      [7070, 'METRICS', false],
      [8080, 'MINE', true],
      [9090, 'METRICS_9090', true],
    ]);
    expect(after.volumes.nodes.map((each: any) => each.path).sort()).toEqual(['/cache', '/data']);
    expect(after.accessUrls).toHaveLength(2);
  });

  it('upgrades all items or none', async () => {
    const [a, b] = [ringTemplate(2), ringTemplate(3)];
    for (const ring of [a, b]) {
      await publish(ring.text);
      await publish(ringTemplate(ring === a ? 2 : 3, { key: ring.key, version: '2.0.0' }).text);
    }
    const place = await trellis.createPlace();
    const { appId } = await install(place, a.key, '1.0.0');
    const store = ownStore();
    await trellis.succeed(
      'installApplication',
      { application: { appId }, store, templateId: b.key, version: '1.0.0' },
      'group { uid }',
    );
    const item = (templateId: string, version: string) => ({ storeName: 'self', templateId, version });
    const go = (upgrades: object[]) =>
      trellis.attempt('upgradeApplication', { application: { appId }, upgrades }, 'outcomes { toVersion }');
    const before = await trellis.counts();
    expect(await go([item(a.key, '2.0.0'), item(b.key, '3.0.0')])).toMatchObject({ code: 'CONFLICT' });
    expect(await go([item(a.key, '2.0.0'), item('unknown', '2.0.0')])).toMatchObject({ code: 'NOT_FOUND' });
    expect(await go([item(a.key, '2.0.0'), item(a.key, '2.0.0')])).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await go([item(a.key, '1.0.0')])).toMatchObject({ code: 'CONFLICT' });
    expect(await trellis.counts()).toEqual(before);
    expect(await go([item(a.key, '2.0.0'), item(b.key, '2.0.0')])).toMatchObject({
      outcomes: [{ toVersion: '2.0.0' }, { toVersion: '2.0.0' }],
    });
  });

  it('runs once when called twice at the same time', async () => {
    const ring = ringTemplate(3);
    await publish(ring.text);
    await publish(ringTemplate(3, { key: ring.key, version: '2.0.0' }).text);
    const { appId } = await install(await trellis.createPlace(), ring.key, '1.0.0');
    const results = await Promise.all(Array.from({ length: 4 }, () => upgrade(appId, ring.key, '2.0.0')));
    expect(results.filter((each) => each.__typename === 'UpgradeApplicationPayload')).toHaveLength(1);
    expect(results.filter((each) => each.code === 'CONFLICT')).toHaveLength(3);
    const { application } = await trellis.data(
      `{ application(by: { appId: ${appId} }) { upgradeRecords { totalCount } } }`,
    );
    expect(application.upgradeRecords.totalCount).toBe(1);
  });

  it('skips disabled versions, and reports a store that is unreachable', async () => {
    const ring = ringTemplate(2);
    await publish(ring.text);
    for (const [version, isEnabled] of [
      ['1.1.0', false],
      ['1.2.0', true],
    ] as const) {
      const { text } = ringTemplate(2, { key: ring.key, version });
      await trellis.succeed('publishTemplate', { template: text, isEnabled }, 'version { isEnabled }');
    }
    const { appId } = await install(await trellis.createPlace(), ring.key, '1.0.0');
    const query = `{ application(by: { appId: ${appId} }) { name upgrades { currentVersion canUpgrade upgradeVersions } } }`;
    expect((await trellis.data(query)).application.upgrades).toEqual([
      { currentVersion: '1.0.0', canUpgrade: true, upgradeVersions: ['1.2.0'] },
    ]);
    await trellis.services.db.transaction((tx) =>
      tx.storeConnection.updateMany({
        where: { groups: { some: { applicationId: appId } } },
        data: { url: 'http://127.0.0.1:1' },
      }),
    );
    const { data, errors } = await trellis.graphql(query);
    expect(data.application).toMatchObject({
      upgrades: [{ currentVersion: '1.0.0', canUpgrade: false, upgradeVersions: null }],
    });
    expect(errors?.map((error) => error.extensions.code)).toEqual(['STORE_UNAVAILABLE']);
  });
});

describe('the built-in app store', () => {
  const call = (path: string, token: string | null = trellis.adminToken, method = 'GET') =>
    fetch(`${trellis.url}/app-server/openapi/${path}`, {
      method,
      headers: token === null ? {} : { Authorization: token },
    });

  once('serves the three calls of the protocol', async () => {
    const key = keyOf('sock-shop');
    const app = (await (await call(`apps/${key}?marketDomain=x`)).json()) as any;
    expect(app).toMatchObject({ appKeyID: key, name: 'Sock Shop', desc: '', logo: '' });
    expect(app.versions.map((each: any) => each.appVersion)).toEqual(['0.0.12', '0.3.0']);
    expect(app.versions[0]).toEqual({
      appKeyID: key,
      appVersion: '0.0.12',
      appVersionAlias: '0.0.12',
      desc: '',
      createTime: expect.stringMatching(/Z$/),
      updateTime: expect.stringMatching(/Z$/),
      updateVersion: 1,
      enable: true,
    });
    expect(await (await call(`apps/${key}/versions`)).json()).toEqual({ versions: app.versions });
    const version = (await (
      await call(`apps/${key}/versions/0.3.0?forInstall=True&getTemplate=True`)
    ).json()) as any;
    expect(version).toMatchObject({
      appKeyID: key,
      appName: 'Sock Shop',
      version: '0.3.0',
      templateType: 'standard',
    });
    expect(version.template).toBe(templateText('sock-shop', '0.3.0'));
  });

  once('refuses all other calls', async () => {
    expect((await call('apps/x', null)).status).toBe(401);
    expect((await call('apps/x', 'trl_wrong')).status).toBe(401);
    expect((await call('apps/x', `Bearer ${trellis.adminToken}`)).status).toBe(404);
    for (const path of [
      '',
      'apps',
      'apps/',
      'other/x',
      `apps/${keyOf('bookinfo')}/nothing`,
      'apps/%00',
      'apps/%ff',
      'apps/x/versions/y/z',
    ]) {
      const response = await call(path);
      expect(response.status, path).toBe(404);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    }
    const method = await call('apps/x', trellis.adminToken, 'POST');
    expect(method.status).toBe(405);
    expect(method.headers.get('allow')).toBe('GET, HEAD');
  });

  once('lists its templates, and replaces a version that is published again', async () => {
    const data = await trellis.data(
      '{ templates(search: "BOUTIQUE") { totalCount nodes { key name versions { totalCount nodes { version isEnabled } } } } }',
    );
    expect(data.templates).toMatchObject({
      totalCount: 1,
      nodes: [{ key: keyOf('online-boutique'), name: 'Online Boutique', versions: { totalCount: 6 } }],
    });
    const ring = ringTemplate(2);
    expect((await publish(ring.text)).version.revision).toBe(1);
    const before = await trellis.counts();
    expect((await publish(ring.text)).version.revision).toBe(1);
    expect(await trellis.counts()).toEqual(before);
    expect((await publish(ringTemplate(3, { key: ring.key }).text)).version.revision).toBe(2);
    const result = await trellis.attempt('publishTemplate', { template: '{"group_key": "x"}' });
    expect(result).toMatchObject({ code: 'INVALID_INPUT' });
    const paths = result.issues.map(({ path }: { path: string[] }) => path);
    expect(paths).toContainEqual(['input', 'template', 'group_name']);
    expect(paths).toContainEqual(['input', 'template', 'apps']);
  });
});
