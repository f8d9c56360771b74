import { beforeAll, describe, expect, it } from 'vitest';
import { desiredComponent } from '../../../src/domain/job/desired-reads.ts';
import { createLoaders } from '../../../src/kernel/batch.ts';
import { queued, useDriver } from '../../support/deploys.ts';
import type { Place } from '../../support/fixtures.ts';
import { apply, exported, plan, tryApply } from '../../support/manifests.ts';
import { deploy, diff, manifestOf, ref, rollBack } from '../../support/releases.ts';
import { useTrellis } from '../../support/trellis.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis({ drivers: [queued] });
let place: Place;
let appId: number;
beforeAll(async () => {
  place = await trellis.createPlace();
  await useDriver(trellis, place.region.regionId, 'queued');
  ({ appId } = await trellis.createApplication(place));
});

const sizeFields = 'cpuMillicores cpuLimitMillicores memoryMiB memoryLimitMiB';
type Size = [cpu: number, cpuLimit: number | null, memory: number, memoryLimit: number | null];
const sizeIn = (of: any): Size => [of.cpuMillicores, of.cpuLimitMillicores, of.memoryMiB, of.memoryLimitMiB];
const sizeOf = async (componentId: string) => {
  const query = `query($by: ComponentRef!) { component(by: $by) { ${sizeFields} } }`;
  return sizeIn((await trellis.data(query, { by: { componentId } })).component);
};
/** What the region is to run. */
const desiredOf = async (componentId: string) =>
  sizeIn(await desiredComponent({ ...trellis.services, loaders: createLoaders() } as never, componentId));
const created = async (options: object = {}) =>
  (await trellis.createComponent(appId, { deploy: true, ...options })).componentId;
const change = async (mutation: string, componentId: string, input: object) => {
  await trellis.succeed(mutation, { ...ref(componentId), ...input }, '__typename');
  return sizeOf(componentId);
};
const issueOf = async (mutation: string, componentId: string, input: object) => {
  const { issues } = await trellis.attempt(mutation, { ...ref(componentId), ...input });
  return issues?.map(({ path, message }: any) => `${path.join('.')}: ${message}`);
};

describe('the limits of a component', () => {
  it('are what it requests, unless they are set apart or null removes them', async () => {
    expect(await sizeOf(await created())).toEqual([500, 500, 512, 512]);
    const apart = { memoryMiB: 128, cpuLimitMillicores: null, memoryLimitMiB: 1024 };
    const componentId = await created(apart);
    expect(await sizeOf(componentId)).toEqual([500, null, 128, 1024]);
    expect(await desiredOf(componentId)).toEqual([500, null, 128, 1024]);
    // What requests nothing has no limit, as before there were any apart.
    expect(await sizeOf(await created({ cpuMillicores: 0 }))).toEqual([0, null, 512, 512]);
    const input = { application: { appId }, name: 'x', image: 'nginx:1', memoryLimitMiB: 511 };
    expect(await trellis.attempt('createComponent', input)).toMatchObject({
      issues: [{ path: ['input', 'memoryLimitMiB'], message: 'Must be at least memoryMiB (512)' }],
    });
  });

  it('follow the request while they are the same, and are not left below it', async () => {
    const componentId = await created();
    expect(await change('updateComponent', componentId, { memoryMiB: 256 })).toEqual([500, 500, 256, 256]);
    expect(await change('updateComponent', componentId, { memoryLimitMiB: 512 })).toEqual([
      500, 500, 256, 512,
    ]);
    expect(await issueOf('updateComponent', componentId, { memoryMiB: 513 })).toEqual([
      'input.memoryMiB: Must be at most memoryLimitMiB (512)',
    ]);
    const both = { memoryMiB: 513, memoryLimitMiB: 500 };
    expect(await issueOf('updateComponent', componentId, both)).toEqual([
      'input.memoryLimitMiB: Must be at least memoryMiB (513)',
    ]);
    expect(await issueOf('scaleComponent', componentId, { memoryMiB: 513 })).toEqual([
      'input.memoryMiB: Must be at most memoryLimitMiB (512)',
    ]);
    expect(await change('updateComponent', componentId, { memoryMiB: 512 })).toEqual([500, 500, 512, 512]);
    expect(await change('updateComponent', componentId, { memoryMiB: 600 })).toEqual([500, 500, 600, 600]);
    expect(await change('updateComponent', componentId, { memoryLimitMiB: null })).toEqual([
      500,
      500,
      600,
      null,
    ]);
    expect(await change('updateComponent', componentId, { memoryMiB: 700 })).toEqual([500, 500, 700, null]);
    expect(await change('updateComponent', componentId, { memoryLimitMiB: 700 })).toEqual([
      500, 500, 700, 700,
    ]);
  });

  it('are scaled with the request, in what is deployed as well', async () => {
    const componentId = await created({ memoryMiB: 128, memoryLimitMiB: 256 });
    // Not deployed yet.
    await change('updateComponent', componentId, { memoryLimitMiB: 1024, cpuLimitMillicores: null });
    expect(await desiredOf(componentId)).toEqual([500, 500, 128, 256]);
    await change('scaleComponent', componentId, { memoryMiB: 512 });
    expect(await desiredOf(componentId)).toEqual([500, 500, 512, 1024]);
    await change('scaleComponent', componentId, { cpuMillicores: 600, memoryLimitMiB: null });
    expect(await desiredOf(componentId)).toEqual([600, null, 512, null]);
    const same = await trellis.succeed(
      'scaleComponent',
      { ...ref(componentId), memoryLimitMiB: null },
      'job { uid }',
    );
    expect(same.job).toBeNull();
  });

  it('do not count toward the quota', async () => {
    const quota = { team: { teamId: place.team.teamId }, region: { name: place.region.name } };
    const componentId = await created({ cpuMillicores: 10, memoryMiB: 10 });
    const { requested } = await trellis.services.db.transaction(async (tx) => ({
      requested: await tx.component.aggregate({
        where: { applicationId: appId, deployState: 'running' },
        _sum: { memoryMiB: true },
      }),
    }));
    const memoryMiB = requested._sum.memoryMiB!;
    await trellis.succeed('setTeamQuota', { ...quota, memoryQuotaMiB: memoryMiB }, '__typename');
    expect(await change('scaleComponent', componentId, { memoryLimitMiB: 4096 })).toEqual([10, 10, 10, 4096]);
    const more = { ...ref(componentId), memoryMiB: 11 };
    expect(await trellis.attempt('scaleComponent', more)).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await trellis.succeed('setTeamQuota', { ...quota, memoryQuotaMiB: 0 }, '__typename');
  });

  it('are in releases, which bring them back', async () => {
    const componentId = await created({ memoryLimitMiB: 1024 });
    await change('updateComponent', componentId, { memoryLimitMiB: null, cpuLimitMillicores: 900 });
    await deploy(trellis, componentId);
    const { components } = await manifestOf(trellis, componentId, 2);
    expect(Object.values(components)[0]).toMatchObject({
      cpuLimitMillicores: 900,
      memoryLimitMiB: 'none',
    });
    const [changed] = (await diff(trellis, componentId, 1, 2))!;
    expect(changed.fields.map(({ field, before, after }: any) => [field, before, after])).toEqual([
      ['cpuLimitMillicores', null, '900'],
      ['memoryLimitMiB', '1024', 'none'],
    ]);
    await rollBack(trellis, componentId, 1);
    expect(await sizeOf(componentId)).toEqual([500, 500, 512, 1024]);
    expect(await desiredOf(componentId)).toEqual([500, 500, 512, 1024]);
  });

  it('that are what it requests are not in what is deployed, which is as it was before there were any apart', async () => {
    const componentId = await created({ memoryMiB: 64 });
    const { db, seal } = trellis.services;
    const specOf = async () => {
      const { sealedSpec } = await db.transaction((tx) =>
        tx.deployment.findUniqueOrThrow({ where: { id: componentId } }),
      );
      return JSON.parse(seal.open(sealedSpec));
    };
    // Each of these came later than stored deployments, and would make all of them differ from what would be deployed.
    const later = [
      'cpuLimitMillicores',
      'memoryLimitMiB',
      'entrypoint',
      'preDeployCommand',
      'preDeployTimeoutSeconds',
    ];
    for (const column of later) expect(await specOf()).not.toHaveProperty(column);
    expect(await desiredOf(componentId)).toEqual([500, 500, 64, 64]);
  });

  it('are in manifests', async () => {
    const web = (component: object) =>
      JSON.stringify({ application: 'sized', components: { web: { image: 'nginx:1', ...component } } });
    const { application } = await apply(
      trellis,
      place,
      web({ memoryLimitMiB: 512, cpuLimitMillicores: 'none' }),
    );
    const shown = async () => (await exported(trellis, application.appId)).document;
    expect(await shown()).toContain('cpuLimitMillicores: none');
    // The same as is requested.
    expect(await shown()).not.toContain('memoryLimitMiB');
    const changesOf = async (component: object) =>
      (await plan(trellis, place, web(component))).changes.flatMap(({ fields }) =>
        fields.map(({ field, before, after }) => `${field}: ${before} → ${after}`),
      );
    expect(await changesOf({ memoryLimitMiB: 512, cpuLimitMillicores: 'none' })).toEqual([]);
    expect(await changesOf({ memoryMiB: 256 })).toEqual(['memoryMiB: 512 → 256']);
    expect(await changesOf({ memoryMiB: 256, memoryLimitMiB: 1024, cpuLimitMillicores: null })).toEqual([
      'memoryMiB: 512 → 256',
      'cpuLimitMillicores: none → null',
      'memoryLimitMiB: null → 1024',
    ]);
    await apply(trellis, place, web({ memoryLimitMiB: 1024 }));
    const issues = async (component: object) =>
      (await tryApply(trellis, place, web(component))).issues.map(
        ({ path, message }: any) => `${path.at(-1)}: ${message}`,
      );
    expect(await issues({ memoryMiB: 2048 })).toEqual(['memoryMiB: Must be at most memoryLimitMiB (1024)']);
    expect(await issues({ memoryLimitMiB: 100 })).toEqual([
      'memoryLimitMiB: Must be at least memoryMiB (512)',
    ]);
    expect(await issues({ memoryLimitMiB: 'all' })).toEqual([
      'memoryLimitMiB: Must be a whole number of at least 1, or `none`',
    ]);
    const document = (await exported(trellis, application.appId)).document.replace('sized', 'copy');
    const copy = await apply(trellis, await trellis.createPlace(), document);
    expect((await exported(trellis, copy.application.appId)).document).toBe(document);
  });

  it('are those of templates, and never below the request after an upgrade', async () => {
    const { installed, changesOf, store } = upgradesOf(trellis);
    const sizes = [
      [{}, { memory_limit: 1024, cpu_limit: 0 }, { memory_limit: 1 }],
      [{ memory: 700 }, { memory: 512, memory_limit: 0 }, { memory: 512, memory_limit: 600 }],
    ];
    const { appId: installedId, key } = await installed(
      3,
      sizes.map((version) => (app: any, index: number) => {
        Object.assign(app, { memory: 512, cpu: 500 }, version[index]);
      }),
    );
    const read = async (id: number) =>
      (
        await trellis.data(
          `{ application(by: { appId: ${id} }) { components(orderBy: { field: NAME }) { nodes { uid ${sizeFields} } } } }`,
        )
      ).application.components.nodes;
    const before = await read(installedId);
    expect(before.map(sizeIn)).toEqual([
      [500, 500, 512, 512],
      [500, null, 512, 1024],
      [500, 500, 512, 512],
    ]);
    const published = await trellis.succeed(
      'publishApplication',
      { application: { appId: installedId }, version: '1', catalogue: 'ENTERPRISE' },
      'template { key }',
    );
    const copy = await trellis.createApplication(await trellis.createPlace());
    await trellis.succeed(
      'installApplication',
      {
        ...{ application: { appId: copy.appId }, store: store(), version: '1', deploy: false },
        templateId: published.template.key,
      },
      '__typename',
    );
    expect((await read(copy.appId)).map(sizeIn)).toEqual(before.map(sizeIn));
    await change('updateComponent', before[0].uid, { memoryLimitMiB: 600 });
    await change('updateComponent', before[2].uid, { memoryMiB: 2048 });
    await changesOf(installedId, key);
    expect((await read(installedId)).map(sizeIn)).toEqual([
      [500, 500, 700, 700],
      [500, 500, 512, null],
      [500, 500, 2048, 2048],
    ]);
  });
});
