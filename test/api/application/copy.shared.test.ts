import { describe, expect, it } from 'vitest';
import { type Copy, copy, shortly, tryCopy } from '../../support/copies.ts';
import { refsOf, unique } from '../../support/fixtures.ts';
import { createTemplate } from '../../support/installs.ts';
import { apply } from '../../support/manifests.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [declaredWithRuns] });

const document = (application: string) => `
application: ${application}
components:
  web:
    image: nginx:1.28
    variables: { MODE: one, API_TOKEN: { value: hush, isSecret: true } }
    volumes:
      data: { path: /data, type: share-file, snapshotSchedule: { cron: 0 0 1 1 *, keep: 1 } }
      conf: { path: /conf, type: config-file, fileContent: one }
    ports: { 80: { protocol: http, isOuter: true }, 90: { protocol: tcp, isOuter: true } }
    schedules: { nightly: { cron: 0 0 1 1 *, command: [mail] } }
    dependsOn: [db]
  db:
    image: "postgres:17"
    ports: { 5432: { protocol: tcp, isInner: true } }
    connectionVariables: { DB_NAME: shop }
routes:
  - { component: web, port: 80, domain: www.${application}.example, autoSsl: true }
  - { component: web, port: 90, endpoint: "10.0.0.9:20001" }
`;

const componentsOf = async (appId: number) => {
  const { application } = await trellis.data(
    `query ($by: ApplicationRef!) { application(by: $by) {
      isolation copyOf { uid }
      components { nodes {
        uid name alias clusterName deployState: state accessUrls
        ports { nodes { number serviceName gatewayRules { http { nodes { domain isDefault autoSsl } } tcp { nodes { endpoint isDefault } } } } }
        variables(scope: ENVIRONMENT) { nodes { name value isSecret } }
        volumes { nodes { name fileContent } }
        dependencies { nodes { uid } }
      } }
    } }`,
    { by: { appId } },
  );
  const { nodes } = application.components;
  return {
    ...application,
    byName: Object.fromEntries(nodes.map((node: { name: string }) => [node.name, node])) as Record<
      string,
      any
    >,
  };
};

describe('copyApplication', () => {
  it('makes another application of what is stored, with addresses of its own', async () => {
    const place = await trellis.createPlace();
    const name = unique('shop');
    const { application } = await apply(trellis, place, document(name));
    const from = { appId: application.appId };
    const planned = await copy(trellis, { application: from, name: 'copy', dryRun: true });
    expect([planned.application, planned.job]).toEqual([null, null]);
    const made = await copy(trellis, { application: from, name: 'copy' });
    expect(made.plan.map(({ action }) => action)).toEqual(planned.plan.map(({ action }) => action));
    expect(made.omitted).toEqual(planned.omitted);
    expect(shortly(made.omitted)).toEqual([
      `http_rule web www.${name}.example/`,
      `manifest ${name}`,
      'schedule web nightly',
      'snapshot_schedule web data',
      'tcp_rule web 10.0.0.9:20001',
    ]);
    const [original, copied] = [
      await componentsOf(application.appId),
      await componentsOf(made.application!.appId),
    ];
    expect([copied.isolation, copied.copyOf, original.copyOf]).toEqual([
      'OWN',
      { uid: application.appId },
      null,
    ]);
    const [web, db] = [copied.byName.web, copied.byName.db];
    expect(web).toMatchObject({
      clusterName: original.byName.web.clusterName,
      variables: {
        nodes: [
          { name: 'API_TOKEN', value: 'hush', isSecret: true },
          { name: 'MODE', value: 'one', isSecret: false },
        ],
      },
      volumes: { nodes: [{ name: 'conf', fileContent: 'one' }, { name: 'data' }] },
      dependencies: { nodes: [{ uid: db.uid }] },
    });
    expect(web.alias).not.toBe(original.byName.web.alias);
    const serviceNames = ({ ports }: any) => ports.nodes.map((port: any) => port.serviceName);
    expect(serviceNames(db)).toEqual(serviceNames(original.byName.db));
    // Each port that had only an address of the original got the default one.
    const [http, tcp] = web.ports.nodes.map(({ gatewayRules }: any) => gatewayRules);
    const region = await trellis.data('query ($by: RegionRef!) { region(by: $by) { httpDomain } }', {
      by: { name: place.region.name },
    });
    const domain = `80.${web.alias}.${place.team.name}.${region.region.httpDomain}`;
    expect(http.http.nodes).toEqual([{ domain, isDefault: true, autoSsl: false }]);
    expect(tcp.tcp.nodes).toEqual([{ endpoint: expect.stringMatching(/^0\.0\.0\.0:/), isDefault: true }]);
    expect(await componentsOf(application.appId)).toEqual(original);
  });

  it('has one default domain in the place of a domain that components share', async () => {
    const place = await trellis.createPlace();
    const shared = `${unique('shop')}.example`;
    const port = { protocol: 'http', isOuter: true };
    const routes = [shared, `www.${shared}`].flatMap((domain) => [
      { domain, component: 'web', port: 80, autoSsl: true },
      { domain, path: '/api', component: 'api', port: 8080, pathRewrite: true },
      { domain, path: '/api', component: 'next', port: 8080, weight: 10 },
    ]);
    const alone = { domain: `alone.${shared}`, path: '/alone', component: 'alone', port: 80 };
    const document = JSON.stringify({
      application: unique('shop'),
      components: {
        api: { image: 'api:1', ports: { 8080: port } },
        next: { image: 'api:2', ports: { 8080: port } },
        web: { image: 'web:1', ports: { 80: port } },
        alone: { image: 'alone:1', ports: { 80: port } },
      },
      routes: [...routes, alone],
    });
    const { application } = await apply(trellis, place, document);
    const made = await copy(trellis, { application: { appId: application.appId }, name: 'copy' });
    const omitted = made.omitted.filter(({ kind }) => kind === 'HTTP_RULE');
    expect(omitted.map(({ component, name }) => `${component} ${name}`).sort()).toEqual(
      [...routes, alone]
        .map(({ component, domain, path = '/' }: any) => `${component} ${domain}${path}`)
        .sort(),
    );
    const query = `query ($appId: Int!) { application(by: { appId: $appId }) {
      team { name } region { httpDomain }
      gatewayRules { http(first: 50) { nodes {
        domain path weight pathRewrite autoSsl isDefault port { component { name alias } }
      } } } components { nodes { name alias } } } }`;
    const { application: copied } = await trellis.data(query, { appId: made.application!.appId });
    const { alias } = copied.components.nodes.find(({ name }: any) => name === 'web');
    const end = `${copied.team.name}.${copied.region.httpDomain}`;
    const byPlace = (one: any, other: any) =>
      `${one.component} ${one.path}` < `${other.component} ${other.path}` ? -1 : 1;
    const rules = copied.gatewayRules.http.nodes
      .map(({ port: { component }, ...rule }: any) => ({
        component: component.name,
        ...rule,
        domain: rule.domain.replace(component.alias, component.name).replace(alias, 'web'),
      }))
      .sort(byPlace);
    const plain = { weight: 100, pathRewrite: false, autoSsl: false };
    const api = { domain: `80.web.${end}`, path: '/api', autoSsl: false, isDefault: false };
    const ofPort = (component: string, number: number) => ({
      ...{ component, domain: `${number}.${component}.${end}`, path: '/', ...plain, isDefault: true },
    });
    expect(rules).toEqual([
      ofPort('alone', 80),
      ofPort('api', 8080),
      { component: 'api', ...api, weight: 100, pathRewrite: true },
      ofPort('next', 8080),
      { component: 'next', ...api, weight: 10, pathRewrite: false },
      ofPort('web', 80),
    ]);
  });

  it('has the default address of a port at the path that shared a domain', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const domain = `${unique('shop')}.example`;
    for (const [name, path] of [
      ['api', '/api'],
      ['web', '/'],
    ] as const) {
      const { componentId } = await trellis.createComponent(appId, { name });
      const { id } = await trellis.addPort(componentId, 80);
      await trellis.succeed('openOuterService', { port: { id } }, '__typename');
      const query = '{ node(id: $id) { ... on Port { gatewayRules { http { nodes { id } } } } } }';
      const { node } = await trellis.data(`query ($id: ID!) ${query}`, { id });
      const rule = { id: node.gatewayRules.http.nodes[0].id };
      await trellis.succeed('updateHttpRule', { rule, domain, path }, '__typename');
    }
    const made = await copy(trellis, { application: { appId }, name: 'copy' });
    const rules = await trellis.services.db.transaction((tx) =>
      tx.httpRule.findMany({
        where: { applicationId: made.application!.appId },
        orderBy: { path: 'asc' },
        include: { component: true },
      }),
    );
    expect(rules.map((rule) => [rule.component.name, rule.path, rule.isDefault, rule.wasDefault])).toEqual([
      ['web', '/', true, false],
      ['api', '/api', false, true],
    ]);
    const [web] = rules;
    expect(rules.map((rule) => rule.domain.split('.').slice(0, 2).join('.'))).toEqual(
      rules.map(() => `80.${web!.component.alias}`),
    );
  });

  it('has its own addresses in variables and files', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const { componentId, alias } = await trellis.createComponent(appId, { name: 'web' });
    const { id } = await trellis.addPort(componentId, 80);
    await trellis.succeed('openOuterService', { port: { id } }, '__typename');
    const { region } = await trellis.data('query ($by: RegionRef!) { region(by: $by) { httpDomain } }', {
      by: { name: place.region.name },
    });
    const end = `${place.team.name}.${region.httpDomain}`;
    const texts = (name: string) => [
      `http://80.${name}.${end}/a, 80.${name}.${end}.`,
      // Those of others, and names below and beside it.
      `80.other.${end} 81.${name}.${end} 80.${name}.${end}.org x.80.${name}.${end} 80.${name}.${end}-x`,
    ];
    const [changed, same] = texts(alias) as [string, string];
    const component = { componentId };
    const set = [
      { name: 'URL', value: changed },
      { name: 'OTHERS', value: same },
      { name: 'SECRET_URL', value: changed },
    ];
    await trellis.succeed('setVariables', { component, set }, '__typename');
    const file = { name: 'conf', path: '/conf', type: 'config-file', fileContent: changed };
    await trellis.succeed('addVolume', { component, ...file }, '__typename');
    const made = await copy(trellis, { application: { appId }, name: 'copy' });
    expect(shortly(made.omitted)).toEqual(['address web URL', 'address web conf']);
    const { web } = (await componentsOf(made.application!.appId)).byName;
    const [renamed] = texts(web.alias) as [string];
    expect(web.variables.nodes.map(({ value }: { value: string }) => value)).toEqual([
      same,
      changed,
      renamed,
    ]);
    expect(web.volumes.nodes).toEqual([{ name: 'conf', fileContent: renamed }]);
    expect(web.accessUrls).toEqual([`http://80.${web.alias}.${end}/`]);
  });

  it('gets other images and variables', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, document(unique('shop')));
    const input = {
      application: { appId: application.appId },
      name: 'copy',
      images: [{ component: 'web', image: 'nginx:1.29' }],
      variables: [
        { component: 'web', name: 'MODE', value: 'two' },
        { component: 'web', name: 'API_TOKEN', value: 'other' },
        { component: 'db', name: 'NEW', value: 'x' },
      ],
      secrets: 'OMIT',
      volumes: 'OMIT',
    };
    const made = await copy(trellis, input);
    expect(shortly(made.omitted)).toContain('volume web data');
    expect(shortly(made.omitted).filter((each) => each.startsWith('secret'))).toEqual([]);
    const { byName } = await componentsOf(made.application!.appId);
    expect(byName.web.variables.nodes).toEqual([
      { name: 'API_TOKEN', value: 'other', isSecret: true },
      { name: 'MODE', value: 'two', isSecret: false },
    ]);
    expect(byName.web.volumes.nodes).toEqual([{ name: 'conf', fileContent: 'one' }]);
    expect(byName.db.variables.nodes).toEqual([{ name: 'NEW', value: 'x', isSecret: false }]);
    const refused = await tryCopy(trellis, {
      ...input,
      name: 'other',
      images: [...input.images, { component: 'gone', image: 'a' }, input.images[0]],
      variables: [...input.variables, input.variables[0]],
    });
    const issues = refused.issues.map(({ path, message }: { path: string[]; message: string }) => [
      path.join('.'),
      message,
    ]);
    expect(issues).toEqual([
      ['input.images.1.component', 'Unknown component'],
      ['input.images.2.component', 'Duplicate component'],
      ['input.variables.3.name', 'Duplicate name'],
    ]);
  });

  it('needs the right to read the secrets that it copies', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, document(unique('shop')));
    const input = { application: { appId: application.appId }, name: 'copy' };
    const { token } = await trellis.createMember(place.team.teamId, 'DEVELOPER');
    const grants = [{ actions: ['COPY_APPLICATION'], team: { teamId: place.team.teamId } }];
    const narrow = await trellis.succeed('createAccessToken', { name: 'copies', grants }, 'secret', token);
    expect(await tryCopy(trellis, input, narrow.secret)).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('`secrets` to OMIT'),
    });
    const made = await copy(trellis, { ...input, secrets: 'OMIT' }, narrow.secret);
    expect(shortly(made.omitted)).toContain('secret web API_TOKEN');
    const { byName } = await componentsOf(made.application!.appId);
    expect(byName.web.variables.nodes).toEqual([{ name: 'MODE', value: 'one', isSecret: false }]);
  });

  it('goes into another team and region with the rights of both', async () => {
    const [place, other] = [await trellis.createPlace(), await trellis.createPlace()];
    const { application } = await apply(trellis, place, document(unique('shop')));
    const outside = await trellis.createApplication(place);
    const { componentId } = await trellis.createComponent(outside.appId);
    const { byName: before } = await componentsOf(application.appId);
    const pair = { component: { componentId: before.web.uid }, dependency: { componentId } };
    await trellis.succeed('addDependency', pair, '__typename');
    const input = { application: { appId: application.appId }, name: 'copy' };
    const within = await copy(trellis, input);
    const { byName } = await componentsOf(within.application!.appId);
    expect(byName.web.dependencies.nodes).toContainEqual({ uid: componentId });
    const elsewhere = { ...input, ...refsOf(other) };
    const { token } = await trellis.createMember(place.team.teamId, 'DEVELOPER');
    expect((await tryCopy(trellis, elsewhere, token)).code).toBe('NOT_FOUND');
    const { token: foreign } = await trellis.createMember(other.team.teamId, 'DEVELOPER');
    expect((await tryCopy(trellis, elsewhere, foreign)).code).toBe('NOT_FOUND');
    const made = await copy(trellis, elsewhere);
    expect(made.omitted.filter(({ kind }) => kind === 'DEPENDENCY')).toEqual([
      expect.objectContaining({ component: 'web', reason: 'It is in another team or region.' }),
    ]);
    const copied = await componentsOf(made.application!.appId);
    expect(copied.byName.web.dependencies.nodes).toEqual([{ uid: copied.byName.db.uid }]);
  });

  it('is null as the original of a copy for those who do not see it, and after its deletion', async () => {
    const [place, other] = [await trellis.createPlace(), await trellis.createPlace()];
    const { appId } = await trellis.createApplication(place);
    const made = await copy(trellis, { application: { appId }, name: 'copy', ...refsOf(other) });
    const { token } = await trellis.createMember(other.team.teamId, 'VIEWER');
    const query = 'query ($by: ApplicationRef!) { application(by: $by) { copyOf { uid } } }';
    const by = { by: { appId: made.application!.appId } };
    expect((await trellis.data(query, by)).application.copyOf).toEqual({ uid: appId });
    expect((await trellis.data(query, by, token)).application.copyOf).toBeNull();
    await trellis.succeed('deleteApplication', { application: { appId } }, '__typename');
    expect((await trellis.data(query, by)).application.copyOf).toBeNull();
  });

  it('does not tell another team the name of the original', async () => {
    const place = await trellis.createPlace();
    const name = unique('shop');
    const { appId } = await trellis.createApplication(place, name);
    const other = await trellis.createPlace();
    const input = { application: { appId }, name: unique('copy'), ...refsOf(other) };
    await copy(trellis, input);
    const { token } = await trellis.createMember(other.team.teamId, 'VIEWER');
    const summariesFor = async (by?: string) => {
      const query = `query ($by: TeamRef!) { team(by: $by) { events(action: "application.copy") { nodes { summary } } } }`;
      return (await trellis.data(query, { by: { teamId: other.team.teamId } }, by)).team.events.nodes;
    };
    expect(await summariesFor()).toEqual([{ summary: `${input.name} is a copy of ${name}` }]);
    expect(await summariesFor(token)).toEqual([{ summary: `${input.name} is a copy` }]);
  });

  it('can be upgraded as the original', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const { install, upgrade } = await createTemplate(trellis, appId);
    await trellis.succeed('installApplication', install, '__typename');
    const made = await copy(trellis, { application: { appId }, name: 'copy' });
    const copied = { appId: made.application!.appId };
    const outcome = 'outcomes { fromVersion toVersion changes { kind name before after } }';
    const of = async (application: object) =>
      (await trellis.succeed('upgradeApplication', { ...upgrade, application }, outcome)).outcomes;
    const upgraded = await of(copied);
    expect(upgraded).toMatchObject([{ fromVersion: '1.0.0', toVersion: '2.0.0' }]);
    expect(upgraded).toEqual(await of({ appId }));
  });

  it('leaves a component stopped that lacks what its template requires', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const edit = (app: { service_env_map_list: object[] }, index: number) => {
      const variable = { attr_name: index === 0 ? 'ADMIN_PASSWORD' : 'OTHER_PASSWORD' };
      app.service_env_map_list.push(
        index === 0 ? { ...variable, is_required: true } : { ...variable, attr_value: 'x' },
      );
    };
    const { key, text } = ringTemplate(2, { edit });
    await trellis.succeed('publishTemplate', { template: text }, '__typename');
    const install = {
      application: { appId },
      store: { url: trellis.url, domain: 'self', accessKey: trellis.adminToken },
      templateId: key,
      version: '1.0.0',
      deploy: true,
      variables: [{ component: 'part-0', name: 'ADMIN_PASSWORD', value: 'hush' }],
    };
    await trellis.succeed('installApplication', install, '__typename');
    const input = { application: { appId }, name: 'copy', secrets: 'OMIT', deploy: true };
    const made = await copy(trellis, input);
    expect(made.leftStopped).toEqual(['part-0']);
    expect(made.omitted).toEqual([
      { kind: 'SECRET', component: 'part-0', name: 'ADMIN_PASSWORD', reason: 'Secrets are left out.' },
      { kind: 'SECRET', component: 'part-1', name: 'OTHER_PASSWORD', reason: 'Secrets are left out.' },
      {
        kind: 'COMPONENT',
        component: 'part-0',
        name: 'part-0',
        reason: 'Its template requires the variable ADMIN_PASSWORD: the component is not deployed.',
      },
    ]);
    const states = async ({ application }: Copy) => {
      const { byName } = await componentsOf(application!.appId);
      return [byName['part-0'].deployState, byName['part-1'].deployState];
    };
    expect(await states(made)).toEqual(['NOT_DEPLOYED', 'RUNNING']);
    const variables = [{ component: 'part-0', name: 'ADMIN_PASSWORD', value: 'other' }];
    const whole = await copy(trellis, { ...input, name: 'whole', variables });
    expect([whole.leftStopped, await states(whole)]).toEqual([[], ['RUNNING', 'RUNNING']]);
    // The access key of a store stays with its team.
    const other = await trellis.createPlace();
    const elsewhere = await copy(trellis, { ...input, ...refsOf(other) });
    expect(elsewhere.omitted).toContainEqual({
      kind: 'STORE',
      component: null,
      name: 'Ring of 2',
      reason: `Its access key belongs to the team ${place.team.name}: the copy cannot be upgraded.`,
    });
  });

  it('deploys what runs in the original', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, document(unique('shop')));
    const { byName } = await componentsOf(application.appId);
    await trellis.succeed(
      'stopComponent',
      { component: { componentId: byName.db.uid }, force: true },
      '__typename',
    );
    const input = { application: { appId: application.appId }, name: 'copy', deploy: true };
    const planned = await copy(trellis, { ...input, dryRun: true });
    expect(planned.leftStopped).toEqual(['db']);
    const made = await copy(trellis, input);
    expect(made.leftStopped).toEqual(['db']);
    const copied = await componentsOf(made.application!.appId);
    expect([copied.byName.web.deployState, copied.byName.db.deployState]).toEqual(['RUNNING', 'STOPPED']);
  });

  it('refuses a name that is taken', async () => {
    const place = await trellis.createPlace();
    const { appId, name } = await trellis.createApplication(place);
    expect(await tryCopy(trellis, { application: { appId }, name })).toMatchObject({
      code: 'CONFLICT',
      message: `The team ${place.team.name} already has an application named ${name} in the region ${place.region.name}.`,
    });
  });
});
