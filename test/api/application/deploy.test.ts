import { beforeAll, describe, expect, it } from 'vitest';
import { createComponents, jobsOf, queued, statesOf, useDriver } from '../../support/deploys.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { useTrellis } from '../../support/trellis.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis({ drivers: [queued] });
let place: Place;
beforeAll(async () => {
  place = await trellis.createPlace();
  await useDriver(trellis, place.region.regionId, 'queued');
});

const selection =
  'job { kind status components(first: 1) { totalCount } } application { appId: uid updatedAt }';
const act = (name: string, appId: number, options: object = {}) =>
  trellis.attempt(`${name}Application`, { application: { appId }, ...options }, selection);

const depend = (...pairs: { componentId: string; dependencyId: string }[]) =>
  trellis.services.db.transaction((tx) => tx.componentDependency.createMany({ data: pairs }));

/** An application with `count` components, each of which depends on the one before it. */
async function chain(count: number) {
  const { appId } = await trellis.createApplication(place);
  const prefix = unique('c');
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(2, '0')}`);
  const variables = [
    { name: 'LEVEL', value: 'info' },
    { name: 'PASSWORD', value: 'x'.repeat(100) },
  ];
  const volumes = [{ name: 'data', path: '/data', type: 'share-file' }];
  const ids = await createComponents(
    trellis,
    appId,
    Object.fromEntries(names.map((name) => [name, { variables, volumes }])),
  );
  const all = names.map((name) => ids[name]!);
  await depend(...all.slice(1).map((componentId, index) => ({ componentId, dependencyId: all[index]! })));
  return { appId, names, ids: all };
}

describe('the components of an application', () => {
  it('are deployed, restarted, stopped and started in one job, dependencies first and last when stopped', async () => {
    const { appId } = await trellis.createApplication(place);
    const names = Object.fromEntries(
      ['db', 'api', 'web', 'east', 'west'].map((name) => [name, unique(name)]),
    );
    const { db, api, web, east, west } = names as { [name: string]: string };
    const made = await createComponents(trellis, appId, {
      [web!]: {},
      [api!]: {},
      [db!]: {},
      [east!]: {},
      [west!]: {},
    });
    const id = (name: string | undefined) => made[name!]!;
    const needs = [
      [web, api],
      [web, db],
      [api, db],
      // A cycle, of which web needs one.
      [east, west],
      [west, east],
      [web, east],
    ];
    await depend(...needs.map(([one, other]) => ({ componentId: id(one), dependencyId: id(other) })));
    const forwards = [
      [0, db],
      [0, east],
      [0, west],
      [1, api],
      [2, web],
    ];
    const backwards = [
      [0, web],
      [1, api],
      [1, east],
      [1, west],
      [2, db],
    ];
    for (const [name, steps, state, event] of [
      ['deploy', forwards, 'running', 'deploy'],
      ['restart', forwards, 'running', 'restart'],
      ['stop', backwards, 'closed', 'stop'],
      ['start', forwards, 'running', 'start'],
    ] as const) {
      expect((await act(name, appId)).job).toEqual({
        kind: name.toUpperCase(),
        status: 'PENDING',
        components: { totalCount: 5 },
      });
      const [job] = await jobsOf(trellis, appId);
      expect(job).toMatchObject({ kind: name, status: 'pending' });
      expect(job!.components.map(({ step, componentName }) => [step, componentName])).toEqual(
        [...steps].sort(([one, a], [other, b]) => Number(one) - Number(other) || (a! < b! ? -1 : 1)),
      );
      expect(new Set(job!.components.map(({ action }) => action))).toEqual(
        new Set([name === 'restart' ? 'restart' : 'apply']),
      );
      const states = await statesOf(trellis, appId);
      expect(new Set(Object.values(states).map(({ deployState }) => deployState))).toEqual(new Set([state]));
      const { events } = await trellis.data(
        '{ events(first: 6) { nodes { action changes { field after: newValue } } } }',
      );
      expect(events.nodes.map((each: any) => each.action)).toEqual([
        `application.${event}`,
        ...Array(5).fill(`component.${event}`),
      ]);
      const [{ field, after }] = events.nodes[0].changes;
      expect([field, after]).toEqual(['components', Object.values(names).sort()]);
    }
  });

  it('are left as they are if their state does not allow it', async () => {
    const { appId } = await trellis.createApplication(place);
    const [running, closed, fresh] = ['running', 'closed', 'fresh'].map(unique) as [string, string, string];
    const ids = await createComponents(trellis, appId, {
      [running]: { deploy: true },
      [closed]: { deploy: true },
      [fresh]: {},
    });
    await trellis.succeed('stopComponent', { component: { componentId: ids[closed] } }, 'component { uid }');
    const touched = async () =>
      (await jobsOf(trellis, appId))[0]!.components.map((each) => each.componentName);
    await act('restart', appId);
    expect(await touched()).toEqual([running]);
    await act('start', appId);
    expect(await touched()).toEqual([closed]);
    await act('stop', appId);
    expect(await touched()).toEqual([closed, running].sort());
    // Nothing is left to stop: no job, no event.
    const [counts, before] = [await trellis.counts(), await statesOf(trellis, appId)];
    for (const name of ['stop', 'restart']) expect(await act(name, appId)).toHaveProperty('application');
    expect(await trellis.counts()).toEqual(counts);
    expect(await statesOf(trellis, appId)).toEqual(before);
    await act('deploy', appId);
    expect(await touched()).toEqual([fresh]);
    await act('deploy', appId, { startStopped: true });
    expect(await touched()).toEqual([closed, fresh, running].sort());
  });

  it('are not stopped while components of other applications depend on them, unless it is forced', async () => {
    const [one, other] = [await trellis.createApplication(place), await trellis.createApplication(place)];
    const db = await trellis.createComponent(one.appId, { deploy: true });
    const dependencies = [{ componentId: db.componentId }];
    await trellis.createComponent(one.appId, { deploy: true, dependencies });
    const foreign = await trellis.createComponent(other.appId, { deploy: true, dependencies });
    expect(await act('stop', one.appId)).toMatchObject({
      code: 'CONFLICT',
      message: `Deployed components depend on these components: ${foreign.alias}. Stop them first, or set \`force\` to stop anyway.`,
    });
    expect(await act('stop', one.appId, { force: true })).toHaveProperty('application');
    expect(new Set(Object.values(await statesOf(trellis, one.appId)).map((row) => row.deployState))).toEqual(
      new Set(['closed']),
    );
  });

  it('are listed by a dry run, which changes nothing', async () => {
    const { appId, names } = await chain(3);
    const [counts, before] = [await trellis.counts(), await statesOf(trellis, appId)];
    const plan = 'plan { action objectType name }';
    const input = { application: { appId } };
    const dry = await trellis.succeed('deployApplication', { ...input, dryRun: true }, plan);
    expect(await trellis.counts()).toEqual(counts);
    expect(await statesOf(trellis, appId)).toEqual(before);
    const real = await trellis.succeed('deployApplication', input, plan);
    expect(dry.plan).toEqual(real.plan);
    expect(real.plan.map(({ name }: { name: string }) => name)).toEqual([...names, expect.any(String)]);
  });

  it('are changed by two requests in turn', async () => {
    const { appId } = await chain(3);
    await Promise.all([act('deploy', appId), act('deploy', appId)]);
    const rows = Object.values(await statesOf(trellis, appId));
    expect(rows.map((row) => [row.generation, row.updateVersion])).toEqual(Array(3).fill([2, 2]));
    const results = await Promise.all([act('stop', appId), act('start', appId), act('restart', appId)]);
    expect(results.every((result) => result.application)).toBe(true);
  });
});

describe('an upgrade', () => {
  it('deploys what it changed in one job, closes what is gone, and leaves stopped components stopped', async () => {
    const upgrades = upgradesOf(trellis);
    const apart = (app: any) => {
      app.dep_service_map_list = [];
    };
    const {
      appId,
      key,
      place: own,
      groupId,
    } = await upgrades.installed(3, [apart, apart], (template, version) => {
      if (version === 2) template.apps.pop();
    });
    await useDriver(trellis, own.region.regionId, 'queued');
    const byName = async () =>
      Object.fromEntries(Object.values(await statesOf(trellis, appId)).map((row) => [row.name, row]));
    const before = await byName();
    const ref = (name: string) => ({ component: { componentId: before[name]!.id } });
    await trellis.succeed('stopComponent', ref('part-1'), 'component { uid }');
    await trellis.succeed('updateComponent', { ...ref('part-0'), command: 'run' }, 'component { uid }');
    expect(await upgrades.upgrade(appId, key)).toHaveProperty('outcomes');
    const [job, ...others] = await jobsOf(trellis, appId);
    expect([job, ...others].map((each) => each!.kind)).toEqual(['upgrade', 'stop', 'deploy']);
    expect(job!.components.map(({ componentName, action, state }) => [componentName, action, state])).toEqual(
      [
        ['part-0', 'apply', 'running'],
        ['part-2', 'apply', 'closed'],
      ],
    );
    const after = await byName();
    expect(
      Object.values(after).map((row) => [
        row.name,
        row.deployState,
        row.generation,
        row.updateVersion,
        row.hasUndeployedChanges,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['part-0', 'running', 2, 2, false],
        ['part-1', 'closed', 2, 1, true],
        ['part-2', 'closed', 2, 1, false],
      ]),
    );
    const sealed = await trellis.services.db.transaction((tx) =>
      tx.deployment.findMany({ where: { component: { applicationId: appId } } }),
    );
    expect(sealed.map(({ sealedSpec }) => JSON.parse(trellis.services.seal.open(sealedSpec)).image)).toEqual([
      'registry.example/part-0:2.0.0',
    ]);
    const apply = (name: string) => ({ action: 'APPLY', name });
    const rollBack = (dryRun: boolean) =>
      trellis.succeed(
        'rollbackUpgrade',
        { group: { groupId }, dryRun },
        'outcome { jobs { kind components { nodes { action name } } } }',
      );
    expect((await rollBack(true)).outcome.jobs).toEqual([]);
    const { jobs } = (await rollBack(false)).outcome;
    expect(jobs).toHaveLength(1);
    expect(jobs[0].kind).toBe('UPGRADE');
    expect(jobs[0].components.nodes).toHaveLength(2);
    expect(jobs[0].components.nodes).toEqual(expect.arrayContaining([apply('part-0'), apply('part-2')]));
  });
});

describe('64 components', () => {
  once('take as many statements as 2', async () => {
    const [small, large] = [await chain(2), await chain(64)];
    for (const name of ['deploy', 'restart', 'stop', 'start']) {
      const counts: number[] = [];
      for (const { appId } of [small, large]) {
        trellis.statements.length = 0;
        expect(await act(name, appId)).toHaveProperty('application');
        // The volumes of many components are counted first.
        const others = trellis.statements.filter((text) => !text.startsWith('SELECT count(*) FROM volume'));
        counts.push(others.length);
      }
      expect(counts[1], name).toBe(counts[0]);
    }
    const [job] = await jobsOf(trellis, large.appId);
    expect(job!.components.map(({ step, componentName }) => [step, componentName])).toEqual(
      large.names.map((name, index) => [index, name]),
    );
  });
});
