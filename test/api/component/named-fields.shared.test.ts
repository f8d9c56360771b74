import { beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { namingInputs } from '../../support/named-fields.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: { team: { teamId: string }; region: { name: string } };
let appId: number;
/** Another application of the team, whose components have the names first. */
let otherId: number;
beforeAll(async () => {
  const { team, region } = await trellis.createAll();
  place = { team: { teamId: team.teamId }, region: { name: region.name } };
  const createApplication = () =>
    trellis.createApplication({ team, region } as never, unique('app'), { isolation: 'TEAM' });
  ({ appId } = await createApplication());
  ({ appId: otherId } = await createApplication());
});

const image = 'nginx:1.29';
const input = (alias: string, more: object = {}, application = appId) => ({
  ...{ application: { appId: application }, name: alias, alias, image },
  ...more,
});
const tryCreate = (alias: string, more: object = {}) =>
  trellis.attempt('createComponent', input(alias, more));
const create = async (alias: string, more: object = {}, application = appId): Promise<string> =>
  (await trellis.succeed('createComponent', input(alias, more, application), 'component { uid }')).component
    .uid;
const first = (alias: string, more: object = {}) => create(alias, more, otherId);
const apply = (component: object, more: object = {}) =>
  trellis.attempt('applyManifest', {
    ...place,
    document: JSON.stringify({
      ...{
        application: unique('by-manifest'),
        isolation: 'TEAM',
        components: { web: { image, ...component } },
      },
      ...more,
    }),
  });
const volume = (name: string, type = 'share-file') => ({ name, path: `/${name}`, type });
const asFile = { type: 'config-file', fileContent: 'a' };

/** A component that has the volume `db-data`, and the name of one whose volume `data` would have the same name in the cluster. */
async function claimed(): Promise<string> {
  const name = unique('web');
  await first(name, { volumes: [volume('db-data')] });
  return `${name}-db`;
}
const added = async (componentId: string, given: object) =>
  (await trellis.succeed('addVolume', { component: { componentId }, ...given }, 'volume { id }')).volume
    .id as string;

/** A component whose claims for each instance are called as those of the volume `a` of another one would be. */
async function numbered(): Promise<string> {
  const name = unique('set');
  await first(name, { volumes: [volume('a-b')], extendMethod: 'STATE' });
  return `b-${name}`;
}

/** Two ports with a rule each, of two components of one application. */
async function ports() {
  const ids = [await create(unique('c')), await create(unique('c'))] as const;
  for (const componentId of ids) await trellis.addPort(componentId, 8080);
  return ids.map((componentId) => ({
    ...{ application: { appId }, component: { componentId }, portNumber: 8080 },
  })) as [object, object];
}
let freePort = 41_000;

async function tcpRules() {
  const [one, other] = await ports();
  const endpoint = `10.0.0.1:${freePort++}`;
  await trellis.succeed('createTcpRule', { ...one, endpoint }, '__typename');
  return { other, endpoint };
}

/** A rule, and what another rule of the same port has to differ in. */
async function httpRules(differs: object) {
  const [own] = await ports();
  const match = { domain: `${unique('www')}.example`, path: '/a' };
  await trellis.succeed('createHttpRule', { ...own, ...match }, '__typename');
  const { rule } = await trellis.succeed(
    'createHttpRule',
    { ...own, ...match, ...differs },
    'rule { httpRuleId: uid }',
  );
  return { own, match, rule };
}
const differing: Record<string, () => object> = {
  domain: () => ({ domain: `${unique('www')}.example` }),
  path: () => ({ path: '/b' }),
};

type Second = () => Promise<{ code?: string }>;
const ofRoutes = Object.fromEntries(
  Object.entries(differing).flatMap(([field, differs]): [string, Second][] => [
    [
      `CreateHttpRuleInput.${field}`,
      async () => {
        const { own, match } = await httpRules(differs());
        return trellis.attempt('createHttpRule', { ...own, ...match });
      },
    ],
    [
      `UpdateHttpRuleInput.${field}`,
      async () => {
        const { match, rule } = await httpRules(differs());
        return trellis.attempt('updateHttpRule', {
          ...{ rule, [field]: match[field as keyof typeof match] },
        });
      },
    ],
    [
      `manifest.${field}`,
      () => {
        const route = { component: 'web', port: 80, domain: `${unique('www')}.example`, path: '/a' };
        const routes = [route, { ...route, domainHeader: 'X=1' }];
        return apply({ ports: { 80: { protocol: 'http' } } }, { routes });
      },
    ],
  ]),
);

/** A second object whose name would be that of another one, for each input. */
const seconds: Record<string, Second> = {
  ...ofRoutes,
  'CreateComponentInput.clusterName': async () => {
    const clusterName = unique('vault');
    await first(unique('c'), { clusterName });
    return tryCreate(unique('c'), { clusterName });
  },
  'CreateComponentInput.alias': async () => {
    const clusterName = unique('vault');
    await first(unique('c'), { clusterName });
    return tryCreate(clusterName);
  },
  'manifest.clusterName': async () => {
    const clusterName = unique('vault');
    await first(unique('c'), { clusterName });
    return apply({ clusterName });
  },
  'manifest.alias': async () => {
    const clusterName = unique('vault');
    await first(unique('c'), { clusterName });
    return apply({ alias: clusterName });
  },
  'ChangePortAliasInput.serviceName': async () => {
    const name = unique('shop');
    await first(name);
    const componentId = await create(unique('c'));
    await trellis.addPort(componentId, 80);
    const port = { at: { component: { componentId }, number: 80 } };
    return trellis.attempt('changePortAlias', { port, alias: 'WEB', serviceName: `${name}-backend` });
  },
  'manifest.serviceName': async () => {
    const name = unique('shop');
    await first(name);
    return apply({ serviceName: `${name}-headless`, ports: { 80: { protocol: 'http' } } });
  },
  'manifest.ports.serviceName': async () => {
    const name = unique('shop');
    await first(name);
    const second = { protocol: 'http', serviceName: `${name}-tcp-30001` };
    return apply({ ports: { 80: { protocol: 'http' }, 81: second } });
  },
  'CreateComponentInput.extendMethod': async () =>
    tryCreate(await numbered(), { volumes: [volume('a')], extendMethod: 'STATE' }),
  'UpdateComponentInput.extendMethod': async () => {
    const componentId = await create(await numbered(), { volumes: [volume('a')] });
    return trellis.attempt('updateComponent', { component: { componentId }, extendMethod: 'STATE' });
  },
  'manifest.extendMethod': async () =>
    apply({
      alias: await numbered(),
      extendMethod: 'state',
      volumes: { a: { path: '/a', type: 'share-file' } },
    }),
  'VolumeInput.name': async () => tryCreate(await claimed(), { volumes: [volume('data')] }),
  'VolumeInput.type': async () => {
    const name = await claimed();
    const file = { ...volume('data'), ...asFile };
    expect(await tryCreate(name, { volumes: [file], clusterName: name })).not.toHaveProperty('code');
    return tryCreate(unique('c'), { clusterName: await claimed(), volumes: [volume('data', 'local')] });
  },
  'AddVolumeInput.name': async () => {
    const componentId = await create(await claimed());
    await added(componentId, volume('data2'));
    return trellis.attempt('addVolume', { component: { componentId }, ...volume('data') });
  },
  'AddVolumeInput.type': async () => {
    const componentId = await create(await claimed());
    return trellis.attempt('addVolume', { component: { componentId }, ...volume('data', 'local') });
  },
  'UpdateVolumeInput.name': async () => {
    const id = await added(await create(await claimed()), volume('data2'));
    return trellis.attempt('updateVolume', { volume: { id }, name: 'data' });
  },
  'UpdateVolumeInput.type': async () => {
    const id = await added(await create(await claimed()), { ...volume('data'), ...asFile });
    return trellis.attempt('updateVolume', { volume: { id }, type: 'share-file' });
  },
  'manifest.volumes': async () =>
    apply({ alias: await claimed(), volumes: { data: { path: '/data', type: 'share-file' } } }),
  'manifest.volumes.type': async () =>
    apply({ alias: await claimed(), volumes: { data: { path: '/data', type: 'local' } } }),
  'CreateTcpRuleInput.endpoint': async () => {
    const { other, endpoint } = await tcpRules();
    return trellis.attempt('createTcpRule', { ...other, endpoint });
  },
  'UpdateTcpRuleInput.endpoint': async () => {
    const { other, endpoint } = await tcpRules();
    const free = { ...other, endpoint: `10.0.0.1:${freePort++}` };
    const { rule } = await trellis.succeed('createTcpRule', free, 'rule { tcpRuleId: uid }');
    return trellis.attempt('updateTcpRule', { rule, endpoint });
  },
  'manifest.endpoint': async () => {
    const { endpoint } = await tcpRules();
    return apply(
      { ports: { 80: { protocol: 'tcp' } } },
      { routes: [{ component: 'web', port: 80, endpoint }] },
    );
  },
};

describe('an object in a cluster whose name is made of an input', () => {
  it('has a case for each such input', () => {
    expect(Object.keys(seconds).sort()).toEqual(namingInputs);
  });

  it.each(Object.entries(seconds))('is refused if another one has the name: %s', async (_, second) => {
    const answer = await second();
    expect(['CONFLICT', 'INVALID_INPUT'], JSON.stringify(answer)).toContain(answer.code);
  });
});
