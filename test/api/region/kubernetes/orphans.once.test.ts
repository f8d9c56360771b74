import { describe, expect, it } from 'vitest';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import {
  type ClusterPlace,
  createClusterPlace,
  type Deployed,
  deploy,
  objectIn,
  patience,
} from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, server } = useClusterWorld({ jobs: {} });

const fields = 'kind namespace name teamUid componentUids hasData';

async function orphansOf({ region }: Pick<ClusterPlace, 'region'>): Promise<any[]> {
  const text = `{ region(by: { regionId: "${region.regionId}" }) { orphans { ${fields} } } }`;
  return (await trellis.data(text)).region.orphans;
}

/** Puts a ConfigMap of a component that nobody knows into the namespace of a team. */
const leave = (namespace: string, name: string, teamId: string) =>
  server.cluster.store.put('ConfigMap', {
    metadata: {
      ...{ name, namespace },
      labels: {
        'app.kubernetes.io/managed-by': 'trellis',
        'trellis.dev/component': 'deleted',
        'trellis.dev/team': teamId,
      },
    },
  });

const left = (place: ClusterPlace, name = 'left') => objectIn(place, 'ConfigMap', name) !== undefined;

describe('what is in a cluster and in no model', () => {
  it('is listed, and removed with a plan, and nothing else is', async () => {
    const place = await createClusterPlace(trellis, server, { token: 'platform' });
    const { namespace, region, teamId } = place;
    const [kept, gone] = (await deploy(trellis, place, [{}, { extendMethod: 'STATE' }])) as [
      Deployed,
      Deployed,
    ];
    const component = { componentId: gone.componentId };
    const volume = { component, name: 'data', path: '/data', type: 'SHARE_FILE', capacityGiB: 1 };
    await trellis.succeed('addVolume', volume, '__typename');
    await trellis.succeed('deployComponent', { component }, '__typename');
    const claim = () => objectIn(place, 'PersistentVolumeClaim', `data-${gone.alias}-0`);
    await expect.poll(claim, patience).toBeDefined();
    await trellis.succeed('deleteComponent', { component, force: true }, '__typename');
    const set = () => objectIn(place, 'StatefulSet', gone.alias);
    await expect.poll(set, patience).toBeUndefined();
    leave(namespace, 'left', teamId);
    // Another installation has the same prefix, and this namespace is of another region.
    const other = namespace.replace(teamId, '0'.repeat(32));
    server.cluster.store.put('Namespace', { metadata: { name: other } });
    leave(other, 'left', '0'.repeat(32));
    const neighbour = await createClusterPlace(trellis, server, { teamId });
    await deploy(trellis, neighbour);
    leave(neighbour.namespace, 'there', teamId);

    const data = {
      ...{ kind: 'PersistentVolumeClaim', namespace, name: `data-${gone.alias}-0` },
      ...{ teamUid: teamId, componentUids: [gone.componentId], hasData: true },
    };
    const configMap = {
      ...{ kind: 'ConfigMap', namespace, name: 'left' },
      ...{ teamUid: teamId, componentUids: ['deleted'], hasData: false },
    };
    const byKind = (one: any, two: any) => (one.kind < two.kind ? -1 : 1);
    // The volume of a component is no orphan before its job is done.
    await expect.poll(async () => (await orphansOf(place)).sort(byKind), patience).toEqual([configMap, data]);
    expect((await orphansOf(neighbour)).map(({ name }) => name)).toEqual(['there']);

    const selection = `region { uid } orphans { ${fields} } plan { action objectType name }`;
    const input = { region: { regionId: region.regionId } };
    const plan = [{ action: 'region.remove_orphans', objectType: 'Region', name: region.name }];
    const planned = { region: { uid: region.regionId }, orphans: [configMap], plan };
    const dry = { ...input, dryRun: true };
    expect(await trellis.succeed('removeRegionOrphans', dry, selection)).toMatchObject(planned);
    expect(left(place)).toBe(true);
    expect(await trellis.succeed('removeRegionOrphans', input, selection)).toMatchObject(planned);
    expect(left(place)).toBe(false);
    expect(claim().metadata.deletionTimestamp).toBeUndefined();
    const again = await trellis.succeed('removeRegionOrphans', input, selection);
    expect(again).toMatchObject({ orphans: [], plan: [] });
    const all = { ...input, deleteVolumes: true };
    expect(await trellis.succeed('removeRegionOrphans', all, selection)).toMatchObject({ orphans: [data] });
    await expect.poll(claim, patience).toBeUndefined();
    expect(await orphansOf(place)).toEqual([]);

    expect(left({ ...place, namespace: other })).toBe(true);
    expect(left(neighbour, 'there')).toBe(true);
    expect(objectIn(place, 'Deployment', kept.alias)).toBeDefined();
  });

  it('has what a team leaves for which the region was closed', async () => {
    const place = await createClusterPlace(trellis, server, { token: 'platform' });
    const [{ componentId }] = (await deploy(trellis, place)) as [Deployed];
    await trellis.succeed('deleteComponent', { component: { componentId }, force: true }, '__typename');
    const refs = { team: { teamId: place.teamId }, region: { regionId: place.region.regionId } };
    await trellis.succeed('deleteApplication', { application: { appId: place.appId } }, '__typename');
    await expect
      .poll(async () => (await trellis.attempt('closeTeamRegion', refs)).__typename, patience)
      .toBe('CloseTeamRegionPayload');
    const gateway = { kind: 'Gateway', name: 'trellis', componentUids: [], hasData: false };
    expect(await orphansOf(place)).toMatchObject([gateway]);
    const { orphans } = await trellis.succeed(
      'removeRegionOrphans',
      { region: refs.region },
      'orphans { kind }',
    );
    expect(orphans).toEqual([{ kind: 'Gateway' }]);
    expect(server.cluster.store.list(kindNamed('Gateway'), place.namespace)).toEqual([]);
  });

  it('is for administrators, and tells what is not there', async () => {
    const place = await createClusterPlace(trellis, server, { token: 'platform' });
    const { token } = await trellis.createMember(place.teamId, 'ADMIN');
    const text = `{ region(by: { regionId: "${place.region.regionId}" }) { orphans { name } } }`;
    const refused = await trellis.graphql(text, {}, token);
    expect(refused).toMatchObject({
      data: { region: { orphans: null } },
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    const input = { region: { regionId: place.region.regionId } };
    const { code } = await trellis.attempt('removeRegionOrphans', input, '__typename', token);
    expect(code).toBe('FORBIDDEN');
    const declared = await trellis.createRegion();
    expect(await orphansOf({ region: declared })).toEqual([]);
    const none = { region: { regionId: declared.regionId } };
    expect(await trellis.attempt('removeRegionOrphans', none)).toMatchObject({ code: 'CONFLICT' });
    const lost = await trellis.createRegion({ driver: 'KUBERNETES', url: 'https://127.0.0.1:1' });
    const unreachable = `{ region(by: { regionId: "${lost.regionId}" }) { orphans { name } } }`;
    expect(await trellis.graphql(unreachable)).toMatchObject({
      data: { region: { orphans: null } },
      errors: [{ extensions: { code: 'REGION_UNAVAILABLE' } }],
    });
  });
});
