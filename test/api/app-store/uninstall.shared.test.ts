import { beforeAll, describe, expect, it } from 'vitest';
import { deleteAsPlanned } from '../../support/deletions.ts';
import { expectConsistent } from '../../support/invariants.ts';
import { useTrellis } from '../../support/trellis.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();
let of: ReturnType<typeof upgradesOf>;
beforeAll(async () => {
  of = upgradesOf(trellis);
});

const uninstall = (groupId: number, options: object = {}) =>
  deleteAsPlanned(
    trellis,
    'uninstallComponentGroup',
    { group: { groupId }, ...options },
    'group { uid } application { appId: uid storeName storeUrl templateName version componentCount }',
  );

const groupsOf = async (appId: number): Promise<number[]> => {
  const rows = await trellis.services.db.query(
    `SELECT id FROM component_group WHERE application_id = ${appId} ORDER BY id`,
    [],
  );
  return rows.map(([id]) => Number(id));
};

const noEdit = () => {};

describe('uninstallComponentGroup', () => {
  it('deletes the components of the group alone, and shows nothing installed any more', async () => {
    const { appId, components } = await of.installed(2, [noEdit]);
    const own = await trellis.createComponent(appId);
    const [groupId] = await groupsOf(appId);
    const { payload, done } = await uninstall(groupId!, { force: true });
    expect(payload.group).toEqual({ uid: groupId });
    expect(payload.application).toEqual({
      appId,
      storeName: null,
      storeUrl: null,
      templateName: null,
      version: null,
      componentCount: 1,
    });
    expect(done.filter((each) => each.startsWith('component.delete ')).sort()).toEqual(
      components.map(({ name }) => `component.delete ${name}`).sort(),
    );
    expect(done.at(-2)).toBe('store_connection.delete self');
    expect(done.at(-1)).toMatch(/^application\.uninstall /);
    expect((await of.componentsOf(appId)).map(({ uid }) => uid)).toEqual([own.componentId]);
    expect(await trellis.attempt('uninstallComponentGroup', { group: { groupId } })).toMatchObject({
      code: 'NOT_FOUND',
    });
    // What was installed once can be installed again.
    const { application } = await trellis.data(
      `{ application(by: { appId: ${appId} }) { upgrades { templateId } upgradeRecords { totalCount } } }`,
    );
    expect(application).toEqual({ upgrades: [], upgradeRecords: { totalCount: 0 } });
  });

  it('refuses while a component is deployed or one that stays depends on it, unless forced', async () => {
    const { appId, key } = await of.installed(1, [noEdit]);
    const [deployed] = await groupsOf(appId);
    expect(await trellis.attempt('uninstallComponentGroup', { group: { groupId: deployed } })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/^A component is deployed: part-0\./),
    });
    await of.install(appId, key, '1.0.0', false);
    const groupId = (await groupsOf(appId)).at(-1)!;
    const rows = await trellis.services.db.query(
      `SELECT id, name FROM component WHERE group_id = ${groupId}`,
      [],
    );
    const dependencies = [{ componentId: rows[0]![0] }];
    const { alias } = await trellis.createComponent(appId, { dependencies });
    expect(await trellis.attempt('uninstallComponentGroup', { group: { groupId } })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`${alias} on ${rows[0]![1]}`),
    });
    const { payload } = await uninstall(groupId, { force: true });
    // The other group is still installed from the same store.
    expect(payload.application).toMatchObject({ storeName: 'self', version: '1.0.0' });
    expect(payload.plan.map(({ action }: any) => action)).not.toContain('store_connection.delete');
  });

  it('shows the template that was installed first, whatever else is installed', async () => {
    const { appId, key } = await of.installed(1, [noEdit, noEdit]);
    const other = await of.installed(2, [noEdit]);
    const shown = async () =>
      (await trellis.data(`{ application(by: { appId: ${appId} }) { templateName version storeName } }`))
        .application;
    const first = { templateName: 'Ring of 1', version: '1.0.0', storeName: 'self' };
    expect(await shown()).toEqual(first);
    await of.install(appId, other.key);
    expect(await shown()).toEqual(first);
    // Also if a newer version of it is installed beside it.
    await of.install(appId, key, '2.0.0');
    expect(await shown()).toEqual(first);
    const [, second] = await groupsOf(appId);
    await uninstall(second!, { force: true });
    expect(await shown()).toEqual(first);
  });

  it('shows the template that was installed last among those that remain', async () => {
    const first = await of.installed(1, [noEdit, noEdit]);
    const second = await of.installed(2, [noEdit]);
    const { appId } = first;
    await of.install(appId, second.key);
    await of.install(appId, first.key, '2.0.0');
    const shown = async (groupId: number) => (await uninstall(groupId, { force: true })).payload.application;
    const [one, two, three] = await groupsOf(appId);
    expect(await shown(one!)).toMatchObject({ templateName: 'Ring of 1', version: '2.0.0' });
    expect(await shown(three!)).toMatchObject({ templateName: 'Ring of 2', version: '1.0.0' });
    expect(await shown(two!)).toMatchObject({ templateName: null, version: null, componentCount: 0 });
  });

  it('leaves a template upgradable of which components were deleted', async () => {
    const { appId, key, components } = await of.installed(3, [noEdit, noEdit]);
    const gone = components.find(({ name }) => name === 'part-1');
    await deleteAsPlanned(
      trellis,
      'deleteComponent',
      { component: { componentId: gone.uid }, force: true },
      'component { uid }',
    );
    await of.upgrade(appId, key);
    const names = (await of.componentsOf(appId)).map(({ name }) => name).sort();
    expect(names).toEqual(['part-0', 'part-2']);
    await expectConsistent(trellis);
    for (const { uid } of await of.componentsOf(appId)) {
      await trellis.succeed(
        'deleteComponent',
        { component: { componentId: uid }, force: true },
        '__typename',
      );
    }
    const [groupId] = await groupsOf(appId);
    const { done } = await uninstall(groupId!);
    expect(done).toEqual(['store_connection.delete self', expect.stringMatching(/^application\.uninstall /)]);
  });
});
