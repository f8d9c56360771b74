import { beforeAll, describe, expect, it } from 'vitest';
import type { All } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let all: All;
beforeAll(async () => {
  all = await trellis.createAll();
});

const newComponent = async (options: object = {}) =>
  (await trellis.createComponent(all.application.appId, options)).componentId;

const columns = async (componentId: string) => {
  const { db } = trellis.services;
  const row = await db.transaction((tx) => tx.component.findUniqueOrThrow({ where: { id: componentId } }));
  return { updatedAt: row.updatedAt, hasUndeployedChanges: row.hasUndeployedChanges };
};

async function latestEvent(action: string) {
  const { events } = await trellis.data(
    `{ events(first: 1, action: "${action}") { nodes { objectType objectUid changes { field before: oldValue after: newValue } } } }`,
  );
  const [{ changes, ...event }] = events.nodes;
  return {
    ...event,
    changes: Object.fromEntries(changes.map((each: any) => [each.field, [each.before, each.after]])),
  };
}

const selection =
  'volume { id name path type fileContent capacityGiB accessMode sharePolicy } component { uid volumes { nodes { name } } }';
const add = (componentId: string, input: object = {}) => ({
  component: { componentId },
  name: 'data',
  path: '/data',
  type: 'share-file',
  ...input,
});

describe('volumes', () => {
  it('are added, changed and deleted, by id or by name', async () => {
    const componentId = await newComponent();
    const own = { capacityGiB: 5, accessMode: 'RWX', sharePolicy: 'all' };
    const added = await trellis.succeed('addVolume', add(componentId, own), selection);
    const { id, ...volume } = added.volume;
    expect(volume).toEqual({ name: 'data', path: '/data', type: 'share-file', fileContent: '', ...own });
    expect(added.component).toEqual({ uid: componentId, volumes: { nodes: [{ name: 'data' }] } });
    expect((await latestEvent('volume.add')).changes).toMatchObject({
      name: [null, 'data'],
      path: [null, '/data'],
    });
    const change = { volume: { id }, name: 'config', path: '/etc/app.conf', type: 'config-file' };
    const changed = await trellis.succeed(
      'updateVolume',
      { ...change, fileContent: 'secret = 1', capacityGiB: null, accessMode: null },
      selection,
    );
    expect(changed.volume).toEqual({
      id,
      name: 'config',
      path: '/etc/app.conf',
      type: 'config-file',
      fileContent: 'secret = 1',
      capacityGiB: null,
      accessMode: null,
      sharePolicy: 'all',
    });
    expect(await latestEvent('volume.update')).toMatchObject({
      objectType: 'Volume',
      changes: {
        name: ['data', 'config'],
        path: ['/data', '/etc/app.conf'],
        type: ['share-file', 'config-file'],
        fileContent: ['[redacted]', '[redacted]'],
        capacityGiB: [5, null],
        accessMode: ['RWX', null],
      },
    });
    const at = { at: { component: { componentId }, name: 'config' } };
    // What is left out or already as wanted stays, without an event.
    const counts = await trellis.counts();
    for (const input of [{ volume: at }, { volume: at, name: null, path: '/etc/app.conf', type: null }]) {
      expect((await trellis.succeed('updateVolume', input, selection)).volume).toEqual(changed.volume);
    }
    expect(await trellis.counts()).toEqual(counts);
    const deleted = await trellis.succeed('deleteVolume', { volume: at }, selection);
    expect(deleted).toMatchObject({ volume: changed.volume, component: { volumes: { nodes: [] } } });
    expect((await latestEvent('volume.delete')).changes.name).toEqual(['config', null]);
    for (const ref of [at, { id }]) {
      for (const name of ['updateVolume', 'deleteVolume']) {
        expect(await trellis.attempt(name, { volume: ref })).toMatchObject({
          code: 'NOT_FOUND',
          message: 'There is no such volume.',
        });
      }
    }
  });

  it('have a name and a path of their own in the component', async () => {
    const componentId = await newComponent();
    const { volume } = await trellis.succeed('addVolume', add(componentId), selection);
    await trellis.succeed('addVolume', add(componentId, { name: 'logs', path: '/logs' }), selection);
    const counts = await trellis.counts();
    const message = (what: string) => expect.stringContaining(`already has a volume ${what}.`);
    for (const [name, input, what] of [
      ['addVolume', add(componentId, { path: '/other' }), 'named data'],
      ['addVolume', add(componentId, { name: 'other' }), 'at the path /data'],
      ['updateVolume', { volume: { id: volume.id }, name: 'logs' }, 'named logs'],
      ['updateVolume', { volume: { id: volume.id }, path: '/logs' }, 'at the path /logs'],
    ] as const) {
      expect(await trellis.attempt(name, input)).toMatchObject({ code: 'CONFLICT', message: message(what) });
    }
    expect(await trellis.counts()).toEqual(counts);
    // Another component has names of its own.
    await trellis.succeed('addVolume', add(await newComponent()), selection);
    const tries = await Promise.all(
      Array.from({ length: 4 }, () =>
        trellis.attempt('addVolume', add(componentId, { name: 'one', path: '/one' })),
      ),
    );
    expect(tries.filter(({ code }) => code === 'CONFLICT')).toHaveLength(3);
  });

  once('are at most 100 in a component', async () => {
    const volumes = Array.from({ length: 99 }, (_, index) => ({
      name: `v${index}`,
      path: `/v${index}`,
      type: 'local',
    }));
    const componentId = await newComponent({ volumes });
    const tries = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        trellis.attempt('addVolume', add(componentId, { name, path: `/${name}` })),
      ),
    );
    expect(tries.map(({ code }) => code ?? 'ok').sort()).toEqual(['CONFLICT', 'CONFLICT', 'ok']);
  });

  it('change a deployed component with its next deploy', async () => {
    for (const deploy of [true, false]) {
      const componentId = await newComponent({ deploy });
      const { volume } = await trellis.succeed('addVolume', add(componentId), selection);
      expect((await columns(componentId)).hasUndeployedChanges).toBe(deploy);
      for (const [name, input] of [
        ['updateVolume', { path: '/other' }],
        ['deleteVolume', {}],
      ] as const) {
        await trellis.services.db.transaction((tx) =>
          tx.component.update({ where: { id: componentId }, data: { hasUndeployedChanges: false } }),
        );
        const before = await columns(componentId);
        await trellis.succeed(name, { volume: { id: volume.id }, ...input }, '__typename');
        const after = await columns(componentId);
        expect(after.hasUndeployedChanges).toBe(deploy);
        expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
      }
    }
  });
});

describe('dependencies', () => {
  const pair = (componentId: string, dependencyId: string) => ({
    component: { componentId },
    dependency: { componentId: dependencyId },
  });
  const links =
    'component { uid dependencies { nodes { uid } } } dependency { uid dependents { nodes { uid } } }';

  it('are added and deleted, also in cycles, and twice without a change', async () => {
    const [one, other] = [await newComponent(), await newComponent()];
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const { component, dependency } = await trellis.succeed('addDependency', pair(from, to), links);
      expect(component).toEqual({ uid: from, dependencies: { nodes: [{ uid: to }] } });
      expect(dependency).toEqual({ uid: to, dependents: { nodes: [{ uid: from }] } });
      expect(await latestEvent('component.add_dependency')).toEqual({
        objectType: 'Component',
        objectUid: from,
        changes: { dependencyId: [null, to] },
      });
    }
    const counts = await trellis.counts();
    await trellis.succeed('addDependency', pair(one, other), links);
    expect(await trellis.counts()).toEqual(counts);
    const { component } = await trellis.succeed('deleteDependency', pair(one, other), links);
    expect(component.dependencies.nodes).toEqual([]);
    expect(await latestEvent('component.delete_dependency')).toMatchObject({
      objectUid: one,
      changes: { dependencyId: [other, null] },
    });
    const rest = await trellis.counts();
    await trellis.succeed('deleteDependency', pair(one, other), links);
    expect(await trellis.counts()).toEqual(rest);
    // The way back is another dependency.
    expect((await trellis.succeed('addDependency', pair(other, one), links)).component.dependencies).toEqual({
      nodes: [{ uid: one }],
    });
  });

  it('are refused on the component itself, and across teams and regions', async () => {
    const componentId = await newComponent();
    const team = { teamId: all.team.teamId };
    const foreign = await trellis.createAll();
    const elsewhere = await trellis.createPlace();
    await trellis.succeed(
      'openTeamRegion',
      { team, region: { regionId: elsewhere.region.regionId } },
      'team { uid }',
    );
    const { appId } = await trellis.createApplication({ team: all.team, region: elsewhere.region });
    const distant = await trellis.createComponent(appId);
    const counts = await trellis.counts();
    expect(await trellis.attempt('addDependency', pair(componentId, componentId))).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['input', 'dependency'], message: 'A component cannot depend on itself' }],
    });
    for (const other of [foreign.component.componentId, distant.componentId, 'missing']) {
      for (const name of ['addDependency', 'deleteDependency']) {
        for (const input of [pair(componentId, other), pair(other, componentId)]) {
          expect(await trellis.attempt(name, input)).toMatchObject({
            code: 'NOT_FOUND',
            message: 'There is no such component.',
          });
        }
      }
    }
    expect(await trellis.counts()).toEqual(counts);
  });

  once('are at most 200 of a component', async () => {
    const { componentId: first } = await trellis.createComponent(all.application.appId);
    const componentId = await newComponent();
    const now = new Date();
    const ids = Array.from({ length: 199 }, (_, index) => `dependency-${index}`);
    await trellis.services.db.transaction(async (tx) => {
      const { id: _, ...like } = await tx.component.findUniqueOrThrow({ where: { id: first } });
      await tx.component.createMany({
        data: ids.map((id) => ({
          ...like,
          id,
          alias: id,
          clusterName: id,
          ownedClusterName: id,
          serviceName: null,
          createdAt: now,
          updatedAt: now,
        })),
      });
      await tx.componentDependency.createMany({
        data: ids.map((dependencyId) => ({ componentId, dependencyId })),
      });
    });
    const more = [first, await newComponent(), await newComponent()];
    const tries = await Promise.all(
      more.map((each) => trellis.attempt('addDependency', pair(componentId, each))),
    );
    expect(tries.map(({ code }) => code ?? 'ok').sort()).toEqual(['CONFLICT', 'CONFLICT', 'ok']);
    // One that is there already is no further one.
    expect((await trellis.attempt('addDependency', pair(componentId, ids[0]!))).code).toBeUndefined();
  });

  it('change a deployed component with its next deploy, and not the other one', async () => {
    const [one, other] = [await newComponent({ deploy: true }), await newComponent({ deploy: true })];
    await trellis.succeed('addDependency', pair(one, other), links);
    expect((await columns(one)).hasUndeployedChanges).toBe(true);
    expect((await columns(other)).hasUndeployedChanges).toBe(false);
    await trellis.succeed('deleteDependency', pair(other, one), links);
    expect((await columns(other)).hasUndeployedChanges).toBe(false);
  });

  it('of one component both ways at once wait for each other', async () => {
    const [one, other] = [await newComponent(), await newComponent()];
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const input = index % 2 ? pair(one, other) : pair(other, one);
        return trellis.attempt(index % 3 ? 'addDependency' : 'deleteDependency', input);
      }),
    );
    expect(results.filter(({ code }) => code)).toEqual([]);
  });
});

it('nothing of a component changes in a region that is not enabled', async () => {
  const other = await trellis.createAll();
  const component = { componentId: other.component.componentId };
  const { volume } = await trellis.succeed('addVolume', add(component.componentId), selection);
  const dependency = { componentId: (await trellis.createComponent(other.application.appId)).componentId };
  await trellis.services.db.transaction((tx) =>
    tx.region.update({ where: { id: other.region.regionId }, data: { status: 'disabled' } }),
  );
  const counts = await trellis.counts();
  for (const [name, input] of [
    ['addVolume', add(component.componentId, { name: 'other', path: '/other' })],
    ['updateVolume', { volume: { id: volume.id }, path: '/x' }],
    ['deleteVolume', { volume: { id: volume.id } }],
    ['addDependency', { component, dependency }],
    ['deleteDependency', { component, dependency }],
  ] as const) {
    const message = expect.stringContaining('disabled');
    expect(await trellis.attempt(name, input)).toMatchObject({ code: 'CONFLICT', message });
  }
  expect(await trellis.counts()).toEqual(counts);
});
