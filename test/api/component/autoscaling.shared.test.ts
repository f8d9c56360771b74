import { describe, expect, it } from 'vitest';
import { queued, useDriver } from '../../support/deploys.ts';
import { type Place, refsOf, unique } from '../../support/fixtures.ts';
import { apply, exported, plan, tryApply } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [queued] });

const fields = 'replicas autoscaling { minReplicas maxReplicas cpuPercent memoryPercent }';
const selection = `component { ${fields} hasUndeployedChanges } job { kind } plan { action }`;

async function newComponent(input: object = {}, place?: Place): Promise<{ componentId: string }> {
  const { appId } = await trellis.createApplication(place ?? (await trellis.createPlace()));
  const { componentId } = await trellis.createComponent(appId, input as any);
  return { componentId };
}

const set = (component: object, input: object = {}) =>
  trellis.succeed(
    'setAutoscaling',
    { component, minReplicas: 2, maxReplicas: 5, cpuPercent: 70, ...input },
    selection,
  );

const read = async ({ componentId }: { componentId: string }) =>
  (await trellis.data(`{ component(by: { componentId: "${componentId}" }) { ${fields} totalMemoryMiB } }`))
    .component;

describe('setAutoscaling', () => {
  it('sets the bounds, changes them, and changes nothing the second time', async () => {
    const component = await newComponent({ memoryMiB: 100 });
    const autoscaling = { minReplicas: 2, maxReplicas: 5, cpuPercent: 70, memoryPercent: null };
    const done = await set(component);
    expect(done).toMatchObject({ component: { replicas: 2, autoscaling, hasUndeployedChanges: false } });
    expect(done.plan).toContainEqual({ action: 'component.set_autoscaling' });
    expect(await read(component)).toEqual({ replicas: 2, autoscaling, totalMemoryMiB: 200 });
    const counts = await trellis.counts();
    expect((await set(component)).plan).toEqual([]);
    expect(await trellis.counts()).toEqual(counts);
    const next = { minReplicas: 1, maxReplicas: 1, cpuPercent: null, memoryPercent: 50 };
    expect((await set(component, next)).component).toMatchObject({ replicas: 1, autoscaling: next });
    const trial = await set(component, { dryRun: true });
    expect(trial.plan).toContainEqual({ action: 'component.set_autoscaling' });
    expect((await read(component)).autoscaling).toEqual(next);
  });

  it('refuses bounds that contradict each other, and components that cannot be scaled', async () => {
    const component = await newComponent();
    const tries: [object, string, object][] = [
      [component, 'INVALID_INPUT', { minReplicas: 6 }],
      [component, 'INVALID_INPUT', { minReplicas: 0 }],
      [component, 'INVALID_INPUT', { cpuPercent: null }],
      [component, 'INVALID_INPUT', { cpuPercent: 101 }],
      [await newComponent({ extendMethod: 'STATE' }), 'CONFLICT', {}],
      [await newComponent({ cpuMillicores: 0 }), 'CONFLICT', {}],
      [await newComponent({ memoryMiB: 0 }), 'CONFLICT', { memoryPercent: 80 }],
      [
        await newComponent({ volumes: [{ name: 'data', path: '/data', type: 'share-file' }] }),
        'CONFLICT',
        {},
      ],
    ];
    const counts = await trellis.counts();
    for (const [of, code, input] of tries) {
      const given = { component: of, minReplicas: 2, maxReplicas: 5, cpuPercent: 70, ...input };
      expect(await trellis.attempt('setAutoscaling', given), JSON.stringify(input)).toMatchObject({ code });
    }
    expect(await trellis.counts()).toEqual(counts);
  });

  it('keeps others from setting the number of instances, and what it needs', async () => {
    const component = await newComponent({ deploy: true });
    await set(component, { memoryPercent: 80 });
    const volume = { component, name: 'data', path: '/data', type: 'share-file' };
    const tries: [string, object][] = [
      ['scaleComponent', { component, replicas: 3 }],
      ['updateComponent', { component, replicas: 3 }],
      ['scaleComponent', { component, cpuMillicores: 0 }],
      ['updateComponent', { component, memoryMiB: 0 }],
      ['addVolume', volume],
      ['addVolume', { ...volume, accessMode: 'ReadWriteOnce' }],
    ];
    for (const [name, input] of tries) {
      const refusal = await trellis.attempt(name, input);
      expect(refusal, name).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('autoscaling'),
      });
    }
    await trellis.succeed('scaleComponent', { component, cpuMillicores: 100 }, '__typename');
    await trellis.succeed('addVolume', { ...volume, accessMode: 'ReadWriteMany' }, '__typename');
    const once = { volume: { at: { component, name: 'data' } }, accessMode: 'ReadWriteOnce' };
    expect(await trellis.attempt('updateVolume', once)).toMatchObject({ code: 'CONFLICT' });
  });

  it('counts the largest number toward the quota', async () => {
    const place = await trellis.createPlace();
    const component = await newComponent({ deploy: true, cpuMillicores: 100 }, place);
    const quota = (cpuQuotaMillicores: number) =>
      trellis.succeed(
        'setTeamQuota',
        { ...refsOf(place), cpuQuotaMillicores },
        'resources { usedCpuMillicores }',
      );
    await quota(400);
    const given = { component, minReplicas: 1, maxReplicas: 5, cpuPercent: 70 };
    expect(await trellis.attempt('setAutoscaling', given)).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await set(component, { minReplicas: 1, maxReplicas: 4 });
    expect((await quota(400)).resources).toEqual({ usedCpuMillicores: 400 });
    await trellis.succeed('removeAutoscaling', { component }, '__typename');
    expect((await quota(400)).resources).toEqual({ usedCpuMillicores: 100 });
  });

  it('takes effect at once in a region that carries out jobs, and is part of what is deployed', async () => {
    const place = await trellis.createPlace();
    await useDriver(trellis, place.region.regionId, 'queued');
    const component = await newComponent({ deploy: true }, place);
    expect((await set(component)).job).toEqual({ kind: 'SCALE' });
    const row = await trellis.services.db.transaction((tx) =>
      tx.deployment.findUnique({ where: { id: component.componentId } }),
    );
    expect(JSON.parse(trellis.services.seal.open(row!.sealedSpec))).toMatchObject({
      replicas: 2,
      minReplicas: 2,
      maxReplicas: 5,
      targetCpuPercent: 70,
      targetMemoryPercent: null,
    });
  });
});

describe('removeAutoscaling', () => {
  it('keeps the number of instances, which can be set again', async () => {
    const component = await newComponent({ deploy: true });
    await set(component, { minReplicas: 3 });
    const done = await trellis.succeed('removeAutoscaling', { component }, selection);
    expect(done.component).toMatchObject({ replicas: 3, autoscaling: null });
    expect(done.plan).toContainEqual({ action: 'component.remove_autoscaling' });
    expect((await trellis.succeed('removeAutoscaling', { component }, selection)).plan).toEqual([]);
    const scaled = await trellis.succeed(
      'scaleComponent',
      { component, replicas: 1 },
      `component { ${fields} }`,
    );
    expect(scaled.component.replicas).toBe(1);
  });
});

describe('a manifest', () => {
  const document = (component: string) =>
    `application: shop\ncomponents:\n  web:\n    image: nginx:1.29\n${component}`;

  it('sets, changes, exports and removes an autoscaling', async () => {
    const place = await trellis.createPlace();
    const first = document('    autoscaling: { minReplicas: 2, maxReplicas: 6, cpuPercent: 60 }\n');
    const { application } = await apply(trellis, place, first);
    const seen = async () =>
      (
        await trellis.data(
          `{ application(by: { appId: ${application.appId} }) { components(first: 1) { nodes { ${fields} } } } }`,
        )
      ).application.components.nodes[0];
    expect(await seen()).toEqual({
      replicas: 2,
      autoscaling: { minReplicas: 2, maxReplicas: 6, cpuPercent: 60, memoryPercent: null },
    });
    expect((await plan(trellis, place, first)).changes).toEqual([]);
    const { document: written } = await exported(trellis, application.appId);
    expect(written).toContain('autoscaling:');
    expect(written).not.toContain('replicas:');
    expect((await plan(trellis, place, written)).changes).toEqual([]);
    // What it leaves out is not managed, but for the number of instances.
    expect((await plan(trellis, place, document(''))).changes).toEqual([]);
    expect(await tryApply(trellis, place, document('    replicas: 3\n'))).toMatchObject({ code: 'CONFLICT' });
    await apply(
      trellis,
      place,
      document('    autoscaling: { minReplicas: 4, maxReplicas: 6, memoryPercent: 50 }\n'),
    );
    expect(await seen()).toEqual({
      replicas: 4,
      autoscaling: { minReplicas: 4, maxReplicas: 6, cpuPercent: null, memoryPercent: 50 },
    });
    await apply(trellis, place, document('    autoscaling: null\n'));
    expect(await seen()).toEqual({ replicas: 4, autoscaling: null });
  });

  it('refuses what contradicts itself', async () => {
    const place = await trellis.createPlace();
    for (const [component, code] of [
      [
        '    replicas: 2\n    autoscaling: { minReplicas: 2, maxReplicas: 6, cpuPercent: 60 }\n',
        'INVALID_INPUT',
      ],
      ['    autoscaling: { minReplicas: 7, maxReplicas: 6, cpuPercent: 60 }\n', 'INVALID_INPUT'],
      ['    autoscaling: { minReplicas: 2, maxReplicas: 6 }\n', 'INVALID_INPUT'],
      [
        '    extendMethod: STATE\n    autoscaling: { minReplicas: 2, maxReplicas: 6, cpuPercent: 60 }\n',
        'CONFLICT',
      ],
      [
        '    autoscaling: { minReplicas: 2, maxReplicas: 6, cpuPercent: 60 }\n    volumes:\n      data: { path: /data, type: share-file }\n',
        'CONFLICT',
      ],
    ] as const) {
      expect(await tryApply(trellis, place, document(component)), component).toMatchObject({ code });
    }
  });
});

describe('a release', () => {
  it('brings the autoscaling back that it had, or removes it', async () => {
    const component = await newComponent({ replicas: 3 });
    const deploy = () => trellis.succeed('deployComponent', { component }, '__typename');
    const rollBack = (release: number) =>
      trellis.succeed('rollbackComponent', { component, release }, '__typename');
    await deploy();
    await set(component);
    await deploy();
    const { releases } = (
      await trellis.data(
        `{ component(by: { componentId: "${component.componentId}" }) { releases { nodes { number manifest } } } }`,
      )
    ).component;
    expect(releases.nodes.map(({ number }: any) => number)).toEqual([2, 1]);
    expect(releases.nodes[0].manifest).toContain('maxReplicas: 5');
    expect(releases.nodes[0].manifest).not.toContain(' replicas:');
    await rollBack(1);
    expect(await read(component)).toMatchObject({ replicas: 3, autoscaling: null });
    await rollBack(2);
    expect((await read(component)).autoscaling).toMatchObject({ minReplicas: 2, maxReplicas: 5 });
  });

  it('is brought back with a number of instances within its bounds, unless the component has changed too much', async () => {
    const component = await newComponent({ replicas: 3, deploy: true });
    const change = (name: string, input: object) =>
      trellis.succeed(name, { component, ...input }, '__typename');
    const rollBack = (release: number, dryRun = false) =>
      trellis.attempt(
        'rollbackComponent',
        { component, release, dryRun },
        'plan { changes { action object fields { field before after } } }',
      );
    await set(component);
    await change('deployComponent', {});
    await change('removeAutoscaling', {});
    await change('scaleComponent', { replicas: 9 });
    await change('deployComponent', {});

    const planned = await rollBack(2, true);
    expect(planned.plan.changes).toEqual([
      {
        ...{ action: 'UPDATE', object: 'COMPONENT' },
        fields: [
          { field: 'replicas', before: '9', after: '5' },
          { field: 'autoscaling.minReplicas', before: null, after: '2' },
          { field: 'autoscaling.maxReplicas', before: null, after: '5' },
          { field: 'autoscaling.cpuPercent', before: null, after: '70' },
        ],
      },
    ]);
    expect((await rollBack(2)).plan).toEqual(planned.plan);
    expect(await read(component)).toMatchObject({ replicas: 5, autoscaling: { maxReplicas: 5 } });
    // A release without one has its own number, whatever the load has made of it.
    await rollBack(3);
    expect(await read(component)).toMatchObject({ replicas: 9, autoscaling: null });

    const volume = { name: 'data', path: '/data', type: 'share-file' };
    await change('addVolume', volume);
    const counts = await trellis.counts();
    expect(await rollBack(2)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('cannot share the volume data'),
    });
    expect(await trellis.counts()).toEqual(counts);
    expect(await read(component)).toMatchObject({ replicas: 9, autoscaling: null });
  });

  it('takes an autoscaling along when it is promoted with its resources, or the lack of one', async () => {
    const place = await trellis.createPlace();
    const name = unique('web');
    const from = await newComponent({ name, replicas: 3, deploy: true }, place);
    await set(from);
    await trellis.succeed('deployComponent', { component: from }, '__typename');
    const { appId } = await trellis.createApplication(place);
    const to = await trellis.createComponent(appId, { name, replicas: 1, deploy: true } as any);
    const promote = (number: number, includesResources: boolean) =>
      trellis.succeed(
        'promoteRelease',
        { release: { at: { component: from, number } }, to: { appId }, includesResources },
        `component { ${fields} }`,
      );
    expect((await promote(2, false)).component).toMatchObject({ replicas: 1, autoscaling: null });
    const { component } = await promote(2, true);
    expect(component).toMatchObject({ replicas: 2, autoscaling: { minReplicas: 2, maxReplicas: 5 } });
    expect((await promote(1, false)).component).toEqual(component);
    expect((await promote(1, true)).component).toMatchObject({ replicas: 3, autoscaling: null });
    expect(await read(to)).toMatchObject({ replicas: 3, autoscaling: null });
  });
});
