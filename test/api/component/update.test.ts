import { beforeAll, describe, expect, it } from 'vitest';
import { queued, useDriver } from '../../support/deploys.ts';
import { unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [queued] });
let appId: number;
beforeAll(async () => {
  const place = await trellis.createPlace();
  ({ appId } = await trellis.createApplication(place));
});

const fields =
  'name image version description category command replicas cpuMillicores memoryMiB gpuMemoryMiB extendMethod kind isInner opensWebhooks isUpgradedAfterBuild source { kind codeFrom gitUrl gitProjectId codeVersion language serverType oauthServiceId containerCommand }';
const selection = `component { uid alias deployState: desiredState releaseCount hasUndeployedChanges ${fields} }`;
const update = (componentId: string, input: object) =>
  trellis.attempt('updateComponent', { component: { componentId }, ...input }, selection);
const rowOf = (id: string) =>
  trellis.services.db.transaction((tx) => tx.component.findUniqueOrThrow({ where: { id } }));

const everything = {
  name: 'Another name',
  image: 'registry.example:5000/shop/web:2.0',
  description: 'New.',
  category: 'CACHE',
  command: 'run --fast',
  replicas: 2,
  cpuMillicores: 250,
  memoryMiB: 64,
  gpuMemoryMiB: 1,
  isInner: true,
  opensWebhooks: true,
  isUpgradedAfterBuild: false,
  source: {
    kind: 'SOURCE_CODE',
    codeFrom: 'github',
    gitUrl: 'https://git.example/web.git',
    gitProjectId: 7,
    codeVersion: 'main',
    language: 'Go',
    serverType: 'git',
    oauthServiceId: 3,
    containerCommand: 'run',
  },
};

describe('updateComponent', () => {
  it('sets what is given, and leaves the rest', async () => {
    const { componentId } = await trellis.createComponent(appId);
    const input = { ...everything, extendMethod: 'STATE', kind: 'web' };
    const { component } = await update(componentId, input);
    expect(component).toMatchObject({ ...input, version: '2.0' });
    const before = await rowOf(componentId);
    expect((await update(componentId, { version: 'edge' })).component).toEqual({
      ...component,
      version: 'edge',
    });
    const source = { codeFrom: null, gitUrl: null, codeVersion: null, language: null, oauthServiceId: null };
    const cleared = await update(componentId, {
      description: null,
      command: null,
      kind: null,
      source,
      name: null,
    });
    expect(cleared.component).toMatchObject({
      name: 'Another name',
      description: null,
      command: null,
      kind: null,
      source: { ...everything.source, ...source },
    });
    // It is not deployed: there is nothing to deploy, and nothing to carry out.
    expect(cleared.component.hasUndeployedChanges).toBe(false);
    expect(await rowOf(componentId)).toMatchObject({ generation: 0, updateVersion: before.updateVersion });
  });

  it('of a deployed component waits for the next deploy, but for names', async () => {
    const { componentId } = await trellis.createComponent(appId, { deploy: true });
    const named = await update(componentId, { name: 'Only a name', description: 'Or a text.' });
    expect(named.component.hasUndeployedChanges).toBe(false);
    const { component } = await update(componentId, { image: 'nginx:1.30' });
    expect(component).toMatchObject({ hasUndeployedChanges: true, releaseCount: 1, version: '1.30' });
    await trellis.succeed('restartComponent', { component: { componentId } }, 'component { uid }');
    await trellis.succeed('scaleComponent', { component: { componentId }, replicas: 2 }, 'component { uid }');
    expect((await rowOf(componentId)).hasUndeployedChanges).toBe(true);
    const counts = await trellis.counts();
    const deployed = await update(componentId, { command: 'run', deploy: true });
    expect(deployed.component).toMatchObject({
      deployState: 'RUNNING',
      hasUndeployedChanges: false,
      releaseCount: 2,
      command: 'run',
    });
    const after = await trellis.counts();
    expect([after.job! - counts.job!, after.event! - counts.event!]).toEqual([1, 2]);
  });

  it('refuses an image that no node starts, as the creation of a component does', async () => {
    const { componentId } = await trellis.createComponent(appId);
    const before = await rowOf(componentId);
    const message = expect.stringContaining('with a name in lower case');
    const refused = { code: 'INVALID_INPUT', issues: [{ path: ['input', 'image'], message }] };
    for (const image of ['Shop/web:1.0', 'registry.example:5000/shop/Web', 'web:', 'a b', 'https://a/b:1']) {
      expect(await update(componentId, { image })).toMatchObject(refused);
      const input = { application: { appId }, name: 'web', image };
      expect(await trellis.attempt('createComponent', input)).toMatchObject(refused);
    }
    expect(await rowOf(componentId)).toEqual(before);
    for (const image of ['Registry.example/web:Tag', `web@sha256:${'a'.repeat(64)}`]) {
      expect(await update(componentId, { image })).toMatchObject({ component: { image } });
    }
  });

  it('writes nothing where nothing differs, and can deploy all the same', async () => {
    const { componentId } = await trellis.createComponent(appId);
    const [counts, before] = [await trellis.counts(), await rowOf(componentId)];
    await update(componentId, {
      image: before.image,
      replicas: before.replicas,
      description: null,
      source: {},
    });
    expect(await trellis.counts()).toEqual(counts);
    expect(await rowOf(componentId)).toEqual(before);
    expect((await update(componentId, { deploy: true })).component).toMatchObject({
      deployState: 'RUNNING',
      releaseCount: 1,
    });
  });

  it('refuses another extend method once it was deployed, and the source of templates', async () => {
    const { componentId, alias } = await trellis.createComponent(appId, { deploy: true });
    const before = await rowOf(componentId);
    const conflict = {
      code: 'CONFLICT',
      message: `The extend method of the component ${alias} cannot change after the first deploy.`,
    };
    const input = { extendMethod: 'STATE', image: 'nginx:2', deploy: true };
    expect(await update(componentId, input)).toMatchObject(conflict);
    expect(await update(componentId, { source: { kind: 'MARKET' } })).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['input', 'source', 'kind'] }],
    });
    expect(await rowOf(componentId)).toEqual(before);
    expect((await update(componentId, { extendMethod: 'STATELESS' })).component.extendMethod).toBe(
      'STATELESS',
    );
    await trellis.succeed('stopComponent', { component: { componentId } }, 'component { uid }');
    expect(await update(componentId, { extendMethod: 'STATE' })).toMatchObject(conflict);
  });

  it('is serialized with another: both changes are kept', async () => {
    const { componentId } = await trellis.createComponent(appId, { deploy: true });
    await Promise.all([
      update(componentId, { image: 'nginx:3', deploy: true }),
      update(componentId, { command: 'run', deploy: true }),
      update(componentId, { memoryMiB: 7, deploy: true }),
    ]);
    expect(await rowOf(componentId)).toMatchObject({
      image: 'nginx:3',
      command: 'run',
      memoryMiB: 7,
      generation: 4,
      updateVersion: 4,
      hasUndeployedChanges: false,
    });
  });
});

describe('changed ports and rules', () => {
  it('are applied at once in regions that carry out jobs, and only there', async () => {
    for (const driver of ['queued', 'declared']) {
      const place = await trellis.createPlace();
      await useDriver(trellis, place.region.regionId, driver);
      const application = await trellis.createApplication(place);
      const { componentId } = await trellis.createComponent(application.appId, { deploy: true });
      const fresh = await trellis.createComponent(application.appId);
      const where = { component: { componentId } };
      const port = { at: { ...where, number: 80 } };
      const rule = { application: { appId: application.appId }, ...where, portNumber: 80 };
      let generation = 1;
      let jobs = 1;
      const expectApplied = async (isApplied = true) => {
        if (isApplied && driver === 'queued') {
          generation++;
          jobs++;
        }
        const kinds = await trellis.services.db.transaction((tx) =>
          tx.job.findMany({ where: { applicationId: application.appId }, orderBy: { id: 'asc' } }),
        );
        expect(kinds.map(({ kind }) => kind)).toEqual(['deploy', ...Array(jobs - 1).fill('configure')]);
        expect(await rowOf(componentId)).toMatchObject({ generation, hasUndeployedChanges: false });
      };
      await trellis.addPort(componentId, 80);
      await expectApplied();
      await trellis.succeed('openOuterService', { port }, 'port { isOuter }');
      await expectApplied();
      await trellis.succeed('openOuterService', { port }, 'port { isOuter }');
      await expectApplied(false);
      const domain = `${unique('www')}.example`;
      const made = await trellis.succeed('createHttpRule', { ...rule, domain }, 'rule { id }');
      await expectApplied();
      await trellis.succeed('updateHttpRule', { rule: made.rule, weight: 7 }, 'rule { id }');
      await expectApplied();
      await trellis.succeed('updateHttpRule', { rule: made.rule, weight: 7 }, 'rule { id }');
      await expectApplied(false);
      await trellis.succeed('deleteGatewayRule', { rule: made.rule }, '__typename');
      await expectApplied();
      await trellis.succeed('changePortAlias', { port, alias: 'OTHER' }, 'port { alias }');
      await expectApplied();
      await trellis.succeed('deletePort', { port }, 'port { number }');
      await expectApplied();
      // What was never deployed is nothing to a cluster.
      await trellis.addPort(fresh.componentId, 80);
      await expectApplied(false);
    }
  });
});
