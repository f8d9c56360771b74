import { beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: { team: { teamId: string }; region: { name: string } };
let appId: number;
/** Another application of the team, whose components have the names. */
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
const inputOf = (alias: string, more: object = {}, application = appId) => ({
  ...{ application: { appId: application }, name: alias, alias, image },
  ...more,
});
const create = async (...args: Parameters<typeof inputOf>): Promise<string> =>
  (await trellis.succeed('createComponent', inputOf(...args), 'component { uid }')).component.uid;
const volume = (name: string, type = 'share-file') => ({ name, path: `/${name}`, type });
const manifest = (components: object) =>
  JSON.stringify({ application: unique('by-manifest'), isolation: 'TEAM', components });
const apply = (components: object) =>
  trellis.attempt('applyManifest', { ...place, document: manifest(components) }, '__typename');
const components = () => trellis.services.db.transaction((tx) => tx.component.count());

describe('the name of a component in the cluster', () => {
  it.each<[string, object, (name: string) => Promise<any>, string]>([
    [
      'createComponent',
      {},
      (clusterName) =>
        trellis.attempt('createComponent', inputOf(unique('c'), { clusterName }), '__typename'),
      'clusterName',
    ],
    [
      'createComponent by its alias',
      { clusterName: 'x' },
      (name) => trellis.attempt('createComponent', inputOf(name), '__typename'),
      'clusterName',
    ],
    ['applyManifest', {}, (clusterName) => apply({ web: { image, clusterName } }), 'clusterName'],
    [
      'applyManifest by its alias',
      { clusterName: 'x' },
      (alias) => apply({ web: { image, alias } }),
      'clusterName',
    ],
  ])('is refused for a second component of the team in the region: %s', async (_, given, second, field) => {
    const name = unique('vault');
    const own = 'clusterName' in given ? { alias: unique('c'), clusterName: name } : { alias: name };
    await create(own.alias, own, otherId);
    const before = await components();
    expect(await second(name)).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(field) });
    expect((await second(name)).message).toContain(`The cluster name ${name} belongs to`);
    expect(await components()).toBe(before);
  });

  it('is given to one of two that ask for it at once', async () => {
    const clusterName = unique('race');
    const asked = [otherId, appId].map((application) =>
      trellis.attempt('createComponent', inputOf(unique('c'), { clusterName }, application), '__typename'),
    );
    const codes = (await Promise.all(asked)).map((answer) => answer.code ?? 'created');
    expect(codes.sort()).toEqual(['CONFLICT', 'created']);
  });

  it('is that of one component in a document', async () => {
    const clusterName = unique('twice');
    const answer = await apply({ one: { image, clusterName }, two: { image, clusterName } });
    expect(answer).toMatchObject({ code: 'CONFLICT' });
    expect(answer.message).toContain('components.two.clusterName');
  });

  it('does not make names of pods that could be those of another component', async () => {
    const long = `${unique('w')}-${'w'.repeat(60)}`.slice(0, 58);
    await create(unique('c'), { clusterName: `${long}a` }, otherId);
    const input = inputOf(unique('c'), { clusterName: `${long}b` });
    const answer = await trellis.attempt('createComponent', input, '__typename');
    expect(answer).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('shortens the names of pods'),
    });
  });
});

describe('the name of a volume in the cluster', () => {
  type Add = (componentId: string, name: string) => Promise<any>;
  const add: Add = (componentId, name) =>
    trellis.attempt('addVolume', { component: { componentId }, ...volume(name) }, '__typename');
  const rename: Add = async (componentId, name) => {
    const before = await trellis.succeed(
      'addVolume',
      { component: { componentId }, ...volume(unique('v')) },
      'volume { id }',
    );
    return trellis.attempt('updateVolume', { volume: { id: before.volume.id }, name }, '__typename');
  };
  const retype: Add = async (componentId, name) => {
    const input = { component: { componentId }, ...volume(name, 'config-file') };
    const before = await trellis.succeed('addVolume', input, 'volume { id }');
    return trellis.attempt(
      'updateVolume',
      { volume: { id: before.volume.id }, type: 'share-file' },
      '__typename',
    );
  };

  it.each<[string, Add]>([
    ['addVolume', add],
    ['updateVolume with another name', rename],
    ['updateVolume with another type', retype],
  ])('is refused if other parts make the same: %s', async (_, change) => {
    const name = unique('web');
    await create(name, { volumes: [volume('db-data')] }, otherId);
    const componentId = await create(`${name}-db`);
    const answer = await change(componentId, 'data');
    expect(answer).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('The volume data') });
    expect(answer.message).toContain('`name`');
    expect(await change(componentId, 'data2')).not.toHaveProperty('code');
  });

  it.each([
    [
      'createComponent',
      (alias: string) =>
        trellis.attempt('createComponent', inputOf(alias, { volumes: [volume('data')] }), '__typename'),
    ],
    [
      'applyManifest',
      (alias: string) =>
        apply({ web: { image, alias, volumes: { data: { path: '/data', type: 'share-file' } } } }),
    ],
  ])('is refused for a new component: %s', async (_, second) => {
    const name = unique('web');
    await create(name, { volumes: [volume('db-data')] }, otherId);
    expect(await second(`${name}-db`)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('The volume data would have the same name in the cluster'),
    });
  });

  it('is refused for the claims of each instance', async () => {
    const name = unique('web');
    await create(name, { volumes: [volume('data')], extendMethod: 'STATE' }, otherId);
    const second = inputOf('data', { clusterName: 'data', volumes: [volume(`${name}-0`)] });
    expect(await trellis.attempt('createComponent', second, '__typename')).toMatchObject({
      code: 'CONFLICT',
    });
    // With one claim for all instances, the parts make another name than with one for each.
    const set = unique('set');
    await create(set, { volumes: [volume('a-b')], extendMethod: 'STATE' }, otherId);
    const componentId = await create(`b-${set}`, { volumes: [volume('a')] });
    const changed = { component: { componentId }, extendMethod: 'STATE' };
    expect(await trellis.attempt('updateComponent', changed)).toMatchObject({ code: 'CONFLICT' });
  });

  it('is another for each volume of a component', async () => {
    const volumes = [volume('Data'), { ...volume('data'), path: '/other' }];
    expect(
      await trellis.attempt('createComponent', inputOf(unique('c'), { volumes }), '__typename'),
    ).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['input', 'volumes', '1', 'name'] }],
    });
    const componentId = await create(unique('c'), { volumes: [volume('Data')] });
    expect(await add(componentId, 'data')).toMatchObject({ code: 'CONFLICT' });
    expect(await add(componentId, 'config-files')).toMatchObject({ code: 'CONFLICT' });
    const both = { Data: { path: '/1', type: 'share-file' }, data: { path: '/2', type: 'share-file' } };
    expect(await apply({ web: { image, volumes: both } })).toMatchObject({ code: 'CONFLICT' });
  });
});

describe('a service name', () => {
  const port = (componentId: string, number = 80) =>
    trellis.attempt(
      'addPort',
      { component: { componentId }, number, protocol: 'HTTP' },
      'port { id serviceName }',
    );

  it('is not that of another Service of a component, whichever comes first', async () => {
    const name = unique('shop');
    await create(name, {}, otherId);
    const componentId = await create(`${name}-backend`);
    // The alias is only the default.
    const { port: added } = await port(componentId);
    expect(added.serviceName).toBe(`${name}-backend-2`);
    for (const serviceName of [`${name}-backend`, `${name}-headless`, `${name}-tcp-30001`]) {
      const change = { port: { id: added.id }, alias: 'WEB', serviceName };
      expect(await trellis.attempt('changePortAlias', change, '__typename')).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(`The service name ${serviceName}`),
      });
      const ports = { 80: { protocol: 'http' } };
      const answer = await apply({ web: { image, serviceName, ports } });
      expect(answer).toMatchObject({ code: 'CONFLICT' });
      expect(answer.message).toContain('components.web.serviceName');
    }
    const later = unique('late');
    await trellis.succeed(
      'changePortAlias',
      { port: { id: added.id }, alias: 'WEB', serviceName: `${later}-headless` },
      '__typename',
    );
    const refused = { code: 'CONFLICT', message: expect.stringContaining(`${later}-headless`) };
    expect(await trellis.attempt('createComponent', inputOf(later), '__typename')).toMatchObject(refused);
    expect(await apply({ web: { image, clusterName: later } })).toMatchObject(refused);
  });
});

describe('names that an earlier version allowed twice', () => {
  const list = async () => {
    const query = `query($by: RegionRef!) { region(by: $by) { duplicateComponents { totalCount nodes { uid clusterName } } } }`;
    return (await trellis.data(query, { by: place.region })).region.duplicateComponents;
  };
  const deploy = (componentId: string) =>
    trellis.attempt(
      'deployComponent',
      { component: { componentId } },
      'component { deployState: desiredState }',
    );
  /** Two components as they were stored then. */
  async function both(): Promise<{ older: string; younger: string; name: string }> {
    const name = unique('both');
    const older = await create(name, {}, otherId);
    const younger = await create(unique('c'));
    const data = { clusterName: name, ownedClusterName: null };
    await trellis.services.db.transaction((tx) => tx.component.update({ where: { id: younger }, data }));
    return { older, younger, name };
  }

  it('are listed, and the younger component is not deployed until the older one is gone', async () => {
    const { older, younger, name } = await both();
    expect(await list()).toEqual({ totalCount: 1, nodes: [{ uid: younger, clusterName: name }] });
    expect(await deploy(younger)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has the same name in the cluster'),
    });
    expect(await deploy(older)).not.toHaveProperty('code');
    const whole = { application: { appId } };
    expect(await trellis.attempt('deployApplication', whole, '__typename')).toMatchObject({
      code: 'CONFLICT',
    });
    await trellis.succeed(
      'deleteComponent',
      { component: { componentId: older }, force: true },
      '__typename',
    );
    expect((await list()).totalCount).toBe(0);
    expect(await deploy(younger)).not.toHaveProperty('code');
    expect(
      await trellis.attempt('createComponent', inputOf(unique('c'), { clusterName: name }), '__typename'),
    ).toMatchObject({ code: 'CONFLICT' });
  });

  it('of volumes keep the younger component from being deployed', async () => {
    const name = unique('vol');
    const older = await create(name, { volumes: [volume('db-data')] }, otherId);
    const younger = await create(`${name}-db`, { volumes: [volume('other')] });
    await trellis.services.db.transaction((tx) =>
      tx.volume.updateMany({ where: { componentId: younger }, data: { name: 'data' } }),
    );
    expect(await deploy(older)).not.toHaveProperty('code');
    expect(await deploy(younger)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('volume data'),
    });
  });
});
