import { beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();
let { installed, install, upgrade, componentsOf, store } = {} as ReturnType<typeof upgradesOf>;
beforeAll(async () => {
  ({ installed, install, upgrade, componentsOf, store } = upgradesOf(trellis));
});

const same: Edit = () => {};

describe('upgradeApplication', () => {
  it('moves a port to another number with its alias, and swaps the aliases of two ports', async () => {
    const { appId, key } = await installed(1, [
      (app) =>
        app.port_map_list.push(
          { container_port: 80, protocol: 'http', port_alias: 'WEB' },
          { container_port: 81, protocol: 'http', port_alias: 'ADMIN' },
        ),
      (app) => {
        app.port_map_list[0].container_port = 9090;
        app.port_map_list.push(
          { container_port: 80, protocol: 'http', port_alias: 'ADMIN' },
          { container_port: 81, protocol: 'http', port_alias: 'WEB' },
        );
      },
    ]);
    expect(await upgrade(appId, key)).toMatchObject({ __typename: 'UpgradeApplicationPayload' });
    const [component] = await componentsOf(appId);
    expect(component.ports.nodes.map(({ number, alias }: any) => [number, alias])).toEqual([
      [80, 'ADMIN'],
      [81, 'WEB'],
      [9090, 'PART0_8080'],
    ]);
  });

  it('updates the inner domain and the variables that contain it', async () => {
    const named =
      (name: string): Edit =>
      (app) => {
        app.port_map_list[0].cluster_service_name = name;
        app.service_connect_info_map_list = [{ attr_name: 'HOST', attr_value: name, is_change: false }];
      };
    const { appId, key } = await installed(1, [named('redis'), named('valkey')]);
    const { outcomes } = await upgrade(appId, key);
    expect(outcomes[0].changes).toContainEqual({
      kind: 'SET',
      component: 'part-0',
      name: 'serviceName',
      before: 'redis',
      after: 'valkey',
    });
    const [component] = await componentsOf(appId);
    expect(component.serviceName).toBe('valkey');
    expect(component.variables.nodes).toContainEqual({ name: 'HOST', value: 'valkey' });
  });

  it('keeps a port whose custom rule would become invalid, and moves a port without one', async () => {
    const protocol =
      (name: string): Edit =>
      (app) =>
        Object.assign(app.port_map_list[0], { protocol: name, is_outer_service: true });
    const { appId, key, components } = await installed(2, [protocol('http'), protocol('tcp')]);
    await trellis.succeed(
      'createHttpRule',
      {
        application: { appId },
        component: { componentId: components[0].uid },
        portNumber: 8080,
        domain: `${unique('www')}.example`,
      },
      'rule { uid }',
    );
    await upgrade(appId, key);
    const [bound, free] = await componentsOf(appId);
    expect(bound.ports.nodes[0]).toMatchObject({ protocol: 'HTTP', isOuter: true });
    expect(bound.accessUrls).toHaveLength(2);
    expect(free.ports.nodes[0]).toMatchObject({ protocol: 'TCP', isOuter: true });
    expect(free.gatewayRules.http.nodes).toEqual([]);
    expect(free.gatewayRules.tcp.nodes).toHaveLength(1);
  });

  it('creates the routes of new ports, and moves volumes', async () => {
    const { appId, key } = await installed(
      1,
      [
        same,
        (app) => {
          app.port_map_list.push({
            container_port: 9090,
            protocol: 'http',
            port_alias: 'API',
            is_outer_service: true,
          });
          app.service_volume_map_list[0].volume_path = '/data2';
        },
      ],
      (template, version) => {
        if (version === 2)
          template.ingress_http_routes = [
            { component_key: template.apps[0].service_key, port: 9090, location: '/api' },
          ];
      },
    );
    await upgrade(appId, key);
    const [component] = await componentsOf(appId);
    expect(component.gatewayRules.http.nodes).toEqual([{ path: '/api', isDefault: true }]);
    expect(component.volumes.nodes).toEqual([{ name: 'data', path: '/data2' }]);
  });

  it('releases the inner domain when the last port is removed', async () => {
    const { appId, key } = await installed(1, [same, (app) => (app.port_map_list = [])]);
    await upgrade(appId, key);
    expect(await componentsOf(appId)).toMatchObject([{ serviceName: null, ports: { nodes: [] } }]);
  });

  it('makes a removed component unreachable, and reachable again when it returns', async () => {
    const valued =
      (value: string): Edit =>
      (app) => {
        app.port_map_list[0].is_outer_service = true;
        app.service_env_map_list[0].attr_value = value;
      };
    const { appId, key } = await installed(
      2,
      [valued('one'), valued('two'), valued('three')],
      (template, version) => {
        if (version !== 2) return;
        template.apps.pop();
        template.apps[0].dep_service_map_list = [];
      },
    );
    await upgrade(appId, key);
    expect((await componentsOf(appId))[1]).toMatchObject({ status: 'STOPPED', accessUrls: [] });
    await upgrade(appId, key, '3.0.0');
    const [, back] = await componentsOf(appId);
    expect(back.status).toBe('RUNNING');
    expect(back.variables.nodes).toEqual([
      { name: 'INDEX', value: 'three' },
      { name: 'PART1_8080_HOST', value: 'part-1' },
      { name: 'PART1_8080_PORT', value: '8080' },
    ]);
    const { application } = await trellis.data(
      `{ application(by: { appId: ${appId} }) { components { nodes { releaseCount } } } }`,
    );
    // Closing a component is no deploy, and bringing it back is one.
    expect(application.components.nodes.map(({ releaseCount }: any) => releaseCount)).toEqual([3, 2]);
  });

  it('records an event whatever the name of the template', async () => {
    const { appId, key, place } = await installed(1, [same, same], (template) => {
      template.group_name = 'folded';
    });
    await upgrade(appId, key);
    const { team } = await trellis.data(
      `{ team(by: { teamId: "${place.team.teamId}" }) { events(action: "application.upgrade") { nodes { changes { field after: newValue } } } } }`,
    );
    expect(team.events.nodes[0].changes).toContainEqual({
      field: 'templates',
      after: [{ templateId: key, version: '2.0.0' }],
    });
  });

  it('does not change the shown version of another template', async () => {
    const one = await installed(1, [same, same]);
    const other = await installed(1, [same, same], (template) => (template.group_name = 'Another ring'));
    await install(one.appId, other.key);
    const shown = async () =>
      (await trellis.data(`{ application(by: { appId: ${one.appId} }) { version } }`)).application.version;
    await upgrade(one.appId, other.key);
    expect(await shown()).toBe('1.0.0');
    await upgrade(one.appId, one.key);
    expect(await shown()).toBe('2.0.0');
  });

  it('uses the right one of two stores with the same name', async () => {
    const { appId, key } = await installed(1, [same, same]);
    const second = { ...store(), url: trellis.url.replace('127.0.0.1', 'localhost') };
    await trellis.succeed(
      'installApplication',
      { application: { appId }, store: second, templateId: key, version: '1.0.0' },
      'group { uid }',
    );
    expect(await upgrade(appId, key)).toMatchObject({ __typename: 'UpgradeApplicationPayload' });
    expect(await upgrade(appId, key)).toMatchObject({ __typename: 'UpgradeApplicationPayload' });
    expect(await upgrade(appId, key)).toMatchObject({ code: 'CONFLICT' });
  });

  it('is serialized with concurrent port changes', async () => {
    const edits = Array.from({ length: 5 }, () => same);
    const { appId, key, components } = await installed(30, edits);
    const ports = components.slice(0, 3).map((each) => each.ports.nodes[0].id);
    let isOver = false;
    const switching = ports.map(async (id) => {
      const codes = new Set<string>();
      while (!isOver) {
        for (const mutation of ['openOuterService', 'closeOuterService']) {
          codes.add((await trellis.attempt(mutation, { port: { id } })).__typename);
        }
      }
      return [...codes].sort();
    });
    for (let version = 2; version <= edits.length; version++) {
      expect(await upgrade(appId, key, `${version}.0.0`)).toMatchObject({
        __typename: 'UpgradeApplicationPayload',
      });
    }
    isOver = true;
    for (const codes of await Promise.all(switching)) {
      expect(codes).toEqual(['CloseOuterServicePayload', 'OpenOuterServicePayload']);
    }
  });
});

describe('installApplication with a large template', () => {
  once('writes in a few statements, however many ports it opens', async () => {
    const ring = ringTemplate(250, {
      edit: (app) => {
        app.port_map_list[0].is_outer_service = true;
        app.port_map_list.push({
          container_port: 90,
          protocol: 'tcp',
          port_alias: 'RAW',
          is_outer_service: true,
        });
      },
    });
    await trellis.succeed('publishTemplate', { template: ring.text }, 'template { uid }');
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    trellis.statements.length = 0;
    await install(appId, ring.key);
    expect(trellis.statements.length).toBeLessThan(150);
    const { application } = await trellis.data(
      `{ application(by: { appId: ${appId} }) { gatewayRules { http { totalCount } tcp { totalCount } } } }`,
    );
    expect(application.gatewayRules).toEqual({ http: { totalCount: 250 }, tcp: { totalCount: 250 } });
  });
});
