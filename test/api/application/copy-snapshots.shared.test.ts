import { describe, expect, it } from 'vitest';
import { copy, type Omission, tryCopy } from '../../support/copies.ts';
import { unique } from '../../support/fixtures.ts';
import { ended } from '../../support/jobs.ts';
import { platform } from '../../support/kubernetes/api/access.ts';
import { kindNamed } from '../../support/kubernetes/api/kinds.ts';
import { dataIn } from '../../support/kubernetes/controllers/snapshots.ts';
import { createClusterPlace, patience } from '../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../support/kubernetes/world.ts';
import { once } from '../../support/once.ts';

const { trellis, server, place } = useClusterWorld(
  { jobs: { backoffMaxMs: 100 } },
  { stepMs: 1, hasSnapshots: true, place: { token: 'platform' } },
);

const store = () => server.cluster.store;
const list = (kind: string): any[] => store().list(kindNamed(kind));
const ofComponent = (kind: string, id: string) =>
  list(kind).filter(({ metadata }) => metadata.labels?.['trellis.dev/component'] === id);
/** What is on the volumes of a component. */
const dataOf = (id: string) =>
  ofComponent('PersistentVolumeClaim', id).map(({ metadata }) => dataIn(store()).get(metadata.uid));

const componentsOf = async (appId: number): Promise<Record<string, any>> => {
  const fields = 'uid name state volumes { nodes { name sourceSnapshot snapshots { name isReady } } }';
  const { application } = await trellis.data(
    `{ application(by: { appId: ${appId} }) { components { nodes { ${fields} } } } }`,
  );
  return Object.fromEntries(application.components.nodes.map((each: any) => [each.name, each]));
};

const job = async (mutation: string, input: object) => {
  const { job: made } = await trellis.succeed(mutation, input, 'job { uid }');
  return ended(trellis, { id: made.uid });
};

const snapshot = (id: string, volume: string, name: string) =>
  trellis.succeed(
    'createVolumeSnapshot',
    { volume: { at: { component: { componentId: id }, name: volume } }, name },
    '__typename',
  );

/** A deployed application with a database, of whose volume there are two snapshots, and a server with a volume. */
async function createShop(isolation: 'OWN' | 'TEAM', { region } = place) {
  const volume = { path: '/data', type: 'share-file', capacityGiB: 2 };
  const document = JSON.stringify({
    application: unique('shop'),
    isolation,
    components: {
      db: {
        ...{ image: 'postgres:18', extendMethod: 'STATE', replicas: 2, clusterName: unique('db') },
        volumes: { data: volume, conf: { path: '/conf', type: 'config-file', fileContent: 'a' } },
      },
      web: { image: 'nginx:1.29', clusterName: unique('web'), volumes: { files: volume } },
    },
  });
  const { application, job: deployed } = await trellis.succeed(
    'applyManifest',
    { team: { teamId: place.teamId }, region: { regionId: region.regionId }, document, deploy: 'ALL' },
    'job { uid } application { uid components { nodes { name uid } } }',
  );
  await ended(trellis, { id: deployed.uid });
  const ids: Record<string, string> = Object.fromEntries(
    application.components.nodes.map((each: any) => [each.name, each.uid]),
  );
  return { appId: application.uid as number, db: ids.db!, web: ids.web! };
}

const write = (id: string, text: string) => {
  for (const [index, { metadata }] of ofComponent('PersistentVolumeClaim', id).entries()) {
    dataIn(store()).set(metadata.uid, `${text} ${index}`);
  }
};

async function withSnapshots(isolation: 'OWN' | 'TEAM') {
  const shop = await createShop(isolation);
  for (const name of ['one', 'two']) {
    write(shop.db, name);
    await snapshot(shop.db, 'data', name);
    const isReady = async () =>
      (await componentsOf(shop.appId)).db.volumes.nodes
        .flatMap(({ snapshots }: any) => snapshots)
        .some((each: any) => each.name === name && each.isReady);
    await expect.poll(isReady, patience).toBe(true);
  }
  write(shop.db, 'three');
  return shop;
}

const volumes = (omitted: readonly Omission[]) => omitted.filter(({ kind }) => kind === 'VOLUME');
const without = {
  ...{ kind: 'VOLUME', component: 'web', name: 'files' },
  reason: 'The volume has no ready snapshot and is empty in the copy.',
};

describe('a copy with the data of snapshots', { timeout: 240_000 }, () => {
  it.each(['OWN', 'TEAM'] as const)(
    'has that of the newest, of an application in a namespace of %s',
    async (of) => {
      const { appId, db } = await withSnapshots(of);
      const input = { application: { appId }, name: unique('copy'), volumes: 'FROM_SNAPSHOT', deploy: true };
      const planned = await copy(trellis, { ...input, dryRun: true });
      expect(volumes(planned.omitted)).toEqual([without]);
      const made = await copy(trellis, input);
      expect(volumes(made.omitted)).toEqual([without]);
      expect(await ended(trellis, { id: made.job!.uid })).toMatchObject({ job: { status: 'succeeded' } });
      const copied = await componentsOf(made.application!.appId);
      const sources = (name: string) =>
        Object.fromEntries(copied[name].volumes.nodes.map((each: any) => [each.name, each.sourceSnapshot]));
      expect([sources('db'), sources('web')]).toEqual([{ data: 'two', conf: null }, { files: null }]);
      await expect.poll(() => dataOf(copied.db.uid), patience).toEqual(['two 0', 'two 1']);
      expect(dataOf(copied.web.uid)).toEqual([undefined]);
      expect(dataOf(db)).toEqual(['three 0', 'three 1']);

      // What the copy had is left with its volumes, and the snapshots of the original stay when it goes.
      const contents = () => ofComponent('VolumeSnapshotContent', copied.db.uid);
      expect(contents()).toHaveLength(2);
      await job('deleteApplication', { application: { appId: made.application!.appId }, force: true });
      const orphans = async () => {
        const query = `{ region(by: { regionId: "${place.region.regionId}" }) { orphans { kind hasData componentUids } } }`;
        return (await trellis.data(query)).region.orphans.filter((each: any) =>
          each.componentUids.includes(copied.db.uid),
        );
      };
      const left = ['PersistentVolumeClaim', 'VolumeSnapshot', 'VolumeSnapshotContent'];
      expect(new Set((await orphans()).map(({ kind, hasData }: any) => hasData && kind))).toEqual(
        new Set(left),
      );
      const region = { regionId: place.region.regionId };
      await trellis.succeed('removeRegionOrphans', { region, deleteVolumes: true }, '__typename');
      await expect.poll(contents, patience).toEqual([]);
      expect(await orphans()).toEqual([]);
      const { nodes } = (await componentsOf(appId)).db.volumes;
      expect(
        nodes.find(({ name }: any) => name === 'data').snapshots.map((each: any) => each.isReady),
      ).toEqual([true, true]);
    },
  );

  once('takes them along when it is deleted with its data', async () => {
    const { appId } = await withSnapshots('OWN');
    const input = { application: { appId }, name: unique('copy'), volumes: 'FROM_SNAPSHOT', deploy: true };
    const before = list('VolumeSnapshotContent').length;
    const made = await copy(trellis, input);
    await ended(trellis, { id: made.job!.uid });
    const application = { appId: made.application!.appId };
    const { db } = await componentsOf(application.appId);
    expect(list('VolumeSnapshotContent')).toHaveLength(before + 2);
    const [{ metadata }] = ofComponent('PersistentVolumeClaim', db.uid) as [any];
    await job('deleteApplication', { application, force: true, deleteVolumes: true });
    await expect.poll(() => list('VolumeSnapshotContent').length, patience).toBe(before);
    const names = () => list('Namespace').map((each) => each.metadata.name);
    await expect.poll(names, patience).not.toContain(metadata.namespace);
  });

  once('fails to deploy once a snapshot is gone, and is deployed with an empty volume instead', async () => {
    const { appId, db } = await withSnapshots('OWN');
    const made = await copy(trellis, {
      ...{ application: { appId }, name: unique('copy'), volumes: 'FROM_SNAPSHOT' },
    });
    const data = (componentId: string) => ({ at: { component: { componentId }, name: 'data' } });
    await trellis.succeed('deleteVolumeSnapshot', { volume: data(db), name: 'two' }, '__typename');
    const copied = (await componentsOf(made.application!.appId)).db;
    const component = { componentId: copied.uid };
    const failed = await job('deployComponent', { component });
    expect(failed.job.status).toBe('failed');
    expect(failed.components[0]!.error).toBe(
      'The volume data cannot get the data of the snapshot two: the snapshot no longer exists. Delete the volume and add the volume again to deploy it empty.',
    );
    await trellis.succeed('deleteVolume', { volume: data(copied.uid) }, '__typename');
    const volume = { component, name: 'data', path: '/data', type: 'share-file', capacityGiB: 2 };
    await trellis.succeed('addVolume', volume, '__typename');
    expect((await job('deployComponent', { component })).job.status).toBe('succeeded');
    expect(dataOf(copied.uid)).toEqual([undefined, undefined]);
  });

  once('requires the right to restore them, and a copy in the same region', async () => {
    const { appId } = await createShop('OWN');
    const team = { teamId: place.teamId };
    const input = { application: { appId }, name: unique('copy'), secrets: 'OMIT', volumes: 'FROM_SNAPSHOT' };
    const { token } = await trellis.createMember(place.teamId, 'DEVELOPER');
    const tokenFor = async (actions: string[]) => {
      const given = { name: unique('copies'), grants: [{ actions, team }] };
      return (await trellis.succeed('createAccessToken', given, 'secret', token)).secret;
    };
    const narrow = await tokenFor(['COPY_APPLICATION']);
    for (const dryRun of [true, false]) {
      expect(await tryCopy(trellis, { ...input, dryRun }, narrow)).toMatchObject({ code: 'FORBIDDEN' });
    }
    const both = await tokenFor(['COPY_APPLICATION', 'RESTORE_VOLUME_SNAPSHOT']);
    expect((await copy(trellis, { ...input, dryRun: true }, both)).application).toBeNull();
    const other = await createClusterPlace(trellis, server, { teamId: place.teamId });
    const region = { regionId: other.region.regionId };
    expect(await tryCopy(trellis, { ...input, region })).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['input', 'volumes'] }],
    });
  });

  once('is refused where the region cannot do it, with the reason', async () => {
    server.cluster.users.set('narrow', platform('volumesnapshotcontents'));
    const narrow = await createClusterPlace(trellis, server, { teamId: place.teamId, token: 'narrow' });
    const declared = await trellis.createPlace();
    const { appId } = await trellis.createApplication(declared);
    for (const [id, reason] of [
      [narrow.appId, 'cannot read volumesnapshotcontents'],
      [appId, 'DECLARED'],
    ] as const) {
      const input = { application: { appId: id }, name: unique('copy'), volumes: 'FROM_SNAPSHOT' };
      expect(await tryCopy(trellis, { ...input, dryRun: true })).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(reason),
      });
    }
  });
});
