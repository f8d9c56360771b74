import { beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { createClusterPlace, deploy, patience } from '../../support/kubernetes/place.ts';
import { type FakeServer, startCluster } from '../../support/kubernetes/server.ts';
import { useClusterWorld } from '../../support/kubernetes/world.ts';

let bare: FakeServer;
beforeAll(async () => {
  bare = await startCluster({ stepMs: 1 });
  return bare.close;
});
const { trellis, server } = useClusterWorld({ jobs: {} }, { stepMs: 1, hasSnapshots: true });

const data = { name: 'data', path: '/data', type: 'share-file', capacityGiB: 1 };

async function deployed(cluster: FakeServer = server) {
  const place = await createClusterPlace(trellis, cluster);
  const [made] = await deploy(trellis, place, [{ volumes: [data] }]);
  const component = { componentId: made!.componentId };
  return { component, volume: { at: { component, name: 'data' } } };
}

const listed = async ({ component }: { component: object }) => {
  const query = `query($by: ComponentRef!) {
    component(by: $by) { status: state volumes { nodes { name snapshots { name isReady createdAt bytes problem } } } } }`;
  const { component: found } = await trellis.data(query, { by: component });
  return found.volumes.nodes[0].snapshots;
};

const stop = async ({ component }: { component: object }) => {
  await trellis.succeed('stopComponent', { component }, '__typename');
  const query = 'query($by: ComponentRef!) { component(by: $by) { status: state } }';
  const status = async () => (await trellis.data(query, { by: component })).component.status;
  await expect.poll(status, patience).toBe('STOPPED');
};

describe('snapshots of a volume', () => {
  it('are made, listed, restored into the stopped component, and deleted', async () => {
    const made = await deployed();
    const { volume } = made;
    const { name } = await trellis.succeed('createVolumeSnapshot', { volume, name: 'one' }, 'name');
    expect(name).toBe('one');
    const { name: byTime } = await trellis.succeed('createVolumeSnapshot', { volume }, 'name');
    expect(byTime).toMatch(/^20\d\d-\d\d-\d\dt\d\d-\d\d-\d\d-[0-9a-f]{4}$/);
    await expect
      .poll(async () => (await listed(made)).filter(({ isReady }: any) => isReady).length, patience)
      .toBe(2);
    expect(await listed(made)).toEqual(
      expect.arrayContaining([
        { name: 'one', isReady: true, createdAt: expect.any(String), bytes: 2 ** 30, problem: null },
      ]),
    );
    const again = await trellis.attempt('createVolumeSnapshot', { volume, name: 'one' });
    expect(again).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('already has') });
    const running = await trellis.attempt('restoreVolumeSnapshot', { volume, name: 'one', dryRun: true });
    expect(running).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('Stop it first') });
    await stop(made);
    const plan = await trellis.succeed(
      'restoreVolumeSnapshot',
      { volume, name: 'one', dryRun: true },
      'plan { action name }',
    );
    expect(plan.plan).toEqual([{ action: 'volume_snapshot.restore', name: 'data' }]);
    await trellis.succeed('restoreVolumeSnapshot', { volume, name: 'one' }, 'volume { name }');
    await trellis.succeed('startComponent', { component: made.component }, '__typename');
    await trellis.succeed('deleteVolumeSnapshot', { volume, name: 'one', dryRun: true }, 'plan { action }');
    expect(await listed(made)).toHaveLength(2);
    await trellis.succeed('deleteVolumeSnapshot', { volume, name: 'one' }, 'volume { name }');
    expect((await listed(made)).map((each: any) => each.name)).toEqual([byTime]);
    const gone = await trellis.attempt('deleteVolumeSnapshot', { volume, name: 'one' });
    expect(gone).toMatchObject({ code: 'NOT_FOUND' });
    expect(await trellis.attempt('restoreVolumeSnapshot', { volume, name: 'one' })).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('are refused where nothing makes them, with what is missing', async () => {
    const { volume, component } = await deployed(bare);
    expect(await trellis.attempt('createVolumeSnapshot', { volume })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('snapshot.storage.k8s.io/v1'),
    });
    expect(await listed({ component })).toEqual([]);
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const { componentId } = await trellis.createComponent(appId);
    const declared = { component: { componentId }, ...data };
    const added = await trellis.succeed('addVolume', declared, 'volume { id }');
    const refused = await trellis.attempt('createVolumeSnapshot', { volume: { id: added.volume.id } });
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('DECLARED') });
  });

  it('are not made of a file, nor of a volume that was not deployed', async () => {
    const { component } = await deployed();
    const file = { component, name: unique('file'), path: '/etc/a', type: 'config-file', fileContent: 'a' };
    const later = { component, name: unique('later'), path: '/later', type: 'share-file' };
    for (const [input, message] of [
      [file, 'has no data to keep'],
      [later, 'was not deployed with this volume'],
    ] as const) {
      const { volume } = await trellis.succeed('addVolume', input, 'volume { id }');
      const refused = await trellis.attempt('createVolumeSnapshot', { volume: { id: volume.id } });
      expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(message) });
    }
  });

  it('are unavailable while the cluster does not answer', async () => {
    const own = await startCluster({ stepMs: 1, hasSnapshots: true });
    try {
      const { volume, component } = await deployed(own);
      own.setDown(true);
      const mutation =
        'mutation($input: CreateVolumeSnapshotInput!) { createVolumeSnapshot(input: $input) { __typename } }';
      const refused = await trellis.graphql(mutation, { input: { volume } });
      expect(refused.errors![0]!.extensions.code).toBe('REGION_UNAVAILABLE');
      const query =
        'query($by: ComponentRef!) { component(by: $by) { volumes { nodes { snapshots { name } } } } }';
      const { errors } = await trellis.graphql(query, { by: component });
      expect(errors![0]!.extensions.code).toBe('REGION_UNAVAILABLE');
    } finally {
      await own.close();
    }
  });
});
