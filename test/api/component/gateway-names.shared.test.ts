import { beforeAll, describe, expect, it } from 'vitest';
import { refsOf, unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

/** Gateways of a namespace, for which controllers create objects beside those of the components. */
const trellis = useTrellis();
const image = 'nginx:1.29';
let place: ReturnType<typeof refsOf>;
let shared: number;
let own: number;
beforeAll(async () => {
  const team = await trellis.createTeam();
  const region = await trellis.createRegion({ driver: 'KUBERNETES', cluster: { gatewayClass: 'edge' } });
  place = refsOf({ team, region } as never);
  await trellis.succeed('openTeamRegion', place, '__typename');
  const create = async (isolation: 'OWN' | 'TEAM') =>
    (await trellis.createApplication({ team, region } as never, unique('app'), { isolation })).appId;
  [shared, own] = [await create('TEAM'), await create('OWN')];
});

const attempt = (appId: number, more: object) =>
  trellis.attempt(
    'createComponent',
    { application: { appId }, name: unique('web'), alias: unique('web'), image, ...more },
    'component { uid }',
  );
const create = async (appId: number, more: object = {}): Promise<string> => {
  const { component } = await attempt(appId, more);
  return component.uid;
};
const apply = (components: object, isolation = 'TEAM') =>
  trellis.attempt(
    'applyManifest',
    { ...place, document: JSON.stringify({ application: unique('doc'), isolation, components }) },
    '__typename',
  );
const addService = async (appId: number, serviceName: string) => {
  const component = { componentId: await create(appId) };
  const input = { component, number: 80, protocol: 'HTTP' };
  const { port } = await trellis.succeed('addPort', input, 'port { id }');
  return trellis.attempt(
    'changePortAlias',
    { port: { id: port.id }, alias: 'WEB', serviceName },
    '__typename',
  );
};
const http = { 80: { protocol: 'http' } };
const conflict = (message: string) => ({ code: 'CONFLICT', message: expect.stringContaining(message) });

describe.each(['trellis', 'trellis-edge', 'edge-gateway-trellis'])('the name %s', (name) => {
  it('is that of the gateway in the namespace of a team', async () => {
    const reserved = conflict(`${name} is reserved for the gateway of the team.`);
    expect(await attempt(shared, { clusterName: name })).toMatchObject(reserved);
    expect(await apply({ web: { image, clusterName: name } })).toMatchObject(reserved);
    expect(await apply({ web: { image, serviceName: name, ports: http } })).toMatchObject(reserved);
    expect(await addService(shared, name)).toMatchObject(conflict(`${name} is reserved in the cluster`));
  });

  it('is free in the namespace of an application, which then cannot move', async () => {
    const document = { web: { image, clusterName: name, serviceName: name, ports: http } };
    expect(await apply(document, 'OWN')).not.toHaveProperty('code');
    const { appId } = await trellis.createApplication(place as never, unique('app'), { isolation: 'OWN' });
    await create(appId, { clusterName: name });
    const moved = await trellis.attempt(
      'updateApplication',
      { application: { appId }, isolation: 'TEAM' },
      '__typename',
    );
    expect(moved).toMatchObject(conflict('its name in the cluster or one of its service names is taken'));
  });
});

describe.each([
  (name: string) => `${name}-tcp`,
  (name: string) => `${name}-tcp-edge`,
  (name: string) => `edge-gateway-${name}-tcp`,
])('a name of the TCP gateway of a component: %s', (nameFor) => {
  it('is reserved', async () => {
    for (const appId of [shared, own]) {
      const clusterName = unique('c');
      await create(appId, { clusterName });
      const name = nameFor(clusterName);
      const reserved = conflict(`${name} is reserved for the TCP gateway of`);
      expect(await attempt(appId, { clusterName: name })).toMatchObject(reserved);
      expect(await addService(appId, name)).toMatchObject(conflict(`${name} is reserved in the cluster`));
    }
  });

  it('keeps another component from its name', async () => {
    const [first, second] = [unique('c'), unique('c')];
    await create(shared, { clusterName: nameFor(first) });
    expect(await attempt(shared, { clusterName: first })).toMatchObject(conflict(nameFor(first)));
    expect(await addService(shared, nameFor(second))).not.toHaveProperty('code');
    expect(await apply({ web: { image, clusterName: second } })).toMatchObject(conflict(nameFor(second)));
  });
});
