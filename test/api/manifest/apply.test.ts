import { describe, expect, it } from 'vitest';
import { jobsOf, queued, statesOf, useDriver } from '../../support/deploys.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { upgradedGroup } from '../../support/installs.ts';
import { apply, exported, plan, shortly, tryApply, tryPlan } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';
import { contentsOf } from '../../support/unchanged.ts';

const trellis = useTrellis({ drivers: [queued] });

const shop = `application: shop
note: The web shop
components:
  database:
    image: postgres:18
    extendMethod: STATE
    memoryMiB: 1024
    variables:
      POSTGRES_PASSWORD: one
    volumes:
      data: { path: /var/lib/postgresql, type: local, capacityGiB: 10 }
    ports:
      5432: { protocol: tcp, isInner: true }
  web:
    image: registry.example/shop/web:1.4
    replicas: 2
    variables:
      LOG_LEVEL: info
    dependsOn: [database]
    ports:
      80: { protocol: http, isInner: true, isOuter: true }
routes:
  - { domain: www.shop.example, path: /, component: web, port: 80 }
`;

describe('applyManifest', () => {
  it('creates an application, after which nothing is left to plan', async () => {
    const place = await trellis.createPlace();
    const planned = await plan(trellis, place, shop);
    expect(shortly(planned)).toMatchInlineSnapshot(`
      [
        "CREATE APPLICATION shop note: null -> The web shop, principal: null -> admin",
        "CREATE COMPONENT database image: null -> postgres:18, replicas: null -> 1, cpuMillicores: null -> 500, memoryMiB: null -> 1024, extendMethod: null -> STATE",
        "CREATE VARIABLE database POSTGRES_PASSWORD value: null -> [redacted]",
        "CREATE VOLUME database data path: null -> /var/lib/postgresql, type: null -> local, capacityGiB: null -> 10",
        "CREATE PORT database 5432 protocol: null -> tcp, isInner: null -> true, isOuter: null -> false",
        "CREATE COMPONENT web image: null -> registry.example/shop/web:1.4, replicas: null -> 2, cpuMillicores: null -> 500, memoryMiB: null -> 512",
        "CREATE VARIABLE web LOG_LEVEL value: null -> info",
        "CREATE PORT web 80 protocol: null -> http, isInner: null -> true, isOuter: null -> true",
        "CREATE DEPENDENCY web database",
        "CREATE HTTP_ROUTE web www.shop.example/",
      ]
    `);
    const applied = await apply(trellis, place, shop, { expectedPlan: planned.digest });
    expect(applied.plan).toEqual(planned);
    expect((await plan(trellis, place, shop)).changes).toEqual([]);
    const { document, omitted } = await exported(trellis, applied.application.appId);
    expect(omitted).toEqual([]);
    expect(document).toMatchInlineSnapshot(`
      "application: shop
      note: The web shop
      principal: admin
      components:
        database:
          image: postgres:18
          replicas: 1
          cpuMillicores: 500
          memoryMiB: 1024
          extendMethod: STATE
          variables:
            POSTGRES_PASSWORD: { secret: preserve }
          volumes:
            data: { path: /var/lib/postgresql, type: local, capacityGiB: 10 }
          ports:
            5432: { protocol: tcp, isInner: true }
        web:
          image: registry.example/shop/web:1.4
          replicas: 2
          cpuMillicores: 500
          memoryMiB: 512
          variables:
            LOG_LEVEL: info
          ports:
            80: { protocol: http, isInner: true, isOuter: true }
          dependsOn: [ database ]
      routes:
        - { domain: www.shop.example, component: web, port: 80 }
      "
    `);
    const again = await plan(trellis, place, document);
    expect([again.changes, again.adopted]).toEqual([[], []]);
  });

  it('changes what is written, and nothing else', async () => {
    const place = await trellis.createPlace();
    const document = (rest: string) => `application: one\ncomponents:\n  web:\n${rest}`;
    const { application } = await apply(
      trellis,
      place,
      document('    image: nginx:1.28\n    replicas: 2\n    command: run\n'),
    );
    const changed = document('    image: nginx:1.29\n    command: null\n');
    const planned = await plan(trellis, place, changed);
    expect(shortly(planned)).toEqual([
      'UPDATE COMPONENT web image: nginx:1.28 -> nginx:1.29, version: 1.28 -> 1.29, command: run -> null',
    ]);
    await apply(trellis, place, changed, { expectedPlan: planned.digest });
    const { document: after } = await exported(trellis, application.appId, 'JSON');
    expect(JSON.parse(after).components.web).toMatchObject({ image: 'nginx:1.29', replicas: 2 });
    expect((await plan(trellis, place, changed)).changes).toEqual([]);
  });

  it('refuses a plan that no longer holds', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, shop);
    const changed = shop.replace('replicas: 2', 'replicas: 3');
    const { digest } = await plan(trellis, place, changed);
    await trellis.succeed(
      'updateApplication',
      { application: { appId: application.appId }, note: 'x' },
      '__typename',
    );
    const refused = await tryApply(trellis, place, changed, { expectedPlan: digest });
    expect(refused).toMatchObject({
      __typename: 'ConflictError',
      message: expect.stringContaining('Plan the change again'),
    });
  });

  it('of one plan succeeds once, however many try at the same time', async () => {
    const place = await trellis.createPlace();
    await apply(trellis, place, shop);
    const changed = shop.replace('replicas: 2', 'replicas: 3');
    const { digest } = await plan(trellis, place, changed);
    const all = await Promise.all(
      [1, 2, 3].map(() => tryApply(trellis, place, changed, { expectedPlan: digest })),
    );
    expect(all.map(({ __typename }) => __typename).sort()).toEqual([
      'ApplyManifestPayload',
      'ConflictError',
      'ConflictError',
    ]);
  });

  it('adopts what belongs to nobody, and says so', async () => {
    const place = await trellis.createPlace();
    const { appId, name } = await trellis.createApplication(place, unique('app'));
    await trellis.createComponent(appId, {
      name: 'web',
      image: 'nginx:1.29',
      replicas: 2,
      variables: [
        { name: 'A', value: '1' },
        { name: 'B', value: '1' },
      ],
    });
    const document = `application: ${name}\ncomponents:\n  web: { replicas: 2, variables: { A: 2 } }\n`;
    const planned = await plan(trellis, place, document);
    expect(shortly(planned)).toEqual(['ADOPT VARIABLE web A value: 1 -> 2']);
    expect(planned.adopted).toEqual([
      { object: 'APPLICATION', component: null, name },
      { object: 'COMPONENT', component: null, name: 'web' },
    ]);
    await apply(trellis, place, document);
    const { application } = await trellis.data(
      'query ($by: ApplicationRef!) { application(by: $by) { manifestState { uid digest appliedBy { nickName } } components { nodes { manifestId variables { nodes { name manifestId } } } } } }',
      { by: { appId } },
    );
    const { uid: manifestId } = application.manifestState;
    expect(application).toMatchObject({
      manifestState: { digest: expect.stringMatching(/^[0-9a-f]{64}$/), appliedBy: { nickName: 'admin' } },
      components: {
        nodes: [
          {
            manifestId,
            variables: {
              nodes: [
                { name: 'A', manifestId },
                { name: 'B', manifestId: null },
              ],
            },
          },
        ],
      },
    });
    const again = await plan(trellis, place, document);
    expect([again.changes, again.adopted]).toEqual([[], []]);
  });

  it('leaves what is no longer written, unless it is to be pruned', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, shop);
    const smaller =
      'application: shop\ncomponents:\n  web: { variables: {}, ports: {}, dependsOn: [] }\nroutes: []\n';
    const { changes, leftOver } = await plan(trellis, place, smaller);
    expect(changes).toEqual([]);
    expect(leftOver.map(({ object, component, name }) => `${object} ${component ?? ''} ${name}`)).toEqual([
      'COMPONENT  database',
      'VARIABLE web LOG_LEVEL',
      'PORT web 80',
      'DEPENDENCY web database',
      'HTTP_ROUTE web www.shop.example/',
    ]);
    const pruned = await plan(trellis, place, smaller, { prune: 'OWNED' });
    expect(
      pruned.changes.map(({ action, object, name, isDestructive }) => [action, object, name, isDestructive]),
    ).toEqual([
      ['DELETE', 'HTTP_ROUTE', 'www.shop.example/', true],
      ['DELETE', 'VARIABLE', 'LOG_LEVEL', false],
      ['DELETE', 'PORT', '80', true],
      ['DELETE', 'DEPENDENCY', 'database', false],
      ['DELETE', 'COMPONENT', 'database', true],
    ]);
    const before = await contentsOf(trellis);
    const refused = await tryApply(trellis, place, smaller, { prune: 'OWNED' });
    expect(refused).toMatchObject({
      __typename: 'ConflictError',
      message: expect.stringContaining('DELETE COMPONENT database'),
    });
    expect(await contentsOf(trellis)).toEqual(before);
    await apply(trellis, place, smaller, {
      prune: 'OWNED',
      allowsDestruction: true,
      expectedPlan: pruned.digest,
    });
    const { document } = await exported(trellis, application.appId, 'JSON');
    expect(JSON.parse(document)).toMatchObject({
      components: { web: expect.not.objectContaining({ ports: expect.anything() }) },
    });
    expect(Object.keys(JSON.parse(document).components)).toEqual(['web']);
    expect((await plan(trellis, place, smaller, { prune: 'OWNED' })).changes).toEqual([]);
  });

  it('prunes routes of components that it does not write', async () => {
    const place = await trellis.createPlace();
    const name = unique('shop');
    const { application } = await apply(trellis, place, shop.replaceAll('shop', name));
    const without = `application: ${name}\nroutes: []\n`;
    const options = { prune: 'OWNED', allowsDestruction: true };
    const { plan: made } = await apply(trellis, place, without, options);
    expect(made.changes.map(({ action, object, component }) => [action, object, component])).toEqual([
      ['DELETE', 'HTTP_ROUTE', 'web'],
    ]);
    const { document } = await exported(trellis, application.appId, 'JSON');
    expect(JSON.parse(document)).not.toHaveProperty('routes');
    expect((await plan(trellis, place, without, { prune: 'OWNED' })).changes).toEqual([]);
  });

  it('prunes what has the name of something that every object inherits', async () => {
    const place = await trellis.createPlace();
    const document = {
      application: 'shop',
      components: {
        toString: { image: 'a' },
        web: {
          image: 'a',
          variables: { constructor: '1', toString: '2', KEPT: '3' },
          volumes: { valueOf: { path: '/data', type: 'local' } },
        },
      },
    };
    await apply(trellis, place, JSON.stringify(document));
    const smaller =
      'application: shop\ncomponents:\n  web: { image: a, variables: { KEPT: "3" }, volumes: {} }\n';
    const { changes } = await plan(trellis, place, smaller, { prune: 'OWNED' });
    expect(changes.map(({ action, object, name }) => `${action} ${object} ${name}`).sort()).toEqual([
      'DELETE COMPONENT toString',
      'DELETE VARIABLE constructor',
      'DELETE VARIABLE toString',
      'DELETE VOLUME valueOf',
    ]);
  });

  it('deletes nothing that somebody else made', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, shop);
    const { componentId } = await trellis.createComponent(application.appId, { name: 'by hand' });
    await trellis.succeed(
      'setVariables',
      { component: { componentId }, set: [{ name: 'A', value: '1' }] },
      '__typename',
    );
    const empty = 'application: shop\ncomponents: {}\nroutes: []\n';
    await apply(trellis, place, empty, { prune: 'OWNED', allowsDestruction: true });
    const { document } = await exported(trellis, application.appId, 'JSON');
    expect(Object.keys(JSON.parse(document).components)).toEqual(['by hand']);
  });

  it('changes nothing of an installed template, but can refer to it', async () => {
    const place = await trellis.createPlace();
    const { appId, name } = await trellis.createApplication(place, unique('app'));
    await upgradedGroup(trellis, appId);
    const { document } = await exported(trellis, appId, 'JSON');
    const [component] = Object.keys(JSON.parse(document).components);
    const refers = `application: ${name}\ncomponents:\n  web: { image: nginx:1.29, dependsOn: [${component}] }\n`;
    await apply(trellis, place, refers);
    const changes = `application: ${name}\ncomponents:\n  ${component}: { replicas: 7 }\n`;
    const { error } = await tryPlan(trellis, place, changes);
    expect(error).toMatchObject({
      extensions: { code: 'CONFLICT' },
      message: expect.stringMatching(/^components\..* \(line 3, column 3\): .* installed template /),
    });
  });

  it('gives service names that components lose or pass on to others', async () => {
    const place = await trellis.createPlace();
    const named = (serviceNames: object) =>
      JSON.stringify({
        application: 'shop',
        components: Object.fromEntries(
          Object.entries(serviceNames).map(([name, serviceName]) => [
            name,
            { image: 'nginx:1', ports: { 80: { protocol: 'tcp' } }, serviceName },
          ]),
        ),
      });
    const options = { prune: 'OWNED', allowsDestruction: true };
    await apply(trellis, place, named({ a: 'one', b: 'two' }), options);
    for (const next of [
      { a: 'two', b: 'one' },
      { a: 'three', b: 'one', c: 'two' },
      { c: 'one', d: 'three' },
    ]) {
      await apply(trellis, place, named(next), options);
      expect((await plan(trellis, place, named(next))).changes).toEqual([]);
    }
    const withoutPorts = { image: 'nginx:1', ports: {} };
    const { components } = JSON.parse(named({ d: 'one' }));
    const moved = JSON.stringify({ application: 'shop', components: { c: withoutPorts, ...components } });
    await apply(trellis, place, moved, options);
    expect((await plan(trellis, place, moved)).changes).toEqual([]);
  });

  it('names the application that has an alias or a service name already', async () => {
    const place = await trellis.createPlace();
    const document = (application: string) =>
      `application: ${application}\ncomponents:\n  db: { image: postgres:18, alias: db, ports: { 5432: { protocol: tcp } } }\n`;
    await apply(trellis, place, document('first'));
    const { error } = await tryPlan(trellis, place, document('second'));
    expect(error?.message).toContain(
      'components.db.alias (line 3, column 36): The alias db belongs to the component db of the application first, which has a manifest',
    );
  });

  it('says how the service names of another application are avoided', async () => {
    const place = await trellis.createPlace();
    const document = (application: string, prefix = '') =>
      `application: ${application}\nisolation: TEAM\ncomponents:\n  db: { image: postgres:18, serviceName: ${prefix}db, ports: { 5432: { protocol: tcp, isInner: true } } }\n`;
    await apply(trellis, place, document('first'));
    const { error } = await tryPlan(trellis, place, document('second'));
    expect(error?.message).toMatch(
      /The service name db belongs to .* which `trellis convert --prefix` writes everywhere/,
    );
    await apply(trellis, place, document('second', 'second-'));
  });

  it('records events that name the manifest', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, shop);
    const { team } = await trellis.data(
      'query ($by: TeamRef!) { team(by: $by) { events(first: 100) { nodes { action manifest } } } }',
      { by: { teamId: place.team.teamId } },
    );
    const events = team.events.nodes.filter(({ manifest }: any) => manifest === application.name);
    expect(new Set(events.map(({ action }: any) => action))).toEqual(
      new Set([
        ...[
          'application.create',
          'application.apply_manifest',
          'component.create',
          'component.set_variables',
        ],
        ...['component.add_dependency', 'volume.add', 'port.add', 'http_rule.create'],
      ]),
    );
  });

  it('is refused to viewers, who can plan', async () => {
    const place = await trellis.createPlace();
    const { token } = await trellis.createMember(place.team.teamId, 'VIEWER');
    expect((await plan(trellis, place, shop, { token })).changes).toHaveLength(10);
    expect(await tryApply(trellis, place, shop, {}, token)).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('returns the plan of a dry run, and writes nothing', async () => {
    const place = await trellis.createPlace();
    const before = await contentsOf(trellis);
    const { plan: planned, job, application } = await apply(trellis, place, shop, { dryRun: true });
    expect([planned.changes.length, job, application]).toEqual([10, null, null]);
    await plan(trellis, place, shop);
    expect(await contentsOf(trellis)).toEqual(before);
  });
});

describe('the deploy of a manifest', () => {
  const queuedPlace = async () => {
    const place = await trellis.createPlace();
    await useDriver(trellis, place.region.regionId, 'queued');
    return place;
  };
  const jobsOfApply = async (place: Place, document: string, options: object = {}) => {
    const { application } = await apply(trellis, place, document, options);
    const jobs = await jobsOf(trellis, application.appId);
    return jobs.map(({ kind, components }) => [
      kind,
      ...components.map(({ componentName, action }) => `${action} ${componentName}`),
    ]);
  };

  it('has one job for what is new, changed and removed', async () => {
    const place = await queuedPlace();
    expect(await jobsOfApply(place, shop)).toEqual([['apply', 'apply database', 'apply web']]);
    const next = shop
      .replace('LOG_LEVEL: info', 'LOG_LEVEL: debug')
      .replace('5432: { protocol: tcp, isInner: true }', '5432: { protocol: tcp, isInner: false }')
      .replace('  web:', '  cache: { image: redis:8 }\n  web:');
    expect((await jobsOfApply(place, next))[0]).toEqual([
      'apply',
      'apply cache',
      'apply database',
      'apply web',
    ]);
    const without = next.replace('  cache: { image: redis:8 }\n', '');
    const options = { prune: 'OWNED', allowsDestruction: true };
    expect((await jobsOfApply(place, without, options))[0]).toEqual(['apply', 'remove cache']);
    expect(await jobsOfApply(place, without)).toHaveLength(3);
  });

  it('leaves stopped components alone, unless it is asked to start them', async () => {
    const place = await queuedPlace();
    const { application } = await apply(trellis, place, shop);
    const { appId } = application;
    await trellis.succeed('stopApplication', { application: { appId }, force: true }, '__typename');
    const next = shop.replace('LOG_LEVEL: info', 'LOG_LEVEL: debug');
    expect((await plan(trellis, place, next)).leftStopped).toEqual(['web']);
    expect((await apply(trellis, place, next)).plan.leftStopped).toEqual(['web']);
    const states = async () =>
      Object.values(await statesOf(trellis, appId))
        .map(({ name, deployState, hasUndeployedChanges }) => [name, deployState, hasUndeployedChanges])
        .sort();
    expect(await states()).toEqual([
      ['database', 'closed', false],
      ['web', 'closed', true],
    ]);
    const all = await apply(trellis, place, next, { deploy: 'ALL' });
    expect([all.job, all.plan.leftStopped]).toEqual([null, ['database', 'web']]);
    await apply(trellis, place, next, { deploy: 'ALL', startStopped: true });
    expect(await states()).toEqual([
      ['database', 'running', false],
      ['web', 'running', false],
    ]);
  });

  it('can be left to somebody else', async () => {
    const place = await queuedPlace();
    expect(await jobsOfApply(place, shop, { deploy: 'NONE' })).toEqual([]);
    const { application } = await apply(trellis, place, shop, { deploy: 'NONE' });
    const rows = Object.values(await statesOf(trellis, application.appId));
    expect(rows.map(({ deployState }) => deployState)).toEqual(['undeploy', 'undeploy']);
  });

  it('counts toward the quota', async () => {
    const place = await trellis.createPlace();
    const quota = {
      team: { teamId: place.team.teamId },
      region: { regionId: place.region.regionId },
      cpuQuotaMillicores: 1_000,
      memoryQuotaMiB: 0,
    };
    await trellis.succeed('setTeamQuota', quota, '__typename');
    expect(await tryApply(trellis, place, shop)).toMatchObject({ __typename: 'QuotaExceededError' });
    const { error } = await tryPlan(trellis, place, shop);
    expect(error?.extensions.code).toBe('QUOTA_EXCEEDED');
    expect(
      (await trellis.attempt('createApplication', { team: quota.team, region: quota.region, name: 'shop' }))
        .__typename,
    ).toBe('CreateApplicationPayload');
  });
});
