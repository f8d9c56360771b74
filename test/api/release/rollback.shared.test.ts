import { beforeAll, describe, expect, it } from 'vitest';
import { desiredComponent } from '../../../src/domain/job/desired-reads.ts';
import { createLoaders } from '../../../src/kernel/batch.ts';
import { createComponents, queued, useDriver } from '../../support/deploys.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { createTemplate } from '../../support/installs.ts';
import { apply, plan, planSelection } from '../../support/manifests.ts';
import { once } from '../../support/once.ts';
import { deploy, ref, releaseFields, releasesOf, rollBack, stateOf } from '../../support/releases.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [queued] });
let place: Place;
let appId: number;
beforeAll(async () => {
  place = await trellis.createPlace();
  ({ appId } = await trellis.createApplication(place));
});

const newComponent = async (options: object = {}, of = appId) =>
  (await trellis.createComponent(of, { deploy: true, ...options })).componentId;
const update = (componentId: string, input: object) =>
  trellis.succeed('updateComponent', { ...ref(componentId), ...input }, '__typename');

/** Changes everything that a deploy carries out. */
async function changeAll(componentId: string) {
  const changes = { image: 'nginx:1.30', command: 'other', memoryMiB: 64, preStopSeconds: 1 };
  await update(componentId, changes);
  const set = [
    { name: 'MODE', value: 'slow', label: 'Another label' },
    { name: 'NEW', value: 'x' },
    { name: 'DB_PASSWORD', value: 'changed' },
  ];
  const remove = [{ name: 'GONE' }];
  await trellis.succeed('setVariables', { ...ref(componentId), set, remove }, '__typename');
  await trellis.succeed(
    'setProbes',
    { ...ref(componentId), liveness: null, readiness: { tcp: { port: 81 } } },
    '__typename',
  );
  const { volumes } = (
    await trellis.data('query($by: ComponentRef!) { component(by: $by) { volumes { nodes { id name } } } }', {
      by: { componentId },
    })
  ).component;
  const conf = volumes.nodes.find(({ name }: any) => name === 'conf');
  await trellis.succeed('updateVolume', { volume: { id: conf.id }, fileContent: 'a=2' }, '__typename');
  const added = { name: 'extra', path: '/extra', type: 'config-file', fileContent: 'b' };
  await trellis.succeed('addVolume', { ...ref(componentId), ...added }, '__typename');
  const [dependency] = (await stateOf(trellis, componentId)).dependencies.nodes;
  const { components } = await trellis.data(
    'query($search: String!) { components(search: $search) { nodes { uid } } }',
    { search: dependency.alias },
  );
  const pair = { ...ref(componentId), dependency: { componentId: components.nodes[0].uid } };
  await trellis.succeed('deleteDependency', pair, '__typename');
}

const everything = async () => {
  const alias = unique('db');
  const { [alias]: dependency } = await createComponents(trellis, appId, { [alias]: {} });
  return newComponent({
    command: 'serve',
    replicas: 2,
    preStopSeconds: 7,
    probes: { liveness: { http: { port: 80, path: '/live' } } },
    variables: [
      { name: 'MODE', value: 'fast', label: 'Mode' },
      { name: 'DB_PASSWORD', value: 'hunter2' },
      { name: 'SHARED', value: 'y', scope: 'CONNECTION' },
    ],
    volumes: [
      { name: 'conf', path: '/conf', type: 'config-file', fileContent: 'a=1' },
      { name: 'data', path: '/data', type: 'share-file', capacityGiB: 5 },
    ],
    dependencies: [{ componentId: dependency }],
  });
};

describe('rollbackComponent', () => {
  it('deploys a component as the release was deployed, and makes a release', async () => {
    const componentId = await everything();
    const before = await stateOf(trellis, componentId);
    await trellis.succeed(
      'setVariables',
      { ...ref(componentId), set: [{ name: 'GONE', value: 'x' }] },
      '__typename',
    );
    await deploy(trellis, componentId);
    await changeAll(componentId);
    await deploy(trellis, componentId);
    const changed = await stateOf(trellis, componentId);
    const dry = await rollBack(trellis, componentId, 1, { dryRun: true });
    expect(dry).toMatchObject({ release: null, job: null });
    expect(await stateOf(trellis, componentId)).toEqual(changed);
    expect(await releasesOf(trellis, componentId)).toHaveLength(3);
    expect(
      dry.plan.changes.map(({ action, object, name }: any) => `${action} ${object} ${name}`).sort(),
    ).toEqual(
      [
        `CREATE DEPENDENCY ${before.dependencies.nodes[0].alias}`,
        'DELETE VARIABLE NEW',
        'DELETE VOLUME extra',
        `UPDATE COMPONENT ${dry.plan.changes[0].name}`,
        'UPDATE VARIABLE DB_PASSWORD',
        'UPDATE VARIABLE MODE',
        'UPDATE VOLUME conf',
      ].sort(),
    );
    expect(JSON.stringify(dry.plan)).not.toMatch(/hunter2|changed/);

    const done = await rollBack(trellis, componentId, 1);
    expect(done.plan).toEqual(dry.plan);
    expect(done.release).toEqual({ number: 4, restoredNumber: 1 });
    expect(await stateOf(trellis, componentId)).toEqual(before);
    const [release] = await releasesOf(trellis, componentId);
    expect(release.job.uid).toBe(done.job.uid);

    await rollBack(trellis, componentId, 3);
    expect(await stateOf(trellis, componentId)).toEqual(changed);
    const again = await rollBack(trellis, componentId, 3);
    expect(again.plan.changes).toEqual([]);
    expect(again.release).toEqual({ number: 6, restoredNumber: 3 });
  });

  it('is what the region carries out', async () => {
    const own = await trellis.createPlace();
    await useDriver(trellis, own.region.regionId, 'queued');
    const application = await trellis.createApplication(own);
    const componentId = await newComponent(
      { variables: [{ name: 'DB_PASSWORD', value: 'hunter2' }] },
      application.appId,
    );
    await trellis.succeed(
      'setVariables',
      { ...ref(componentId), set: [{ name: 'DB_PASSWORD', value: 'wrong' }] },
      '__typename',
    );
    await update(componentId, { image: 'nginx:1.30', deploy: true });
    await rollBack(trellis, componentId, 1);
    const context = { ...trellis.services, loaders: createLoaders() };
    const desired = await desiredComponent(context as never, componentId);
    expect(desired).toMatchObject({
      image: 'nginx:1.29',
      variables: [{ name: 'DB_PASSWORD', value: 'hunter2' }],
    });
  });

  it('leaves ports, rules, data and what a manifest owns as they are', async () => {
    const name = unique('owned');
    const document = (image: string, extra = '') =>
      `application: ${name}\ncomponents:\n  web:\n    image: ${image}\n    ports:\n      80: { protocol: HTTP, isOuter: true }\n${extra}`;
    const made = await apply(trellis, place, document('nginx:1.29'));
    const volumes = '    volumes:\n      data: { path: /data, type: share-file }\n';
    const next = document('nginx:1.30', volumes).replace('80:', '81: { protocol: TCP }\n      80:');
    await apply(trellis, place, next);
    const { application } = await trellis.data(
      `{ application(by: { appId: ${made.application.appId} }) { components { nodes { uid manifestId } } manifestState { digest } } }`,
    );
    const [{ uid, manifestId }] = application.components.nodes;
    const { plan: made1 } = await rollBack(trellis, uid, 1);
    expect(made1.changes.map(({ action, object }: any) => `${action} ${object}`)).toEqual([
      'UPDATE COMPONENT',
    ]);
    expect([made1.leftOver, made1.adopted]).toEqual([[], []]);
    const { component, application: after } = await trellis.data(
      `{ component(by: { componentId: "${uid}" }) { image manifestId ports { nodes { number isOuter } } volumes { nodes { name } } }
         application(by: { appId: ${made.application.appId} }) { manifestState { digest } } }`,
    );
    expect(component).toEqual({
      image: 'nginx:1.29',
      manifestId,
      ports: {
        nodes: [
          { number: 80, isOuter: true },
          { number: 81, isOuter: false },
        ],
      },
      volumes: { nodes: [{ name: 'data' }] },
    });
    expect(after.manifestState).toEqual(application.manifestState);
    // The document says what is to be, so that the next apply takes the rollback back.
    const { changes } = await plan(trellis, place, next);
    expect(changes.map(({ action, object }) => `${action} ${object}`)).toEqual(['UPDATE COMPONENT']);
  });

  it('brings back components of an installed template, with variables that users cannot change', async () => {
    const application = await trellis.createApplication(place);
    const { install } = await createTemplate(trellis, application.appId);
    await trellis.succeed('installApplication', { ...install, deploy: true }, '__typename');
    const { application: found } = await trellis.data(
      `{ application(by: { appId: ${application.appId} }) { components { nodes { uid image } } } }`,
    );
    const [{ uid, image }] = found.components.nodes;
    await deploy(trellis, uid);
    const [{ number }] = await releasesOf(trellis, uid);
    await update(uid, { image: 'other:1', deploy: true });
    expect((await rollBack(trellis, uid, number)).component.image).toBe(image);
  });

  it('is refused for an unknown release, a wrong revision and a smaller quota, and changes nothing', async () => {
    const own = await trellis.createPlace();
    const application = await trellis.createApplication(own);
    const componentId = await newComponent({ memoryMiB: 512 }, application.appId);
    await update(componentId, { memoryMiB: 64, deploy: true });
    const before = await stateOf(trellis, componentId);
    expect(await rollBack(trellis, componentId, 9)).toMatchObject({ code: 'CONFLICT' });
    expect(await rollBack(trellis, componentId, 1, { expectedRevision: 99 })).toMatchObject({
      code: 'CONFLICT',
    });
    const quota = { team: { teamId: own.team.teamId }, region: { name: own.region.name } };
    await trellis.succeed('setTeamQuota', { ...quota, memoryQuotaMiB: 128 }, '__typename');
    expect(await rollBack(trellis, componentId, 1)).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await stateOf(trellis, componentId)).toEqual(before);
    expect(await releasesOf(trellis, componentId)).toHaveLength(2);
  });

  it('does not need the right to read secrets, and does not show dependencies that are hidden', async () => {
    const alias = unique('hidden');
    const { [alias]: hidden } = await createComponents(trellis, appId, { [alias]: {} });
    const componentId = await newComponent({
      variables: [{ name: 'DB_PASSWORD', value: 'hunter2' }],
      dependencies: [{ componentId: hidden }],
    });
    const set = [{ name: 'DB_PASSWORD', value: 'wrong' }];
    await trellis.succeed('setVariables', { ...ref(componentId), set }, '__typename');
    const pair = { ...ref(componentId), dependency: { componentId: hidden } };
    await trellis.succeed('deleteDependency', pair, '__typename');
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: 'narrow', grants: [{ actions: ['ROLLBACK_COMPONENT'], ...ref(componentId) }] },
      'secret',
    );
    const done = await rollBack(trellis, componentId, 1, {}, secret);
    expect(done.release).toMatchObject({ number: 2 });
    expect(JSON.stringify(done)).not.toMatch(new RegExp(`${alias}|hunter2|wrong`));
    const { variables, dependencies } = await stateOf(trellis, componentId);
    expect(variables.nodes).toMatchObject([{ name: 'DB_PASSWORD', value: 'hunter2' }]);
    expect(dependencies.nodes).toEqual([]);
  });
});

describe('rollbackApplication', () => {
  it('brings back all components as they were deployed at a time', async () => {
    const { appId: id } = await trellis.createApplication(place);
    const [web, api, stopped, same] = await Promise.all(
      ['web', 'api', 'stopped', 'same'].map((name) => newComponent({ name }, id)),
    );
    const [{ createdAt }] = (
      await Promise.all([web!, api!, stopped!, same!].map((each) => releasesOf(trellis, each)))
    )
      .map(([release]) => release)
      .sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
    await update(web!, { image: 'nginx:1.30', deploy: true });
    await update(web!, { image: 'nginx:1.31', deploy: true });
    // Changed, and not yet deployed.
    await update(api!, { image: 'nginx:1.30' });
    await update(stopped!, { image: 'nginx:1.30', deploy: true });
    await trellis.succeed('stopComponent', ref(stopped!), '__typename');
    const late = await newComponent({ name: 'late' }, id);
    const input = { application: { appId: id }, at: createdAt };
    const selection = `job { components { nodes { name } } } omitted { object component reason } plan { ${planSelection} }`;
    const dry = await trellis.succeed('rollbackApplication', { ...input, dryRun: true }, selection);
    expect(dry.job).toBeNull();
    const done = await trellis.succeed('rollbackApplication', input, selection);
    expect(done.plan).toEqual(dry.plan);
    expect(done.plan.changes.map(({ name }: any) => name).sort()).toEqual(['api', 'stopped', 'web']);
    expect(done.job.components.nodes.map(({ name }: any) => name).sort()).toEqual(['api', 'web']);
    expect(done.omitted).toEqual([
      { object: 'COMPONENT', component: 'late', reason: 'No release of it at that time is stored.' },
    ]);
    for (const each of [web!, api!, stopped!, late]) {
      expect((await stateOf(trellis, each)).image).toBe('nginx:1.29');
    }
    expect(await stateOf(trellis, stopped!)).toMatchObject({
      desiredState: 'STOPPED',
      hasUndeployedChanges: true,
    });
    const [release] = await releasesOf(trellis, web!);
    expect(release).toMatchObject({ number: 4, restoredNumber: 1 });
    expect(await releasesOf(trellis, same!)).toHaveLength(1);
    const again = await trellis.succeed('rollbackApplication', input, selection);
    expect(again.plan.changes).toEqual([]);
    const early = { ...input, at: '2020-01-01T00:00:00Z' };
    expect(await trellis.attempt('rollbackApplication', early)).toMatchObject({ code: 'CONFLICT' });
  });

  once('takes as many statements for many components as for few', async () => {
    const counts = [];
    for (const size of [2, 20]) {
      const { appId: id } = await trellis.createApplication(place);
      const inputs = Array.from({ length: size }, () => [
        unique('web'),
        { deploy: true, variables: [{ name: 'MODE', value: 'fast' }] },
      ]);
      const ids = Object.values(await createComponents(trellis, id, Object.fromEntries(inputs)));
      const at = (await releasesOf(trellis, ids.at(-1)!))[0].createdAt;
      for (const each of ids) {
        const set = [{ name: 'MODE', value: 'slow' }];
        await trellis.succeed('setVariables', { ...ref(each), set }, '__typename');
      }
      trellis.statements.length = 0;
      await trellis.succeed('rollbackApplication', { application: { appId: id }, at }, '__typename');
      counts.push(trellis.statements.length);
    }
    expect(counts[1]).toBe(counts[0]);
  });
});

describe('promoteRelease', () => {
  it('brings the image and the configuration to the component of the same name elsewhere', async () => {
    const [staging, production] = [await trellis.createPlace(), await trellis.createPlace()];
    const from = await trellis.createApplication(staging);
    const to = await trellis.createApplication(production);
    const name = unique('web');
    const volume = { name: 'conf', path: '/conf', type: 'config-file' };
    const source = await newComponent(
      {
        name,
        image: 'shop/web:2.0',
        command: 'serve',
        replicas: 1,
        memoryMiB: 64,
        probes: { liveness: { tcp: { port: 80 } } },
        variables: [{ name: 'DB_PASSWORD', value: 'staging' }],
        volumes: [{ ...volume, fileContent: 'new' }],
      },
      from.appId,
    );
    const target = await newComponent(
      {
        name,
        image: 'shop/web:1.0',
        replicas: 3,
        memoryMiB: 256,
        variables: [{ name: 'DB_PASSWORD', value: 'production' }],
        volumes: [
          { ...volume, fileContent: 'old' },
          { name: 'data', path: '/data', type: 'share-file' },
        ],
      },
      to.appId,
    );
    const [release] = await releasesOf(trellis, source);
    const input = { release: { releaseId: release.uid }, to: { appId: to.appId } };
    const selection = `component { uid } release { ${releaseFields} } job { uid } plan { ${planSelection} }`;
    const dry = await trellis.succeed('promoteRelease', { ...input, dryRun: true }, selection);
    expect(dry.release).toBeNull();
    const done = await trellis.succeed('promoteRelease', input, selection);
    expect(done.plan).toEqual(dry.plan);
    expect(done.component.uid).toBe(target);
    expect(done.release).toMatchObject({
      number: 2,
      image: 'shop/web:2.0',
      restoredNumber: null,
      promotedFrom: { uid: release.uid },
    });
    expect(await stateOf(trellis, target)).toMatchObject({
      image: 'shop/web:2.0',
      version: '2.0',
      command: 'serve',
      replicas: 3,
      memoryMiB: 256,
      variables: { nodes: [{ name: 'DB_PASSWORD', value: 'production' }] },
      volumes: {
        nodes: [
          { name: 'conf', fileContent: 'new' },
          { name: 'data', path: '/data' },
        ],
      },
    });
    await trellis.succeed('promoteRelease', { ...input, includesResources: true }, selection);
    expect(await stateOf(trellis, target)).toMatchObject({ replicas: 1, memoryMiB: 64 });
  });

  it('needs the right at the target, and another application with such a component', async () => {
    const from = await trellis.createApplication(place);
    const to = await trellis.createApplication(place);
    const name = unique('web');
    const source = await newComponent({ name }, from.appId);
    const input = { release: { at: { component: { componentId: source }, number: 1 } } };
    const missing = await trellis.attempt('promoteRelease', { ...input, to: { appId: to.appId } });
    expect(missing).toMatchObject({ code: 'CONFLICT' });
    const same = await trellis.attempt('promoteRelease', { ...input, to: { appId: from.appId } });
    expect(same).toMatchObject({ code: 'INVALID_INPUT' });
    const target = await newComponent({ name }, to.appId);
    const grants = [
      { actions: ['PROMOTE_RELEASE'], component: { componentId: source } },
      { actions: ['READ'], application: { appId: to.appId } },
    ];
    const { secret } = await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret');
    const refused = await trellis.attempt(
      'promoteRelease',
      { ...input, to: { appId: to.appId } },
      '__typename',
      secret,
    );
    expect(refused).toMatchObject({ code: 'FORBIDDEN' });
    expect(await releasesOf(trellis, target)).toHaveLength(1);
  });
});
