import { beforeAll, describe, expect, it } from 'vitest';
import { call, createHook } from '../../support/deploy-hooks.ts';
import { createComponents, queued, useDriver } from '../../support/deploys.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { createTemplate } from '../../support/installs.ts';
import { apply } from '../../support/manifests.ts';
import { once } from '../../support/once.ts';
import { deploy, diff, manifestOf, ref, releasesOf } from '../../support/releases.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [queued] });
let place: Place;
let application: { appId: number; name: string };
beforeAll(async () => {
  place = await trellis.createPlace();
  application = await trellis.createApplication(place, unique('app'));
});

const newComponent = async (options: object = {}) =>
  (await trellis.createComponent(application.appId, { deploy: true, ...options })).componentId;

describe('a release', () => {
  it('is made by every deploy, and by nothing else', async () => {
    const componentId = await newComponent({ deploy: false });
    expect(await releasesOf(trellis, componentId)).toEqual([]);
    const { job } = await deploy(trellis, componentId);
    await trellis.succeed('updateComponent', { ...ref(componentId), image: 'nginx:1.30' }, '__typename');
    for (const mutation of ['restartComponent', 'stopComponent', 'startComponent']) {
      await trellis.succeed(mutation, ref(componentId), '__typename');
    }
    await trellis.succeed('scaleComponent', { ...ref(componentId), replicas: 2 }, '__typename');
    await trellis.succeed('deployComponent', { ...ref(componentId), dryRun: true }, '__typename');
    expect(await releasesOf(trellis, componentId)).toHaveLength(1);
    await trellis.succeed(
      'updateComponent',
      { ...ref(componentId), image: 'nginx:1.31', deploy: true },
      '__typename',
    );
    await trellis.succeed('deployApplication', { application: { appId: application.appId } }, '__typename');
    const releases = await releasesOf(trellis, componentId);
    const shown = releases.map(({ number, image, version }) => ({ number, image, version }));
    expect(shown).toEqual([
      { number: 3, image: 'nginx:1.31', version: '1.31' },
      { number: 2, image: 'nginx:1.31', version: '1.31' },
      { number: 1, image: 'nginx:1.29', version: '1.29' },
    ]);
    expect(releases[2]).toMatchObject({
      restoredNumber: null,
      promotedFrom: null,
      job: { uid: job.uid, kind: 'DEPLOY', status: 'SUCCEEDED' },
      actor: { __typename: 'User' },
      deployHook: null,
    });
  });

  it('is made by a deploy hook, which it names', async () => {
    const componentId = await newComponent({ opensWebhooks: true });
    const hook = await createHook(trellis, { componentId });
    expect((await call(trellis, hook, { tag: '1.30' })).status).toBe(202);
    const [release] = await releasesOf(trellis, componentId);
    expect(release).toMatchObject({
      number: 2,
      image: 'nginx:1.30',
      actor: null,
      deployHook: { uid: hook.deployHookId },
    });
  });

  it('is made by an install and by an apply', async () => {
    const { appId } = await trellis.createApplication(place);
    const { install, upgrade } = await createTemplate(trellis, appId);
    await trellis.succeed('installApplication', { ...install, deploy: true }, '__typename');
    const numbers = async () => {
      const { application: found } = await trellis.data(
        `{ application(by: { appId: ${appId} }) { components { nodes { releases { nodes { number } } } } } }`,
      );
      return found.components.nodes.map(({ releases }: any) =>
        releases.nodes.map((each: any) => each.number),
      );
    };
    expect(await numbers()).toEqual([[1]]);
    await trellis.succeed('upgradeApplication', upgrade, '__typename');
    expect(await numbers()).toEqual([[2, 1]]);
    const name = unique('applied');
    const document = (image: string, port = 80) =>
      `application: ${name}\ncomponents:\n  web:\n    image: ${image}\n    ports:\n      ${port}: { protocol: HTTP }\n`;
    const made = await apply(trellis, place, document('nginx:1.29'));
    const components = await trellis.data(
      '{ application(by: { appId: $id }) { components { nodes { uid } } } }'.replace(
        '$id',
        String(made.application.appId),
      ),
    );
    const { uid } = components.application.components.nodes[0];
    // A port takes effect without a deploy.
    await apply(trellis, place, document('nginx:1.29', 81));
    await apply(trellis, place, document('nginx:1.30', 81));
    expect((await releasesOf(trellis, uid)).map(({ image }) => image)).toEqual(['nginx:1.30', 'nginx:1.29']);
  });

  it('has the configuration as a manifest without secrets, which are encrypted in the database', async () => {
    const alias = unique('db');
    const { [alias]: dependency } = await createComponents(trellis, application.appId, { [alias]: {} });
    const name = unique('web');
    const componentId = await newComponent({
      name,
      image: 'shop/web:2.0',
      command: 'serve',
      replicas: 2,
      probes: { liveness: { http: { port: 80 } } },
      variables: [
        { name: 'MODE', value: 'fast' },
        { name: 'DB_PASSWORD', value: 'hunter2' },
        { name: 'WEB_TOKEN', value: 'shared', scope: 'CONNECTION', isSecret: true },
      ],
      volumes: [{ name: 'conf', path: '/conf', type: 'config-file', fileContent: 'a=1' }],
      dependencies: [{ componentId: dependency }],
    });
    const token = (await trellis.createMember(place.team.teamId, 'VIEWER')).token;
    for (const reader of [undefined, token]) {
      expect(await manifestOf(trellis, componentId, 1, reader)).toEqual({
        application: application.name,
        components: {
          [name]: {
            image: 'shop/web:2.0',
            command: 'serve',
            replicas: 2,
            cpuMillicores: expect.any(Number),
            memoryMiB: expect.any(Number),
            probes: { liveness: { http: { port: 80 } } },
            variables: { DB_PASSWORD: { secret: 'preserve' }, MODE: 'fast' },
            connectionVariables: { WEB_TOKEN: { secret: 'preserve' } },
            volumes: { conf: { path: '/conf', type: 'config-file', fileContent: 'a=1' } },
            dependsOn: [alias],
          },
        },
      });
    }
    const stored = await trellis.services.db.transaction((tx) =>
      tx.release.findMany({ where: { componentId } }),
    );
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain('hunter2');
    expect(trellis.services.seal.open(stored[0]!.sealedSpec)).toContain('hunter2');
  });

  it('differs from another one in what was changed between them', async () => {
    const componentId = await newComponent({
      name: 'diffed',
      variables: [
        { name: 'MODE', value: 'fast' },
        { name: 'GONE', value: 'x' },
        { name: 'DB_PASSWORD', value: 'hunter2' },
      ],
      volumes: [{ name: 'data', path: '/data', type: 'share-file' }],
    });
    await trellis.succeed(
      'setVariables',
      {
        ...ref(componentId),
        set: [
          { name: 'MODE', value: 'slow' },
          { name: 'NEW', value: 'y' },
          { name: 'DB_PASSWORD', value: 'hunter3' },
        ],
        remove: [{ name: 'GONE' }],
      },
      '__typename',
    );
    const changes = { image: 'nginx:1.30', memoryMiB: 64, deploy: true };
    await trellis.succeed('updateComponent', { ...ref(componentId), ...changes }, '__typename');
    const found = (await diff(trellis, componentId, 1, 2))!;
    const shown = found.map(({ action, object, name, fields }) => [
      `${action} ${object} ${name}`,
      ...fields.map(({ field, before, after }: any) => `${field}: ${before} → ${after}`),
    ]);
    expect(shown).toEqual([
      [
        'UPDATE COMPONENT diffed',
        'image: nginx:1.29 → nginx:1.30',
        'version: 1.29 → 1.30',
        expect.stringMatching(/^memoryMiB: \d+ → 64$/),
      ],
      ['UPDATE VARIABLE DB_PASSWORD', 'value: [redacted] → [redacted]'],
      ['DELETE VARIABLE GONE', 'value: x → null'],
      ['UPDATE VARIABLE MODE', 'value: fast → slow'],
      ['CREATE VARIABLE NEW', 'value: null → y'],
    ]);
    expect(found.every(({ isDestructive }) => isDestructive === false)).toBe(true);
    const back = (await diff(trellis, componentId, 2, 1))!;
    expect(back.map(({ action, name }) => `${action} ${name}`).sort()).toEqual([
      'CREATE GONE',
      'DELETE NEW',
      'UPDATE DB_PASSWORD',
      'UPDATE MODE',
      'UPDATE diffed',
    ]);
    expect(await diff(trellis, componentId, 1)).toEqual(found);
    expect(await diff(trellis, componentId, 1, 1)).toEqual([]);
    expect(await diff(trellis, componentId, 1, 9)).toBeNull();
    const refused = await trellis.graphql(
      `{ component(by: { componentId: "${componentId}" }) { releases(first: 1) { nodes { diff(to: 0) { action } } } } }`,
    );
    expect(refused.errors![0]!.extensions).toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('is deleted when there are 50 newer ones, and with its component', async () => {
    const componentId = await newComponent();
    for (let count = 0; count < 51; count++) await deploy(trellis, componentId);
    const numbers = (await releasesOf(trellis, componentId)).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, index) => 52 - index));
    await trellis.succeed('deleteComponent', { ...ref(componentId), force: true }, '__typename');
    const left = await trellis.services.db.transaction((tx) => tx.release.count({ where: { componentId } }));
    expect(left).toBe(0);
  });

  it('is deleted when newer ones have 16 MiB, and with its component', async () => {
    const componentId = await newComponent();
    const file = { name: 'large', path: '/large', type: 'config-file', fileContent: 'x'.repeat(1_000_000) };
    await trellis.succeed('addVolume', { ...ref(componentId), ...file }, '__typename');
    for (let count = 0; count < 14; count++) await deploy(trellis, componentId);
    const numbers = (await releasesOf(trellis, componentId)).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => 15 - index));
    await trellis.succeed('deleteComponent', { ...ref(componentId), force: true }, '__typename');
    const left = await trellis.services.db.transaction((tx) => tx.release.count({ where: { componentId } }));
    expect(left).toBe(0);
  });

  once('takes as many statements for many components as for one', async () => {
    for (const driver of ['declared', 'queued']) {
      const own = await trellis.createPlace();
      await useDriver(trellis, own.region.regionId, driver);
      const counts = [];
      for (const size of [1, 20]) {
        const { appId } = await trellis.createApplication(own, unique('many'));
        const inputs = Array.from({ length: size }, () => [unique('web'), {}]);
        await createComponents(trellis, appId, Object.fromEntries(inputs));
        trellis.statements.length = 0;
        await trellis.succeed('deployApplication', { application: { appId } }, '__typename');
        counts.push(trellis.statements.length);
      }
      expect(counts[1]).toBe(counts[0]);
    }
  });

  it('is hidden from those who may not see its component', async () => {
    const [mine, other] = [await newComponent(), await newComponent()];
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: 'narrow', grants: [{ actions: ['READ'], component: { componentId: mine } }] },
      'secret',
    );
    expect(await releasesOf(trellis, mine, secret)).toHaveLength(1);
    const by = { at: { component: { componentId: other }, number: 1 } };
    const [hidden] = await releasesOf(trellis, other);
    for (const ref of [by, { releaseId: hidden.uid }]) {
      const { errors } = await trellis.graphql(
        'query($by: ReleaseRef!) { release(by: $by) { number } }',
        { by: ref },
        secret,
      );
      expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    }
  });
});
