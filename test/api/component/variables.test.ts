import { describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();

const query = `query V($id: String!, $scope: VariableScope) { component(by: { componentId: $id }) {
  variables(first: 100, scope: $scope) { totalCount nodes { id name value isSecret isDerived scope portNumber } } } }`;

async function variables(componentId: string, options: { token?: string; scope?: string } = {}) {
  const { component } = await trellis.data(query, { id: componentId, scope: options.scope }, options.token);
  expect(component.variables.totalCount).toBe(component.variables.nodes.length);
  return component.variables.nodes as any[];
}

const valuesOf = async (componentId: string, token?: string) =>
  Object.fromEntries((await variables(componentId, { token })).map(({ name, value }) => [name, value]));

const stored = async (...tables: string[]) =>
  JSON.stringify(
    await Promise.all(tables.map((table) => trellis.services.db.query(`SELECT * FROM "${table}"`, []))),
  );

describe.runIf(databaseKind === 'sqlite')('the variables of some components', () => {
  it('are read without those of all others', async () => {
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    const parts = [await trellis.createComponent(appId), await trellis.createComponent(appId)];
    trellis.statements.length = 0;
    await trellis.data(
      `query($id: Int!) { application(by: { appId: $id }) {
        components { nodes { variables { nodes { name value } } } } } }`,
      { id: appId },
    );
    const [text] = trellis.statements.filter((each) => each.includes('"environment_variable"'));
    const params = [JSON.stringify(parts.map(({ componentId }) => componentId)), 10];
    const plan = await trellis.services.db.query(`EXPLAIN QUERY PLAN ${text}`, params);
    expect(plan.join()).toContain('SEARCH environment_variable');
    expect(plan.join()).not.toContain('SCAN environment_variable');
  });
});

describe('a secret variable', () => {
  it('is recognized by its name, unless the caller says otherwise', async () => {
    const { application } = await trellis.createAll();
    const given = [
      ['DB_PASSWORD', undefined, true],
      ['client_secret', null, true],
      ['API_TOKEN', undefined, true],
      ['TLS_PRIVATE_KEY', undefined, true],
      ['AWS_ACCESS_KEY_ID', undefined, true],
      ['PUBLIC_KEY', undefined, false],
      ['TOKEN_LIFETIME', false, false],
      ['PIN', true, true],
    ] as const;
    const { componentId } = await trellis.createComponent(application.appId, {
      variables: given.map(([name, isSecret]) => ({ name, value: `of ${name}`, isSecret })),
    });
    const shown = await variables(componentId);
    expect(shown.map(({ name, isSecret }) => [name, isSecret])).toEqual(
      given
        .map(([name, , isSecret]) => [name, isSecret])
        .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
    );
    for (const { name, value } of shown) expect(value).toBe(`of ${name}`);
  });

  it('is readable by developers, null for viewers, and encrypted in the database', async () => {
    const { application, team } = await trellis.createAll();
    const value = unique('hunter2');
    const { componentId } = await trellis.createComponent(application.appId, {
      variables: [
        { name: 'ADMIN_PASSWORD', value },
        { name: 'MODE', value: 'fast' },
      ],
    });
    const developer = await trellis.createMember(team.teamId, 'DEVELOPER');
    const viewer = await trellis.createMember(team.teamId, 'VIEWER');
    expect(await valuesOf(componentId, developer.token)).toEqual({ ADMIN_PASSWORD: value, MODE: 'fast' });
    expect(await valuesOf(componentId, viewer.token)).toEqual({ ADMIN_PASSWORD: null, MODE: 'fast' });
    const [{ id }] = await variables(componentId);
    const node = '{ node(id: "ID") { ... on EnvironmentVariable { value } } }'.replace('ID', id);
    expect((await trellis.data(node, {}, developer.token)).node).toEqual({ value });
    expect((await trellis.data(node, {}, viewer.token)).node).toEqual({ value: null });
    expect(await stored('environment_variable', 'event')).not.toContain(value);
  });

  it('of a template is encrypted, and hidden in plans and upgrade reports', async () => {
    const { installed, upgrade, componentsOf } = upgradesOf(trellis);
    const secrets = [unique('first'), unique('second'), unique('third')];
    const withSecret =
      (secret: string): Edit =>
      (app) =>
        app.service_env_map_list.push(
          { attr_name: 'ROOT_PASSWORD', attr_value: secret },
          { attr_name: 'SIGNATURE', attr_value: secret, is_secret: true },
          { attr_name: 'TOKEN_COUNT', attr_value: secret.length, is_secret: false },
        );
    const { appId, key, components } = await installed(1, secrets.map(withSecret));
    const valueNow = async () => (await valuesOf(components[0].uid)).ROOT_PASSWORD;
    expect(await valueNow()).toBe(secrets[0]);
    expect((await valuesOf(components[0].uid)).SIGNATURE).toBe(secrets[0]);
    for (const [index, version] of ['2.0.0', '3.0.0'].entries()) {
      const plan = await upgrade(appId, key, version, true);
      const done = await upgrade(appId, key, version);
      expect(plan.outcomes).toEqual(done.outcomes);
      const change = { kind: 'SET_VARIABLE', component: 'part-0', before: '[redacted]', after: '[redacted]' };
      for (const name of ['ROOT_PASSWORD', 'SIGNATURE']) {
        expect(done.outcomes[0].changes).toContainEqual({ ...change, name });
      }
      expect(await valueNow()).toBe(secrets[index + 1]);
    }
    expect((await componentsOf(appId))[0].uid).toBe(components[0].uid);
    const rows = await stored('environment_variable', 'component_group', 'upgrade_record', 'event');
    for (const secret of secrets) expect(rows).not.toContain(secret);
    expect(rows).toContain('[redacted]');
  });
});

describe('connection variables', () => {
  it('follow the ports that are open inside', async () => {
    const { application } = await trellis.createAll();
    const { componentId, alias } = await trellis.createComponent(application.appId);
    const values = () => valuesOf(componentId);
    expect(await values()).toEqual({});
    const added = await trellis.addPort(componentId, 80, { alias: 'WEB', isInner: true });
    expect(await values()).toEqual({ WEB_HOST: alias, WEB_PORT: '80' });
    await trellis.addPort(componentId, 81, { alias: 'ADMIN' });
    expect(await values()).toEqual({ WEB_HOST: alias, WEB_PORT: '80' });
    const ref = { port: { id: added.id } };
    const domain = unique('shop');
    await trellis.succeed('changePortAlias', { ...ref, alias: 'SHOP', serviceName: domain }, 'port { id }');
    expect(await values()).toEqual({ SHOP_HOST: domain, SHOP_PORT: '80' });
    await trellis.succeed('closeInnerService', ref, 'port { id }');
    expect(await values()).toEqual({});
    await trellis.succeed('openInnerService', ref, 'port { id }');
    expect(await values()).toEqual({ SHOP_HOST: domain, SHOP_PORT: '80' });
    await trellis.succeed('deletePort', ref, 'port { id }');
    expect(await values()).toEqual({});
  });

  it('are listed by name with the other variables, paged, and found by id', async () => {
    const { application } = await trellis.createAll();
    const { componentId } = await trellis.createComponent(application.appId, {
      variables: [
        { name: 'A', value: '1' },
        { name: 'M_HOST', value: 'own', scope: 'ENVIRONMENT' },
        { name: 'Z_HOST', value: 'db.example', scope: 'CONNECTION', portNumber: 3 },
      ],
    });
    for (const [number, alias] of [
      [1, 'B'],
      [2, 'M'],
      [3, 'Z'],
    ] as const) {
      await trellis.addPort(componentId, number, { alias, isInner: true });
    }
    const all = await variables(componentId);
    expect(all.map(({ name, isDerived }) => `${name} ${isDerived}`)).toEqual([
      'A false',
      'B_HOST true',
      'B_PORT true',
      // Of two scopes; by id where the names are the same.
      'M_HOST true',
      'M_HOST false',
      'M_PORT true',
      'Z_HOST false',
      'Z_PORT true',
    ]);
    expect(all.find(({ name }) => name === 'Z_HOST').value).toBe('db.example');
    expect(all[2]).toMatchObject({ value: '1', isSecret: false, scope: 'CONNECTION', portNumber: 1 });
    expect((await variables(componentId, { scope: 'ENVIRONMENT' })).map(({ name }) => name)).toEqual([
      'A',
      'M_HOST',
    ]);
    expect(await variables(componentId, { scope: 'CONNECTION' })).toHaveLength(6);
    for (const [size, from] of [
      ['first', 'after'],
      ['last', 'before'],
    ] as const) {
      const names: string[] = [];
      let cursor: string | null = null;
      do {
        const { component }: any = await trellis.data(
          `query P($id: String!, $cursor: String) { component(by: { componentId: $id }) { variables(${size}: 3, ${from}: $cursor) {
            totalCount edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
          { id: componentId, cursor },
        );
        const { edges, pageInfo, totalCount }: any = component.variables;
        expect(totalCount).toBe(8);
        const ids = edges.map(({ node }: any) => node.id);
        if (size === 'first') names.push(...ids);
        else names.unshift(...ids);
        cursor =
          size === 'first'
            ? pageInfo.hasNextPage && pageInfo.endCursor
            : pageInfo.hasPreviousPage && pageInfo.startCursor;
      } while (cursor);
      expect(names).toEqual(all.map(({ id }) => id));
    }
    const nodes = `query N($ids: [ID!]!) { nodes(ids: $ids) { ... on EnvironmentVariable { id name value isDerived } } }`;
    const ids = all.map(({ id }) => id);
    expect((await trellis.data(nodes, { ids })).nodes).toEqual(
      all.map(({ id, name, value, isDerived }) => ({ id, name, value, isDerived })),
    );
    const stranger = await trellis.createMember((await trellis.createPlace()).team.teamId, 'OWNER');
    expect((await trellis.data(nodes, { ids }, stranger.token)).nodes).toEqual(ids.map(() => null));
    await trellis.succeed(
      'closeInnerService',
      { port: { at: { component: { componentId }, number: 1 } } },
      'port { id }',
    );
    expect((await trellis.data(nodes, { ids: [ids[1]] })).nodes).toEqual([null]);
  });

  once('are read with the same number of statements however many there are', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const read = async () => {
      trellis.statements.length = 0;
      await trellis.data(
        `{ application(by: { appId: ${appId} }) { components(first: 50) { nodes { variables(first: 2) { totalCount nodes { name value } } } } } }`,
      );
      return trellis.statements.filter((text) => text.startsWith('SELECT')).length;
    };
    const add = async (ports: number) => {
      const { componentId } = await trellis.createComponent(appId, {
        variables: [{ name: 'KEY_TOKEN', value: 'x' }],
      });
      for (let number = 1; number <= ports; number++) {
        await trellis.addPort(componentId, number, { isInner: true });
      }
    };
    await add(1);
    await read();
    const few = await read();
    for (const ports of [3, 0, 2]) await add(ports);
    expect(await read()).toBe(few);
  });
});

/** A tracing application: one component whose ports go by three inner domains. */
const tracing: Edit = (app) => {
  const port = (number: number, alias: string, name: string) => ({
    container_port: number,
    protocol: 'http',
    port_alias: alias,
    is_inner_service: true,
    cluster_service_name: name,
  });
  app.port_map_list = [
    port(5778, 'AGENT', 'jaeger'),
    port(16686, 'QUERY', 'jaeger-query'),
    port(14268, 'COLLECTOR', 'jaeger-collector'),
    port(9411, 'ZIPKIN', 'jaeger-collector'),
  ];
  app.service_connect_info_map_list = [
    { attr_name: 'AGENT_HOST', attr_value: 'jaeger', container_port: 5778 },
    { attr_name: 'AGENT_PORT', attr_value: '5778', container_port: 5778 },
    { attr_name: 'QUERY_HOST', attr_value: 'jaeger-query', container_port: 16686 },
    { attr_name: 'QUERY_PORT', attr_value: 16686, container_port: 16686 },
    { attr_name: 'COLLECTOR', attr_value: 'jaeger-collector', container_port: 14268 },
    { attr_name: 'SAMPLING', attr_value: 'all' },
  ];
};

describe('a component with several inner domains', () => {
  const { installed, install, changesOf } = upgradesOf(trellis);
  const namesOf = async (componentId: string) => {
    const { component } = await trellis.data(
      `{ component(by: { componentId: "${componentId}" }) { serviceName ports { nodes { number serviceName additionalName } } } }`,
    );
    return {
      serviceName: component.serviceName,
      ports: Object.fromEntries(component.ports.nodes.map((port: any) => [port.number, port.additionalName])),
    };
  };

  it('keeps the first one, and the others with their ports', async () => {
    const { appId, key, components } = await installed(1, [tracing, tracing]);
    const [{ uid }] = components;
    expect(await namesOf(uid)).toEqual({
      serviceName: 'jaeger',
      ports: { 5778: null, 9411: 'jaeger-collector', 14268: 'jaeger-collector', 16686: 'jaeger-query' },
    });
    const connections = {
      AGENT_HOST: 'jaeger',
      AGENT_PORT: '5778',
      COLLECTOR: 'jaeger-collector',
      COLLECTOR_HOST: 'jaeger-collector',
      COLLECTOR_PORT: '14268',
      INDEX: '0',
      QUERY_HOST: 'jaeger-query',
      QUERY_PORT: '16686',
      SAMPLING: 'all',
      ZIPKIN_HOST: 'jaeger-collector',
      ZIPKIN_PORT: '9411',
    };
    expect(await valuesOf(uid)).toEqual(connections);
    const own = (await variables(uid)).filter(({ isDerived }) => !isDerived).map(({ name }) => name);
    expect(own).toEqual(['COLLECTOR', 'INDEX', 'SAMPLING']);

    // What somebody renames, the template has left alone: an upgrade changes neither the names nor the variables.
    const ref = { at: { component: { componentId: uid }, number: 5778 } };
    const chosen = { port: ref, alias: 'AGENT', serviceName: 'tracing' };
    await trellis.succeed('changePortAlias', chosen, 'port { id }');
    const renamed = { ...connections, AGENT_HOST: 'tracing' };
    expect(await valuesOf(uid)).toEqual(renamed);
    expect((await changesOf(appId, key)).filter((each) => /VARIABLE|PORT|serviceName/.test(each))).toEqual(
      [],
    );
    expect(await valuesOf(uid)).toEqual(renamed);
  });

  it('shares no domain with another component of the team in the region', async () => {
    const { appId, key, components } = await installed(1, [tracing]);
    const second = await install(appId, key);
    const { application } = await trellis.data(
      `{ application(by: { appId: ${appId} }) { components { nodes { uid group { uid } } } } }`,
    );
    const other = application.components.nodes.find((each: any) => each.group.uid === second.group.uid);
    expect(await namesOf(other.uid)).toEqual({
      serviceName: 'jaeger-2',
      ports: {
        5778: null,
        9411: 'jaeger-collector-2',
        14268: 'jaeger-collector-2',
        16686: 'jaeger-query-2',
      },
    });
    expect((await valuesOf(other.uid)).COLLECTOR).toBe('jaeger-collector-2');
    const { componentId } = await trellis.createComponent(appId);
    const { id } = await trellis.addPort(componentId, 80);
    const wanted = { port: { id }, alias: 'X', serviceName: 'jaeger-query' };
    expect(await trellis.attempt('changePortAlias', wanted)).toMatchObject({
      code: 'CONFLICT',
      message: 'The service name jaeger-query belongs to another component of the team in this region.',
    });
    const named = await trellis.createComponent(appId, { alias: 'jaeger-query' });
    const port = { component: { componentId: named.componentId }, number: 80, protocol: 'HTTP' };
    expect(await trellis.attempt('addPort', port)).toMatchObject({ code: 'CONFLICT' });
    // Another team, or another region, has its own names.
    const elsewhere = await trellis.createApplication(await trellis.createPlace());
    await install(elsewhere.appId, key);
    expect((await namesOf(components[0].uid)).serviceName).toBe('jaeger');
  });

  it('gains and loses domains with the versions of its template', async () => {
    const plain: Edit = (app) => {
      tracing(app, 0);
      for (const port of app.port_map_list) port.cluster_service_name = 'jaeger';
      app.service_connect_info_map_list = [];
    };
    const { appId, key, components } = await installed(1, [plain, tracing, plain]);
    expect(Object.values((await namesOf(components[0].uid)).ports)).toEqual([null, null, null, null]);
    expect(await changesOf(appId, key)).toContain('SET_PORT part-0 16686 additionalName null jaeger-query');
    expect((await namesOf(components[0].uid)).ports['16686']).toBe('jaeger-query');
    await changesOf(appId, key, '3.0.0');
    expect(Object.values((await namesOf(components[0].uid)).ports)).toEqual([null, null, null, null]);
  });
});
