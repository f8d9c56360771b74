import { beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();
let { installed, install, upgrade, changesOf, componentsOf } = {} as ReturnType<typeof upgradesOf>;
beforeAll(async () => {
  ({ installed, install, upgrade, changesOf, componentsOf } = upgradesOf(trellis));
});

const same: Edit = () => {};

const volumes =
  (paths: { [name: string]: string }): Edit =>
  (app) => {
    app.service_volume_map_list = Object.entries(paths).map(([volume_name, volume_path]) => ({
      volume_name,
      volume_path,
      volume_type: 'share-file',
    }));
  };

const volumesAfter = async (appId: number) => {
  const [component] = await componentsOf(appId);
  return Object.fromEntries(component.volumes.nodes.map(({ name, path }: any) => [name, path]));
};

/** An inner domain, and a variable that tells it to those that depend on the component. */
const named =
  (...names: string[]): Edit =>
  (app, index) => {
    app.port_map_list[0].cluster_service_name = names[index];
    app.service_connect_info_map_list = [{ attr_name: 'HOST', attr_value: names[index], is_change: false }];
  };

const namesAfter = async (appId: number) =>
  (await componentsOf(appId)).map(({ serviceName, variables }) => [
    serviceName,
    variables.nodes.find(({ name }: any) => name === 'HOST').value,
  ]);

describe('upgradeApplication: components', () => {
  it('does not bring back a deleted one whose key is the name of what every object inherits', async () => {
    const keys = ['constructor', 'toString'];
    const { appId, key, components } = await installed(2, [same, same], ({ apps }) => {
      for (const [index, app] of apps.entries()) {
        app.service_key = app.service_id = keys[index];
        app.service_share_uuid = `${keys[index]}+${keys[index]}`;
        app.dep_service_map_list = [];
      }
    });
    const { uid } = components.find(({ name }) => name === 'part-0');
    await trellis.succeed('deleteComponent', { component: { componentId: uid }, force: true }, '__typename');
    const changes = await changesOf(appId, key);
    expect(changes.map((change) => change.split(' ')[1])).toEqual(['part-1', 'part-1']);
  });
});

describe('upgradeApplication: volumes', () => {
  it('keeps the path of a volume when the new path is used by another volume', async () => {
    const { appId, key } = await installed(1, [volumes({ data: '/x', old: '/y' }), volumes({ data: '/y' })]);
    await changesOf(appId, key);
    expect(await volumesAfter(appId)).toEqual({ data: '/x', old: '/y' });
  });

  it('is refused when a new volume would have the name of another in the cluster', async () => {
    const { appId, key } = await installed(1, [volumes({ data: '/x' }), volumes({ data: '/x', Data: '/y' })]);
    for (const dryRun of [true, false]) {
      expect(await upgrade(appId, key, '2.0.0', dryRun)).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('The volume Data'),
      });
    }
    expect(await volumesAfter(appId)).toEqual({ data: '/x' });
  });

  it('is refused when the instances of a component with an autoscaling could not share a new volume', async () => {
    const { appId, key, components } = await installed(1, [volumes({}), volumes({ data: '/x' })]);
    const autoscaling = { minReplicas: 1, maxReplicas: 3, cpuPercent: 50 };
    const component = { componentId: components[0].uid };
    await trellis.succeed('setAutoscaling', { component, ...autoscaling }, '__typename');
    for (const dryRun of [true, false]) {
      expect(await upgrade(appId, key, '2.0.0', dryRun)).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('cannot share the volume data'),
      });
    }
    expect(await volumesAfter(appId)).toEqual({});
  });

  it('swaps the paths of two volumes', async () => {
    const { appId, key } = await installed(1, [
      volumes({ x: '/x', y: '/y', z: '/z' }),
      volumes({ x: '/y', y: '/z', z: '/x' }),
    ]);
    expect(await changesOf(appId, key)).toEqual(
      expect.arrayContaining([
        'SET_VOLUME part-0 x /x /y',
        'SET_VOLUME part-0 y /y /z',
        'SET_VOLUME part-0 z /z /x',
      ]),
    );
    expect(await volumesAfter(appId)).toEqual({ x: '/y', y: '/z', z: '/x' });
  });

  it.each([[{ d: '/y', e: '/x' }], [{ e: '/x', d: '/y' }]])(
    'moves a volume to a path that another volume leaves: %j',
    async (paths) => {
      const { appId, key } = await installed(1, [volumes({ d: '/x' }), volumes(paths)]);
      expect(await changesOf(appId, key)).toEqual(
        expect.arrayContaining(['SET_VOLUME part-0 d /x /y', 'ADD_VOLUME part-0 /x null share-file']),
      );
      expect(await volumesAfter(appId)).toEqual({ d: '/y', e: '/x' });
    },
  );

  it('matches volumes by path when the name differs', async () => {
    const { appId, key } = await installed(1, [volumes({ d: '/x' }), volumes({ e: '/x' })]);
    await changesOf(appId, key);
    expect(await volumesAfter(appId)).toEqual({ d: '/x' });
  });
});

describe('upgradeApplication: what a user changed', () => {
  it('is kept, but for the image, the command and the resources', async () => {
    const version =
      (number: number): Edit =>
      (app) => {
        Object.assign(app, { service_cname: `named-${number}`, desc: `Text ${number}`, memory: number });
        app.share_image = `registry.example/part:${number}`;
      };
    const { appId, key, components } = await installed(1, [version(1), version(2), version(3)]);
    const component = { componentId: components[0].uid };
    const followed = ['SET named-1 image registry.example/part:1 registry.example/part:2'];
    expect(await changesOf(appId, key)).toEqual(
      expect.arrayContaining([...followed, 'SET named-1 name named-1 named-2']),
    );
    const mine = { name: 'Mine', image: 'registry.example/part:mine', memoryMiB: 9 };
    await trellis.succeed('updateComponent', { component, ...mine }, 'component { uid }');
    const changes = await changesOf(appId, key, '3.0.0');
    expect(changes).toContain('SET Mine image registry.example/part:mine registry.example/part:3');
    expect(changes).toContain('SET Mine description Text 2 Text 3');
    expect(changes.filter((line) => line.startsWith('SET Mine name'))).toEqual([]);
    expect((await componentsOf(appId))[0].name).toBe('Mine');
  });
});

describe('upgradeApplication: inner domains', () => {
  it('adds a suffix to a domain that is taken, and shows it in the plan, the upgrade report and the variables', async () => {
    const { appId, key, place } = await installed(1, [named('old'), named('new')]);
    await trellis
      .createComponent(appId, { alias: unique('web') })
      .then(({ componentId }) =>
        trellis
          .addPort(componentId, 80, { serviceName: undefined })
          .then(({ id }) =>
            trellis.succeed(
              'changePortAlias',
              { port: { id }, alias: 'WEB', serviceName: 'new' },
              'port { id }',
            ),
          ),
      );
    expect(await changesOf(appId, key)).toEqual(
      expect.arrayContaining(['SET part-0 serviceName old new-2', 'SET_VARIABLE part-0 HOST old new-2']),
    );
    const [own] = (await componentsOf(appId)).filter(({ name }) => name === 'part-0');
    expect(own.serviceName).toBe('new-2');
    expect(own.variables.nodes).toContainEqual({ name: 'HOST', value: 'new-2' });
    const { team } = await trellis.data(
      `{ team(by: { teamId: "${place.team.teamId}" }) { events(action: "component.upgrade") { nodes { changes { field before: oldValue after: newValue } } } } }`,
    );
    expect(team.events.nodes[0].changes).toContainEqual({
      field: 'serviceName',
      before: 'old',
      after: 'new-2',
    });
  });

  it('swaps the domains of two components', async () => {
    const { appId, key } = await installed(2, [named('one', 'two'), named('two', 'one')]);
    await changesOf(appId, key);
    expect(await namesAfter(appId)).toEqual([
      ['two', 'two'],
      ['one', 'one'],
    ]);
  });

  it('upgrades two groups of the same template one after the other', async () => {
    const { appId, key } = await installed(1, [named('one'), named('two'), named('three')]);
    await install(appId, key);
    await changesOf(appId, key);
    expect((await namesAfter(appId)).sort()).toEqual([
      ['two', 'two'],
      ['two-2', 'two-2'],
    ]);
    // A suffix that was given is not taken for somebody's choice.
    await changesOf(appId, key, '3.0.0');
    expect((await namesAfter(appId)).sort()).toEqual([
      ['three', 'three'],
      ['three-2', 'three-2'],
    ]);
  });

  it('keeps a domain that a user chose, and uses it in the variables', async () => {
    const { appId, key, components } = await installed(1, [named('old'), named('new')]);
    const [{ id, alias }] = components[0].ports.nodes;
    const chosen = { port: { id }, alias, serviceName: 'old-77' };
    await trellis.succeed('changePortAlias', chosen, 'port { id }');
    await changesOf(appId, key);
    expect(await namesAfter(appId)).toEqual([['old-77', 'old-77']]);
  });
});

describe('upgradeApplication: ports', () => {
  it('changes an alias that a port of a user already has, and shows it in the plan', async () => {
    const alias =
      (port_alias: string): Edit =>
      (app) =>
        Object.assign(app.port_map_list[0], { port_alias });
    const { appId, key, components } = await installed(1, [alias('A'), alias('B')]);
    await trellis.addPort(components[0].uid, 99, { alias: 'B' });
    expect(await changesOf(appId, key)).toContain('SET_PORT part-0 8080 alias A B_8080');
  });

  const outer: Edit = (app) => Object.assign(app.port_map_list[0], { is_outer_service: true });
  const dropSecond = (template: any, version: number) => {
    if (version !== 2) return;
    template.apps.pop();
    template.apps[0].dep_service_map_list = [];
  };

  it('closes ports with their component, and opens them when the component returns', async () => {
    const { appId, key } = await installed(2, [outer, outer, outer], dropSecond);
    expect(await changesOf(appId, key)).toEqual(
      expect.arrayContaining([
        'CLOSE_COMPONENT part-1 part-1 running closed',
        'SET_PORT part-1 8080 isOuter true false',
      ]),
    );
    expect(await changesOf(appId, key, '3.0.0')).toContain('SET_PORT part-1 8080 isOuter false true');
    const [, back] = await componentsOf(appId);
    expect(back).toMatchObject({ status: 'RUNNING', ports: { nodes: [{ isOuter: true }] } });
    expect(back.accessUrls).toHaveLength(1);
  });

  it('keeps ports closed that a user closed', async () => {
    const { appId, key, components } = await installed(2, [outer, outer, outer], dropSecond);
    const [{ id }] = components[1].ports.nodes;
    await trellis.succeed('closeOuterService', { port: { id } }, 'port { id }');
    await changesOf(appId, key);
    await changesOf(appId, key, '3.0.0');
    const [, back] = await componentsOf(appId);
    expect(back).toMatchObject({ accessUrls: [], ports: { nodes: [{ isOuter: false }] } });
  });
});

describe('the template shown for an application', () => {
  const shown = async (appId: number) =>
    (await trellis.data(`{ application(by: { appId: ${appId} }) { templateName version } }`)).application;
  const called = (name: (version: number) => string) => (template: any, version: number) => {
    template.group_name = name(version);
  };

  it('follows a template that is renamed', async () => {
    const { appId, key } = await installed(
      1,
      [same, same, same],
      called((version) => `Name ${version}`),
    );
    await upgrade(appId, key);
    expect(await shown(appId)).toEqual({ templateName: 'Name 2', version: '2.0.0' });
    await upgrade(appId, key, '3.0.0');
    expect(await shown(appId)).toEqual({ templateName: 'Name 3', version: '3.0.0' });
  });

  it('follows the shown one of two groups of a template', async () => {
    const { appId, key } = await installed(1, [same, same, same]);
    await install(appId, key, '2.0.0');
    expect(await shown(appId)).toMatchObject({ version: '1.0.0' });
    await upgrade(appId, key, '3.0.0');
    expect(await shown(appId)).toMatchObject({ version: '3.0.0' });
  });

  it('does not change with another template of the same name', async () => {
    const { appId, key } = await installed(
      1,
      [same, same, same],
      called(() => 'Same'),
    );
    await upgrade(appId, key);
    const other = await installed(
      1,
      [same, same, same],
      called(() => 'Same'),
    );
    await install(appId, other.key);
    expect(await shown(appId)).toEqual({ templateName: 'Same', version: '2.0.0' });
    await upgrade(appId, other.key, '3.0.0');
    expect(await shown(appId)).toEqual({ templateName: 'Same', version: '2.0.0' });
    await upgrade(appId, key, '3.0.0');
    expect(await shown(appId)).toEqual({ templateName: 'Same', version: '3.0.0' });
  });
});

describe('the events of installs and upgrades', () => {
  const numberOf = ({ id }: { id: string }) => Buffer.from(id, 'base64url').toString().split(':')[1]!;
  const actionsOf = async (type: string, uid: string | number) => {
    const { events } = await trellis.data(
      `{ events(objectType: "${type}", objectUid: "${uid}") { nodes { action } } }`,
    );
    return events.nodes.map(({ action }: any) => action).reverse();
  };

  it('include every component, port and rule that is created or changed', async () => {
    const open: Edit = (app) => Object.assign(app.port_map_list[0], { is_outer_service: true });
    const more: Edit = (app) => {
      Object.assign(app.port_map_list[0], { is_outer_service: false });
      app.port_map_list.push({ container_port: 9000, protocol: 'tcp', port_alias: 'RAW' });
    };
    const { appId, key } = await installed(1, [open, more]);
    const read = async () =>
      (
        await trellis.data(
          `{ application(by: { appId: ${appId} }) { components { nodes { uid ports { nodes { id } } gatewayRules { http { nodes { uid } } } } } } }`,
        )
      ).application.components.nodes[0];
    const before = await read();
    const [rule] = before.gatewayRules.http.nodes;
    expect(await actionsOf('Component', before.uid)).toEqual(['component.create']);
    expect(await actionsOf('Port', numberOf(before.ports.nodes[0]))).toEqual(['port.add']);
    expect(await actionsOf('HttpRule', rule.uid)).toEqual(['http_rule.create']);
    await upgrade(appId, key);
    const after = await read();
    expect(await actionsOf('Component', before.uid)).toEqual(['component.create', 'component.upgrade']);
    expect(await actionsOf('Port', numberOf(before.ports.nodes[0]))).toEqual(['port.add', 'port.upgrade']);
    expect(await actionsOf('Port', numberOf(after.ports.nodes[1]))).toEqual(['port.add']);
    expect(await actionsOf('HttpRule', rule.uid)).toEqual(['http_rule.create', 'http_rule.unpublish']);
  });

  it('include the inner domain that is added with the first port and removed with the last', async () => {
    const { appId } = await installed(1, [same]);
    const component = await trellis.createComponent(appId);
    const port = await trellis.addPort(component.componentId, 80);
    await trellis.succeed('deletePort', { port: { id: port.id } }, 'port { id }');
    const { events } = await trellis.data(
      `{ events(objectType: "Port", first: 2) { nodes { action changes { field before: oldValue after: newValue } } } }`,
    );
    const told = events.nodes.map(({ action, changes }: any) => [
      action,
      changes.find(({ field }: any) => field === 'serviceName'),
    ]);
    const name = component.alias;
    expect(told).toEqual([
      ['port.delete', { field: 'serviceName', before: name, after: null }],
      ['port.add', { field: 'serviceName', before: null, after: name }],
    ]);
  });
});

describe('publishTemplate', () => {
  it('reports all errors at once with their paths, in terms of the input', async () => {
    const template = JSON.parse(ringTemplate(2).text);
    Object.assign(template, { group_key: '..', group_version: '.' });
    template.apps[1].port_map_list[0].container_port = 0;
    const { code, issues } = await trellis.attempt('publishTemplate', {
      template: JSON.stringify(template),
    });
    expect(code).toBe('INVALID_INPUT');
    expect(issues.map(({ path }: any) => path.join('.'))).toEqual([
      'input.template.group_key',
      'input.template.group_version',
      'input.template.apps.1.port_map_list.0.container_port',
    ]);
    expect(JSON.stringify(issues)).not.toContain('store');
  });

  it('refuses invalid JSON without repeating it', async () => {
    const { issues } = await trellis.attempt('publishTemplate', { template: '{"secret": nothing}' });
    expect(issues).toEqual([{ path: ['input', 'template'], message: 'Must be JSON' }]);
  });
});
