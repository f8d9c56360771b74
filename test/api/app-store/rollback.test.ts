import { beforeAll, describe, expect, it } from 'vitest';
import {
  describeRollbacksOfTemplates,
  orderedVersions,
  upgradePairs,
  upgradeState,
} from '../../support/rollbacks-of-templates.ts';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();
let { installed, upgrade, rollBack, componentsOf } = {} as ReturnType<typeof upgradesOf>;
beforeAll(async () => {
  ({ installed, upgrade, rollBack, componentsOf } = upgradesOf(trellis));
});

const same: Edit = () => {};

/** Everything that an upgrade can change, by component. */
const stateOf = (appId: number) => upgradeState(trellis, appId);

// From the first version of each application to its last. rollback.long.test.ts has every pair of versions.
describeRollbacksOfTemplates(
  upgradePairs.filter(([name, from, to]) => {
    const versions = orderedVersions(name);
    return from === versions[0] && to === versions.at(-1);
  }),
);

describe('rollbackUpgrade', () => {
  const image =
    (...tags: string[]): Edit =>
    (app, index) => {
      app.share_image = `part-${index}:${tags[0]}`;
      app.service_env_map_list[0].attr_value = tags[0];
    };

  it('keeps what users have changed since the upgrade', async () => {
    const { appId, key, groupId, components } = await installed(2, [image('1'), image('2')]);
    await upgrade(appId, key);
    const [first, second] = components;
    await trellis.services.db.transaction(async (tx) => {
      await tx.component.update({ where: { id: first.uid }, data: { image: 'fixed:7', replicas: 3 } });
      const where = { componentId: second.uid, name: 'INDEX' };
      await tx.environmentVariable.updateMany({ where, data: { value: 'mine' } });
    });
    await trellis.addPort(first.uid, 99);
    const { outcome } = await rollBack(groupId);
    expect(outcome.changes.map(({ kind, component, name }: any) => `${kind} ${component} ${name}`)).toEqual([
      'SET_VARIABLE part-0 INDEX',
      'SET part-1 image',
      'SET part-1 version',
    ]);
    const state = await stateOf(appId);
    expect(state[first.uid]).toMatchObject({ image: 'fixed:7', replicas: 3 });
    expect(state[first.uid].ports.nodes.map(({ number }: any) => number)).toEqual([99, 8080]);
    expect(state[second.uid].image).toBe('part-1:1');
    expect(state[second.uid].variables.nodes).toContainEqual(expect.objectContaining({ value: 'mine' }));
  });

  it('goes back one version with each call, and says when there is nothing left', async () => {
    const { appId, key, groupId } = await installed(1, [image('1'), image('2'), image('3')]);
    expect(await rollBack(groupId)).toMatchObject({ code: 'CONFLICT' });
    await upgrade(appId, key, '2.0.0');
    await upgrade(appId, key, '3.0.0');
    expect((await rollBack(groupId)).group).toEqual({ templateVersion: '2.0.0', rollbackVersion: '1.0.0' });
    expect((await rollBack(groupId)).application.version).toBe('1.0.0');
    expect(await componentsOf(appId)).toMatchObject([{ variables: { nodes: [{ value: '1' }, {}, {}] } }]);
    expect((await rollBack(groupId, true)).message).toMatch(/no upgrade to roll back/);
    await upgrade(appId, key, '3.0.0');
    expect((await rollBack(groupId)).group.templateVersion).toBe('1.0.0');
  });

  it('is recorded with the upgrade that it took back, and the versions can be upgraded to again', async () => {
    const { appId, key, groupId } = await installed(1, [image('1'), image('2')]);
    await upgrade(appId, key);
    await rollBack(groupId);
    const { application, events } = await trellis.data(
      `{ application(by: { appId: ${appId} }) {
           upgrades { currentVersion upgradeVersions }
           upgradeRecords { nodes { id kind fromVersion toVersion changes { name } rollback { id } user { id } group { uid } } }
         }
         events(objectType: "Application", objectUid: "${appId}", first: 1) { nodes { action changes { field before: oldValue after: newValue } } } }`,
    );
    const [back, up] = application.upgradeRecords.nodes;
    expect(back).toMatchObject({
      kind: 'ROLLBACK',
      fromVersion: '2.0.0',
      toVersion: '1.0.0',
      rollback: null,
    });
    expect(up).toMatchObject({ kind: 'UPGRADE', toVersion: '2.0.0', rollback: { id: back.id } });
    expect(back.user).not.toBeNull();
    expect(back.group.uid).toBe(groupId);
    expect(back.changes.map(({ name }: any) => name)).toEqual(['image', 'version', 'INDEX']);
    expect(application.upgrades).toEqual([{ currentVersion: '1.0.0', upgradeVersions: ['2.0.0'] }]);
    expect(events.nodes[0].action).toBe('application.rollback');
    expect(events.nodes[0].changes).toContainEqual(
      expect.objectContaining({ field: 'version', after: '1.0.0' }),
    );
  });

  it('is recorded up to 50 times for a group', async () => {
    const { appId, key, groupId } = await installed(1, [image('1'), image('2'), image('3')]);
    const others = await installed(1, [image('1'), image('2')]);
    await upgrade(appId, key, '2.0.0');
    await upgrade(others.appId, others.key);
    await trellis.services.db.transaction(async (tx) => {
      const { id: _, ...record } = await tx.upgradeRecord.findFirstOrThrow({
        where: { application: { id: appId } },
        omit: {},
      });
      await tx.upgradeRecord.createMany({ data: Array.from({ length: 54 }, () => record) });
    });
    await upgrade(appId, key, '3.0.0');
    const read = async (id: number) => {
      const text = `{ application(by: { appId: ${id} }) { upgradeRecords(first: 1) { totalCount nodes { toVersion } } } }`;
      return (await trellis.data(text)).application.upgradeRecords;
    };
    expect(await read(appId)).toEqual({ totalCount: 50, nodes: [{ toVersion: '3.0.0' }] });
    expect(await read(others.appId)).toMatchObject({ totalCount: 1 });
    expect((await rollBack(groupId)).group.templateVersion).toBe('2.0.0');
    expect(await read(appId)).toMatchObject({ totalCount: 50 });
  });

  it('closes what the upgrade added, and brings back what it dropped', async () => {
    const { appId, key, groupId, components } = await installed(3, [same, same], (template, version) => {
      const [one, two, three] = template.apps;
      template.apps = version === 1 ? [one, two] : [one, three];
      for (const app of template.apps) app.dep_service_map_list = [];
    });
    await upgrade(appId, key);
    const rows = async () => (await componentsOf(appId)).map(({ name, status }: any) => `${name} ${status}`);
    expect(await rows()).toEqual(['part-0 RUNNING', 'part-1 STOPPED', 'part-2 RUNNING']);
    await rollBack(groupId);
    expect(await rows()).toEqual(['part-0 RUNNING', 'part-1 RUNNING', 'part-2 STOPPED']);
    expect((await componentsOf(appId))[1].uid).toBe(components[1].uid);
    await upgrade(appId, key);
    expect(await rows()).toEqual(['part-0 RUNNING', 'part-1 STOPPED', 'part-2 RUNNING']);
  });

  it('is bound by the quota', async () => {
    const { appId, key, groupId, place } = await installed(1, [
      (app) => Object.assign(app, { memory: 1024 }),
      (app) => Object.assign(app, { memory: 256 }),
    ]);
    await upgrade(appId, key);
    const at = { team: { teamId: place.team.teamId }, region: { regionId: place.region.regionId } };
    const quota = (memoryMiB: number) =>
      trellis.succeed('setTeamQuota', { ...at, memoryQuotaMiB: memoryMiB }, '__typename');
    await quota(512);
    const before = await trellis.counts();
    for (const dryRun of [true, false]) expect((await rollBack(groupId, dryRun)).code).toBe('QUOTA_EXCEEDED');
    expect(await trellis.counts()).toEqual(before);
    await quota(1024);
    expect((await rollBack(groupId)).message).toBeUndefined();
  });

  it('requires a region that is enabled and a developer, and one of two at once wins', async () => {
    const { appId, key, groupId, place } = await installed(1, [image('1'), image('2'), image('3')]);
    await upgrade(appId, key, '2.0.0');
    await upgrade(appId, key, '3.0.0');
    const viewer = await trellis.createMember(place.team.teamId, 'VIEWER');
    expect((await rollBack(groupId, false, viewer.token)).code).toBe('FORBIDDEN');
    expect((await rollBack(99_999_999)).message).toBe('There is no such component group.');
    const outcomes = await Promise.all([rollBack(groupId), rollBack(groupId)]);
    const codes = outcomes.map(({ code }) => code ?? 'ok').sort();
    // The second may also have started after the first.
    expect(['CONFLICT,ok', 'ok,ok']).toContain(codes.join());
    const records = codes.filter((code) => code === 'ok').length;
    const { upgradeRecords } = (
      await trellis.data(`{ application(by: { appId: ${appId} }) { upgradeRecords { nodes { kind } } } }`)
    ).application;
    expect(upgradeRecords.nodes.filter(({ kind }: any) => kind === 'ROLLBACK')).toHaveLength(records);
    await trellis.services.db.transaction((tx) =>
      tx.region.update({ where: { id: place.region.regionId }, data: { status: 'maintenance' } }),
    );
    const disabled = await trellis.attempt('rollbackUpgrade', { group: { groupId } });
    expect(disabled.message).toMatch(/maintenance/);
  });
});
