import { beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { apply } from '../../support/manifests.ts';
import { meanwhile } from '../../support/meanwhile.ts';
import { once } from '../../support/once.ts';
import { type Random, randomOf } from '../../support/random.ts';
import { ringTemplate, templateText, versionsOf } from '../../support/templates.ts';
import { transactionsOf } from '../../support/transactions.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis({ bodyLimitBytes: 4_194_304 });
let { store, upgrade } = {} as ReturnType<typeof upgradesOf>;
let place: Place;
beforeAll(async () => {
  ({ store, upgrade } = upgradesOf(trellis));
  place = await trellis.createPlace();
});

/** Everything of an application that a template describes, without ids and what belongs to the place. */
async function standing(appId: number) {
  const { application } = await trellis.data(
    `{ application(by: { appId: ${appId} }) { governanceMode components(first: 100) { nodes {
      uid name image version description command category kind extendMethod replicas cpuMillicores memoryMiB gpuMemoryMiB serviceName clusterName
      ports { nodes { number protocol alias isInner isOuter additionalName } }
      variables(first: 100) { nodes { name label value scope isSecret isChangeable portNumber isDerived } }
      volumes { nodes { name path type fileContent capacityGiB accessMode sharePolicy isShared } }
      dependencies { nodes { uid name } }
      gatewayRules {
        http { nodes { port { number } path domainCookie domainHeader weight extensions pathRewrite rewriteRules { regex replacement flag } isPublished
          configuration { bodySizeMB bufferCount bufferSizeKB isBuffered connectTimeoutSeconds readTimeoutSeconds sendTimeoutSeconds setHeaders { key value } } } }
        tcp { nodes { port { number } isPublished } } }
    } } } }`,
  );
  const { components, ...rest } = application;
  const sorted = (list: any[]) =>
    list.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return {
    ...rest,
    components: sorted(
      components.nodes.map(({ uid: _, dependencies, gatewayRules, ...component }: any) => ({
        ...component,
        dependencies: dependencies.nodes.map(({ name }: any) => name).sort(),
        http: sorted(gatewayRules.http.nodes),
        tcp: sorted(gatewayRules.tcp.nodes),
      })),
    ),
  };
}

const publish = (input: object, token?: string) =>
  trellis.attempt(
    'publishApplication',
    { version: '1.0.0', ...input },
    `template { uid key name team { uid } }
     version { version revision requiredVariables { componentKey componentName name scope } }
     omitted { kind component name }`,
    token,
  );

/** Installs a published application elsewhere, with the secrets that it asks for. */
async function installElsewhere(published: any, valueFor: (variable: any) => string) {
  const elsewhere = await trellis.createPlace();
  const { appId } = await trellis.createApplication(elsewhere);
  await trellis.succeed(
    'installApplication',
    {
      application: { appId },
      store: store(),
      templateId: published.template.key,
      version: published.version.version,
      variables: published.version.requiredVariables.map((variable: any) => ({
        component: variable.componentKey,
        name: variable.name,
        scope: variable.scope,
        value: valueFor(variable),
      })),
    },
    'group { uid }',
  );
  return appId;
}

async function expectRoundTrip(appId: number): Promise<void> {
  const before = await standing(appId);
  const published = await publish({ application: { appId } });
  expect(published.message).toBeUndefined();
  const secrets = new Map<string, string>(
    before.components.flatMap(({ name, variables }: any) =>
      variables.nodes.map((each: any) => [`${name} ${each.scope} ${each.name}`, each.value]),
    ),
  );
  const valueFor = ({ componentName, scope, name }: any) => secrets.get(`${componentName} ${scope} ${name}`)!;
  expect(await standing(await installElsewhere(published, valueFor))).toEqual(before);
}

const word = (random: Random) => random.pick(['web', 'api', 'db', 'cache', 'queue', 'mail']);

/** An application that nobody would think of. */
async function generated(random: Random): Promise<number> {
  const { appId } = await trellis.createApplication(place);
  const made: string[] = [];
  for (let index = 0, size = 1 + random.below(5); index < size; index++) {
    const name = `${word(random)}-${index}`;
    const variables = Array.from({ length: random.below(4) }, (_, at) => ({
      name: random.pick(['HOST', 'DB_PASSWORD', 'API_TOKEN', 'MODE']) + at,
      label: `The variable ${at}`,
      value: random.pick(['', 'a=b;c', 'line\nbreak', 'ünïcode', `${random.below(1000)}`]),
      ...(random.chance(0.3) ? { isSecret: random.chance(0.5) } : {}),
      isChangeable: random.chance(0.5),
      scope: random.pick(['ENVIRONMENT', 'CONNECTION']),
    }));
    const volumes = Array.from({ length: random.below(3) }, (_, at) => ({
      name: `volume ${at}`,
      path: `/data/${at}`,
      type: random.pick(['share-file', 'config-file', 'memoryfs']),
      fileContent: random.chance(0.5) ? 'key: "value"\n' : '',
      ...(random.chance(0.5) ? { capacityGiB: random.below(100), accessMode: 'RWX' } : {}),
    }));
    const category = random.pick(['APPLICATION', 'CACHE', 'STORE']);
    const { componentId } = await trellis.createComponent(appId, {
      name,
      image: random.pick([
        'nginx:1.29',
        'registry.example:5000/a/b@sha256:00112233445566778899aabbccddeeff',
        'redis',
      ]),
      ...(random.chance(0.5) ? { description: 'What it is for.\nAnd more.', command: '--flag "x"' } : {}),
      ...(random.chance(0.5) ? { kind: random.pick(['web', 'mysql']), version: 'v2' } : {}),
      ...(random.chance(0.3) ? { clusterName: unique('cluster') } : {}),
      category,
      extendMethod: random.pick(['STATELESS', 'STATE']),
      replicas: random.below(5),
      cpuMillicores: random.below(3) * 250,
      memoryMiB: random.below(3) * 256,
      gpuMemoryMiB: random.below(2) * 1024,
      variables,
      volumes,
      dependencies: made.filter(() => random.chance(0.5)).map((each) => ({ componentId: each })),
    });
    made.push(componentId);
    for (let port = 0, count = random.below(3); port < count; port++) {
      const { id, number } = await trellis.addPort(componentId, 1000 + port * 10 + random.below(10), {
        protocol: random.pick(['HTTP', 'GRPC', 'TCP', 'MYSQL', 'UDP']),
        isInner: random.chance(0.7),
      });
      if (random.chance(0.6)) await trellis.succeed('openOuterService', { port: { id } }, 'port { id }');
      const target = { application: { appId }, component: { componentId }, portNumber: number };
      if (random.chance(0.4)) {
        await trellis.attempt('createHttpRule', {
          ...target,
          domain: `${unique('www')}.example`,
          path: random.pick(['/api', '/a/b']),
          weight: 1 + random.below(100),
          domainCookie: random.pick(['', 'a=b', 'a=b;c=d']),
          domainHeader: random.pick(['', 'X-A=b=c']),
          extensions: random.pick([[], ['a:b']]),
          pathRewrite: random.chance(0.5),
          rewriteRules: random.pick([[], [{ regex: '^/a', replacement: '/b', flag: 'last' }]]),
          configuration: {
            bodySizeMB: random.below(10),
            isBuffered: random.chance(0.5),
            connectTimeoutSeconds: random.below(100),
            setHeaders: random.pick([[], [{ key: 'X-B', value: 'c d' }]]),
          },
        });
      }
    }
  }
  return appId;
}

describe('publishApplication', () => {
  once.each([
    ['bookinfo', '1.30.3'],
    ['online-boutique', 'v0.10.3'],
    ['sock-shop', '0.3.0'],
    ['wordpress-mysql', versionsOf('wordpress-mysql')[0]!],
  ])('publishes %s %s, which installs to the same elsewhere', async (name, version) => {
    const { template } = await trellis.succeed(
      'publishTemplate',
      { template: templateText(name, version) },
      'template { key }',
    );
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    const install = { application: { appId }, store: store(), templateId: template.key, version };
    await trellis.succeed('installApplication', install, 'group { uid }');
    await expectRoundTrip(appId);
  });

  it.each(Array.from({ length: databaseKind === 'sqlite' ? 8 : 2 }, (_, seed) => seed))(
    'publishes an application generated from the seed %i, which installs to the same elsewhere',
    async (seed) => expectRoundTrip(await generated(randomOf(seed + 1))),
  );

  once('lists what templates cannot hold', async () => {
    const document = JSON.stringify({
      application: 'shop',
      components: {
        web: {
          image: 'nginx:1.29',
          placement: { spread: 'ZONE' },
          autoscaling: { minReplicas: 3, maxReplicas: 5, cpuPercent: 80 },
          cpuMillicores: 100,
        },
        db: {
          image: 'postgres:18',
          volumes: { data: { path: '/data', type: 'share-file', capacityGiB: 1 } },
        },
      },
    });
    const { appId } = (await apply(trellis, await trellis.createPlace(), document)).application;
    const { application } = await trellis.data(
      `{ application(by: { appId: ${appId} }) { components(first: 2) { nodes { uid name } } } }`,
    );
    const idOf = (wanted: string) =>
      application.components.nodes.find(({ name }: any) => name === wanted).uid;
    // The region of this test has no runs and snapshots.
    const times = { cron: '0 3 * * *', timeZone: 'UTC', createdAt: new Date() };
    await trellis.services.db.transaction(async (tx) => {
      const command = { command: '["true"]', concurrency: 'forbid', timeoutSeconds: 60 };
      const schedule = { id: unique('schedule'), componentId: idOf('web'), name: 'nightly' };
      await tx.schedule.create({ data: { ...schedule, ...times, ...command } });
      const volume = await tx.volume.findFirstOrThrow({ where: { componentId: idOf('db') } });
      const snapshots = { id: unique('schedule'), volumeId: volume.id, keep: 3 };
      await tx.snapshotSchedule.create({ data: { ...snapshots, ...times } });
    });
    expect((await publish({ application: { appId } })).omitted).toEqual([
      { kind: 'SNAPSHOT_SCHEDULE', component: 'db', name: 'data' },
      { kind: 'PLACEMENT', component: 'web', name: 'web' },
      { kind: 'AUTOSCALING', component: 'web', name: 'web' },
      { kind: 'SCHEDULE', component: 'web', name: 'nightly' },
    ]);
  });

  it('does not say on which hidden components others depend', async () => {
    const { appId } = await trellis.createApplication(place);
    const hidden = await trellis.createApplication(place);
    const { componentId: far } = await trellis.createComponent(hidden.appId);
    const { alias } = await trellis.createComponent(appId, { dependencies: [{ componentId: far }] });
    const person = await trellis.createPerson();
    const limited = { role: 'DEVELOPER', applications: [{ appId }] };
    await trellis.succeed(
      'addTeamMember',
      { team: { teamId: place.team.teamId }, user: { email: person.email }, ...limited },
      '__typename',
    );
    const omittedFor = async (token?: string) => (await publish({ application: { appId } }, token)).omitted;
    expect(await omittedFor(person.token)).toEqual([
      { kind: 'DEPENDENCY', component: alias, name: 'another component' },
    ]);
    expect(await omittedFor()).toEqual([{ kind: 'DEPENDENCY', component: alias, name: far }]);
  });

  it('leaves secrets out of the template, and an install that does not give them is refused', async () => {
    const { appId } = await trellis.createApplication(place);
    const other = await trellis.createApplication(place);
    const { componentId: far } = await trellis.createComponent(other.appId);
    const secret = unique('secret');
    const { componentId, alias } = await trellis.createComponent(appId, {
      variables: [
        { name: 'DB_PASSWORD', value: secret },
        { name: 'MODE', value: 'dark' },
      ],
      dependencies: [{ componentId: far }],
    });
    await trellis.addPort(componentId, 80);
    const domain = `${unique('www')}.example`;
    const rule = { application: { appId }, component: { componentId }, portNumber: 80, domain };
    await trellis.succeed('createHttpRule', rule, 'rule { id }');
    const published = await publish({ application: { appId } });
    expect(published.omitted).toEqual([
      { kind: 'SECRET', component: alias, name: 'DB_PASSWORD' },
      { kind: 'DEPENDENCY', component: alias, name: far },
      { kind: 'ADDRESS', component: alias, name: domain },
    ]);
    const [row] = await trellis.services.db.query(
      'SELECT template FROM published_version ORDER BY id DESC LIMIT 1',
      [],
    );
    expect(String(row![0])).not.toContain(secret);
    const { key } = published.template;
    const elsewhere = await trellis.createApplication(await trellis.createPlace());
    const install = {
      application: { appId: elsewhere.appId },
      store: store(),
      templateId: key,
      version: '1.0.0',
    };
    const before = await trellis.counts();
    expect((await trellis.attempt('installApplication', install)).issues).toEqual([
      {
        path: ['input', 'variables'],
        message: `The environment variable DB_PASSWORD of the component ${alias} requires a value`,
      },
    ]);
    const variables = [
      { component: 'nobody', name: 'MODE', value: '' },
      { component: alias, name: 'NOTHING', value: '' },
      { component: alias, name: 'DB_PASSWORD', value: 'a' },
      { component: alias, name: 'DB_PASSWORD', value: 'b' },
    ];
    const { issues } = await trellis.attempt('installApplication', { ...install, variables });
    expect(issues.map(({ path }: any) => path.slice(2).join('.'))).toEqual([
      '0.component',
      '1.name',
      '3.name',
    ]);
    expect(await trellis.counts()).toEqual(before);
  });

  it('adds a version to a template, which upgrades what is installed and asks for new secrets alone', async () => {
    const { appId } = await trellis.createApplication(place);
    const variables = [{ name: 'DB_PASSWORD', value: 'first' }];
    const { componentId } = await trellis.createComponent(appId, { name: 'db', variables });
    const published = await publish({ application: { appId } });
    const installed = await installElsewhere(published, () => 'mine');
    await trellis.services.db.transaction((tx) =>
      tx.component.update({ where: { id: componentId }, data: { image: 'postgres:18' } }),
    );
    await trellis.createComponent(appId, { name: 'web', variables: [{ name: 'API_TOKEN', value: 'x' }] });
    const template = { templateId: published.template.uid };
    const next = await publish({ application: { appId }, template, version: '1.1.0' });
    expect(next.template.key).toBe(published.template.key);
    const { key } = published.template;
    expect((await upgrade(installed, key, '1.1.0')).issues ?? []).toMatchObject([
      { path: ['input', 'upgrades', '0', 'variables'] },
    ]);
    const upgrades = [
      {
        storeName: 'self',
        templateId: key,
        version: '1.1.0',
        variables: [{ component: 'web', name: 'API_TOKEN', value: 'mine too' }],
      },
    ];
    const input = { application: { appId: installed }, upgrades };
    await trellis.succeed('upgradeApplication', input, '__typename');
    const state = await standing(installed);
    expect(
      state.components.map(({ name, image, variables: own }: any) => [name, image, own.nodes[0].value]),
    ).toEqual([
      ['db', 'postgres:18', 'mine'],
      ['web', 'nginx:1.29', 'mine too'],
    ]);
    const again = await publish({ application: { appId }, template, version: '1.1.0' });
    expect(again.version.revision).toBe(1);
  });

  once('refuses an application that a template cannot hold', async () => {
    const { appId } = await trellis.createApplication(place);
    expect((await publish({ application: { appId } })).issues).toEqual([
      { path: ['input', 'application'], message: 'Has no components' },
    ]);
    const ring = ringTemplate(500);
    const { template } = await trellis.succeed(
      'publishTemplate',
      { template: ring.text },
      'template { key }',
    );
    const install = { application: { appId }, store: store(), templateId: template.key, version: '1.0.0' };
    await trellis.succeed('installApplication', install, 'group { uid }');
    await trellis.createComponent(appId);
    const before = await trellis.counts();
    expect((await publish({ application: { appId } })).issues).toEqual([
      { path: ['input', 'application'], message: 'Must have at most 500 components' },
    ]);
    expect(await trellis.counts()).toEqual(before);
  });
});

describe('the catalogue of a team', () => {
  it('is for its members and administrators; for others its templates do not exist', async () => {
    const { appId } = await trellis.createApplication(place);
    await trellis.createComponent(appId);
    const teamId = place.team.teamId;
    const developer = await trellis.createMember(teamId, 'DEVELOPER');
    const viewer = await trellis.createMember(teamId, 'VIEWER');
    const other = await trellis.createPlace();
    const stranger = await trellis.createMember(other.team.teamId, 'OWNER');
    const input = { application: { appId }, version: '1.0.0' };
    expect((await publish(input, viewer.token)).code).toBe('FORBIDDEN');
    expect((await publish(input, stranger.token)).code).toBe('NOT_FOUND');
    expect((await publish({ ...input, catalogue: 'ENTERPRISE' }, developer.token)).code).toBe('FORBIDDEN');
    const { template } = await publish(input, developer.token);
    expect(template.team.uid).toBe(teamId);

    const query = `{ templates(search: "${template.key}") { totalCount } template(by: { templateId: ${template.uid} }) { key } }`;
    const unknown = await trellis.graphql(query.replace(`${template.uid}`, '99999999'), {}, stranger.token);
    const seen = async (token: string) => trellis.graphql(query, {}, token);
    const served = async (token: string, path = '') => {
      const url = `${trellis.url}/app-server/openapi/apps/${template.key}${path}`;
      return (await fetch(url, { headers: { authorization: token } })).status;
    };
    for (const token of [viewer.token, developer.token, trellis.adminToken]) {
      expect((await seen(token)).data).toEqual({
        templates: { totalCount: 1 },
        template: { key: template.key },
      });
      for (const path of ['', '/versions', '/versions/1.0.0']) expect(await served(token, path)).toBe(200);
    }
    const hidden = await seen(stranger.token);
    expect(hidden.data).toEqual({ templates: { totalCount: 0 }, template: null });
    expect(hidden.errors![0]!.message).toBe(unknown.errors![0]!.message);
    for (const path of ['', '/versions', '/versions/1.0.0'])
      expect(await served(stranger.token, path)).toBe(404);
    const { team } = await trellis.data(
      `{ team(by: { teamId: "${teamId}" }) { templates(search: "${template.key}") { nodes { key versions { nodes { version } } } } } }`,
      {},
      viewer.token,
    );
    expect(team.templates.nodes).toEqual([
      { key: template.key, versions: { nodes: [{ version: '1.0.0' }] } },
    ]);

    const change = { template: { templateId: template.uid }, version: '1.0.0' };
    for (const mutation of ['disableTemplateVersion', 'enableTemplateVersion']) {
      const codeFor = async (token: string) =>
        (await trellis.attempt(mutation, change, '__typename', token)).code ?? 'ok';
      expect(await codeFor(stranger.token)).toBe('NOT_FOUND');
      expect(await codeFor(viewer.token)).toBe('FORBIDDEN');
      expect(await codeFor(developer.token)).toBe('ok');
    }
    const text = ringTemplate(1, { key: template.key }).text;
    expect((await trellis.attempt('publishTemplate', { template: text })).code).toBe('CONFLICT');

    // In another team's application, a member of both may install it; the others may not.
    const { appId: elsewhere } = await trellis.createApplication(other);
    const install = (accessKey: string) =>
      trellis.attempt(
        'installApplication',
        {
          application: { appId: elsewhere },
          store: { ...store(), accessKey },
          templateId: template.key,
          version: '1.0.0',
        },
        '__typename',
        stranger.token,
      );
    expect((await install(stranger.token)).code).toBe('STORE_REFUSED');

    const removed = await trellis.attempt('deleteTemplateVersion', change, '__typename', developer.token);
    expect(removed.__typename).toBe('DeleteTemplateVersionPayload');
    expect((await seen(viewer.token)).data!.templates.totalCount).toBe(0);
  });
});

describe('publishing an application', () => {
  it('reads its variables before the transaction', async () => {
    const { application } = await trellis.createAll();
    const transactions = await transactionsOf(trellis, () =>
      publish({ application: { appId: application.appId } }),
    );
    expect(transactions).toHaveLength(1);
    expect(transactions[0]!.filter((text) => text.includes('sealed_value"'))).toEqual([]);
  });

  it('publishes what somebody has changed meanwhile', async () => {
    const { application, component } = await trellis.createAll();
    const change = () =>
      trellis.succeed(
        'updateComponent',
        { component: { componentId: component.componentId }, image: 'changed:2' },
        '__typename',
      );
    const { result, hasRun } = await meanwhile(trellis, change, () =>
      publish({ application: { appId: application.appId } }),
    );
    expect([result.__typename, hasRun]).toEqual(['PublishApplicationPayload', true]);
    const [version] = await trellis.services.db.query(
      'SELECT template FROM published_version ORDER BY id DESC LIMIT 1',
      [],
    );
    expect(version![0]).toContain('changed:2');
  });
});
