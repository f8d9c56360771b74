import { beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { createJobPlace, ended, recordingDriver, submit } from '../../support/jobs.ts';
import { tryApply, tryPlan } from '../../support/manifests.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';

const recorded = recordingDriver('recorded');
const trellis = useTrellis({ bodyLimitBytes: 4 * 2 ** 20, drivers: [recorded.driver], jobs: {} });
let place: Place;
beforeAll(async () => {
  place = await trellis.createPlace();
});

const most = 2 ** 20;
const text = (kib: number) => 'x'.repeat(kib * 1024);
const file = (name: string, kib: number) => ({
  name,
  path: `/etc/${name}`,
  type: 'config-file',
  fileContent: text(kib),
});
const ref = (componentId: string) => ({ component: { componentId } });

/** A component with a file of so many KiB, as earlier versions of Trellis could have stored it. */
async function componentWith(kib: number, appId?: number, name = unique('part')) {
  const at = appId ?? (await trellis.createApplication(place)).appId;
  const made = await trellis.createComponent(at, { name });
  const { db } = trellis.services;
  const volume = await db.transaction((tx) =>
    tx.volume.create({ data: { componentId: made.componentId, ...file('stored', kib) } }),
  );
  return { ...made, name, appId: at, volumeId: volume.id };
}

const conflict = (name = '[a-z0-9-]+') => ({
  code: 'CONFLICT',
  message: expect.stringMatching(
    `^The component ${name} has \\d+ KiB of files and environment variables, and can have at most 1024 KiB\\.$`,
  ),
});

const template = (kib: number, options: object = {}) =>
  ringTemplate(1, {
    ...options,
    edit: (app) => {
      const [volume] = app.service_volume_map_list;
      app.service_volume_map_list = [
        volume,
        ...['one', 'two'].map((name) => ({
          volume_name: name,
          volume_path: `/${name}`,
          volume_type: 'config-file',
          file_content: text(kib / 2),
        })),
      ];
    },
  });
const publish = ({ text: form }: { text: string }) =>
  trellis.succeed('publishTemplate', { template: form }, 'template { uid }');

async function install(of: { key: string; version: string }) {
  const { appId } = await trellis.createApplication(place);
  const store = { url: trellis.url, domain: 'self', accessKey: trellis.adminToken };
  const input = { application: { appId }, store, templateId: of.key, version: of.version };
  return { appId, outcome: await trellis.attempt('installApplication', input) };
}

describe('the files and variables of a component', () => {
  it('have at most 1 MiB together, whatever adds them', async () => {
    const full = await componentWith(900);
    const { name } = full;
    const added = await trellis.attempt('addVolume', { ...ref(full.componentId), ...file('more', 200) });
    expect(added).toMatchObject(conflict(name));
    const small = await trellis.succeed(
      'addVolume',
      { ...ref(full.componentId), ...file('small', 1) },
      'volume { id }',
    );
    const grown = { volume: { id: small.volume.id }, fileContent: text(200) };
    expect(await trellis.attempt('updateVolume', grown)).toMatchObject(conflict(name));
    const set = (isSecret: boolean) =>
      Array.from({ length: 4 }, (_, index) => ({ name: `V${index}`, value: text(50), isSecret }));
    for (const isSecret of [true, false]) {
      const input = { ...ref(full.componentId), set: set(isSecret) };
      expect(await trellis.attempt('setVariables', input)).toMatchObject(conflict(name));
    }
    const input = {
      application: { appId: full.appId },
      name: 'new',
      image: 'nginx:1.29',
      volumes: [file('one', 600), file('two', 600)],
    };
    expect(await trellis.attempt('createComponent', input)).toMatchObject(conflict());
    const [row] = await trellis.services.db.component.findManyByKeys({ by: 'id', keys: [full.componentId] });
    const [application] = await trellis.services.db.application.findManyByKeys({
      by: 'id',
      keys: [full.appId],
    });
    const document = (content: string) =>
      JSON.stringify({
        application: application!.name,
        components: {
          [row!.name]: {
            image: 'nginx:1.29',
            variables: { V: { value: text(60) } },
            volumes: { more: { path: '/more', type: 'config-file', fileContent: content } },
          },
        },
      });
    expect(await tryApply(trellis, place, document(text(100)))).toMatchObject(conflict(name));
    const { error } = await tryPlan(trellis, place, document(text(100)));
    expect({ ...error, code: error?.extensions.code }).toMatchObject(conflict(name));
    expect((await tryPlan(trellis, place, document('y'))).error).toBeUndefined();
    // Nothing of all this was stored.
    const { component } = await trellis.data(
      'query($by: ComponentRef!) { component(by: $by) { volumes { totalCount } variables { totalCount } } }',
      { by: { componentId: full.componentId } },
    );
    expect(component).toEqual({ volumes: { totalCount: 2 }, variables: { totalCount: 0 } });
  });

  it('may have exactly 1 MiB', async () => {
    const { componentId } = await trellis.createComponent((await trellis.createApplication(place)).appId);
    const given = { ...ref(componentId), ...file('all', 0) };
    const fileContent = 'x'.repeat(most - given.path.length);
    const add = (content: string) => trellis.attempt('addVolume', { ...given, fileContent: content });
    expect(await add(`${fileContent}x`)).toMatchObject(conflict());
    // Bytes count, not characters.
    expect(await add(fileContent.replace('xx', 'éé'))).toMatchObject(conflict());
    expect(await add(fileContent.replace('xx', 'é'))).toEqual({ __typename: 'AddVolumePayload' });
    await trellis.succeed('deployComponent', ref(componentId), '__typename');
  });

  it('have at most 4 MiB of all components that one change deploys', async () => {
    const { componentId, appId } = await componentWith(900);
    for (let count = 0; count < 4; count++) await componentWith(900, appId);
    for (const dryRun of [true, false]) {
      expect(await trellis.attempt('deployApplication', { application: { appId }, dryRun })).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(
          /^The components to deploy have 45\d\d KiB of files and environment variables\. One change can deploy at most 4096 KiB\. Deploy fewer components at once\.$/,
        ),
      });
    }
    await trellis.succeed('deployComponent', ref(componentId), '__typename');
  });

  it('of a template count as well, when it is installed or upgraded', async () => {
    const large = template(1_100);
    await publish(large);
    expect((await install(large)).outcome).toMatchObject(conflict());
    const first = template(1);
    await publish(first);
    const next = { key: first.key, version: '2.0.0' };
    await publish(template(1_100, next));
    const { appId, outcome } = await install(first);
    expect(outcome.__typename).toBe('InstallApplicationPayload');
    const upgrades = [{ storeName: 'self', templateId: first.key, version: next.version }];
    const upgrade = { application: { appId }, upgrades };
    expect(await trellis.attempt('upgradeApplication', upgrade)).toMatchObject(conflict());
  });

  it('of a release count with what stays in the component that it is promoted to', async () => {
    const name = unique('web');
    const source = await componentWith(900, undefined, name);
    await trellis.succeed('deployComponent', ref(source.componentId), '__typename');
    const target = await componentWith(1, undefined, name);
    const set = Array.from({ length: 4 }, (_, index) => ({ name: `V${index}`, value: text(50) }));
    await trellis.succeed('setVariables', { ...ref(target.componentId), set }, '__typename');
    const input = {
      release: { at: { ...ref(source.componentId), number: 1 } },
      to: { appId: target.appId },
    };
    expect(await trellis.attempt('promoteRelease', input)).toMatchObject(conflict(name));
  });
});

describe('a component that has more already', () => {
  it('can be read and made smaller, and is not deployed', async () => {
    const { componentId, appId, volumeId, name } = await componentWith(3_000);
    const id = Buffer.from(`Volume:${volumeId}`).toString('base64url');
    const { node } = await trellis.data(`{ node(id: "${id}") { ... on Volume { fileContent } } }`);
    expect(node.fileContent).toHaveLength(3_000 * 1024);
    for (const dryRun of [true, false]) {
      expect(await trellis.attempt('deployComponent', { ...ref(componentId), dryRun })).toMatchObject(
        conflict(name),
      );
      const input = { application: { appId }, dryRun };
      expect(await trellis.attempt('deployApplication', input)).toMatchObject(conflict(name));
    }
    const set = [{ name: 'A', value: 'b' }];
    expect(await trellis.attempt('setVariables', { ...ref(componentId), set })).toMatchObject(conflict(name));
    const smaller = (kib: number) => ({ volume: { id }, fileContent: text(kib) });
    await trellis.succeed('updateVolume', smaller(1_024), '__typename');
    await trellis.succeed('updateVolume', smaller(10), '__typename');
    await trellis.succeed('deployComponent', ref(componentId), '__typename');
  });

  it('is not brought back to a release that has more', async () => {
    const { componentId, appId } = await componentWith(1);
    await trellis.succeed('deployComponent', ref(componentId), '__typename');
    await trellis.services.db.transaction((tx) =>
      tx.release.updateMany({ where: { componentId }, data: { sealedSpec: `v1.${text(5 * 1024)}` } }),
    );
    const refused = {
      code: 'CONFLICT',
      message: expect.stringMatching(
        /^The release 1 of the component .+ cannot be deployed: it has more than 1024 KiB of files and environment variables\.$/,
      ),
    };
    const input = { ...ref(componentId), release: 1, dryRun: true };
    expect(await trellis.attempt('rollbackComponent', input)).toMatchObject(refused);
    const whole = { application: { appId }, at: new Date().toISOString(), dryRun: true };
    expect(await trellis.attempt('rollbackApplication', whole)).toMatchObject(refused);
    const { appId: to } = await trellis.createApplication(place);
    const { name } = (
      await trellis.data('query($by: ComponentRef!) { component(by: $by) { name } }', { by: { componentId } })
    ).component;
    await trellis.createComponent(to, { name });
    const promotion = {
      release: { at: { ...ref(componentId), number: 1 } },
      to: { appId: to },
      dryRun: true,
    };
    expect(await trellis.attempt('promoteRelease', promotion)).toMatchObject(refused);
  });
});

describe('a job of a component that was deployed with more', () => {
  const specOf = (kib: number) => ({
    image: 'nginx:1.29',
    version: '1.29',
    command: null,
    extendMethod: 'stateless',
    replicas: 1,
    cpuMillicores: 1,
    memoryMiB: 1,
    gpuMemoryMiB: 0,
    variables: [],
    volumes: [file('large', kib)],
    dependencies: [],
  });

  it('fails with the reason, while others go on, and can stop it', async () => {
    const at = await createJobPlace(trellis, 'recorded', 4);
    const [huge, large, whole, current] = at.componentIds as [string, string, string, string];
    const { db, seal } = trellis.services;
    const stored = {
      // Not even loaded: it cannot be decrypted.
      [huge]: `v1.${text(5 * 1024)}`,
      [large]: seal.close(JSON.stringify(specOf(1_100))),
      [whole]: seal.close(JSON.stringify(specOf(1_000))),
    };
    await db.transaction(async (tx) => {
      for (const [id, sealedSpec] of Object.entries(stored)) {
        await tx.deployment.create({ data: { id, sealedSpec, deployedAt: new Date() } });
      }
      await tx.volume.create({ data: { componentId: current, ...file('large', 1_100) } });
    });
    const { job, components } = await ended(trellis, await submit(trellis, at));
    expect(job.status).toBe('failed');
    const outcomes = new Map(components.map(({ componentId, ...work }) => [componentId, work]));
    for (const id of [huge, large, current]) {
      expect(outcomes.get(id)).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(
          /^The files and environment variables of the component .+, have more than 1024 KiB\. Make them smaller/,
        ),
      });
    }
    expect(outcomes.get(whole)!.status).toBe('succeeded');
    expect(recorded.calls.map(({ componentId }) => componentId)).toEqual([whole]);
    const stop = await ended(trellis, await submit(trellis, at, { kind: 'stop', state: 'closed' }));
    expect(stop.job.status).toBe('succeeded');
  });
});
