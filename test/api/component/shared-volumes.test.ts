import { beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { apply, exported, plan, shortly, tryApply, tryPlan } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const shared = { name: 'uploads', path: '/uploads', type: 'share-file', isShared: true };
const volumes = async (componentId: string) =>
  (
    await trellis.data(
      `{ component(by: { componentId: "${componentId}" }) { volumes { nodes { id name path isShared } } } }`,
    )
  ).component.volumes.nodes;

describe('a volume that components share', () => {
  it('is one of each component that has it, by its name', async () => {
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    const { componentId } = await trellis.createComponent(appId, { volumes: [shared] });
    const other = await trellis.createComponent(appId);
    const component = { componentId: other.componentId };
    await trellis.succeed('addVolume', { component, ...shared, path: '/in' }, '__typename');
    expect(await volumes(componentId)).toMatchObject([{ name: 'uploads', path: '/uploads', isShared: true }]);
    const [added] = await volumes(other.componentId);
    expect(added).toMatchObject({ name: 'uploads', path: '/in', isShared: true });
    const volume = { id: added.id };
    const change = async (input: object) =>
      (await trellis.succeed('updateVolume', { volume, ...input }, 'volume { isShared }')).volume;
    expect(await change({ path: '/other' })).toEqual({ isShared: true });
    expect(await change({ isShared: false })).toEqual({ isShared: false });
    // Its instances share it, so the load can set their number.
    await change({ isShared: true });
    await trellis.succeed(
      'setAutoscaling',
      { component, minReplicas: 1, maxReplicas: 3, cpuPercent: 50 },
      '__typename',
    );
    const refused = await trellis.attempt('createVolumeSnapshot', { volume });
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('is shared') });
    const file = { ...shared, name: 'f', path: '/f', type: 'config-file' };
    expect(await trellis.attempt('addVolume', { component, ...file })).toMatchObject({
      code: 'CONFLICT',
      message: 'The volume f of the type config-file has no data to share.',
    });
  });

  it('is refused in a cluster that has no class for it', async () => {
    const { teamId } = await trellis.createTeam();
    const team = { teamId };
    const region = await trellis.createRegion({ driver: 'KUBERNETES', cluster: {} });
    await trellis.succeed('openTeamRegion', { team, region: { name: region.name } }, '__typename');
    const { appId } = await trellis.createApplication({ team, region } as never, unique('app'));
    const input = { application: { appId }, name: 'web', image: 'nginx:1', volumes: [shared] };
    const { issues } = await trellis.attempt('createComponent', input, 'component { uid }');
    expect(issues).toMatchObject([{ path: ['input', 'volumes', '0', 'isShared'] }]);
    const document = `application: shop\ncomponents:\n  web: { image: nginx:1, volumes: { uploads: { path: /u, type: local, isShared: true } } }\n`;
    const { error } = await tryPlan(trellis, { team, region } as never, document);
    expect(error?.message).toContain(
      `The volume uploads cannot be shared: the region ${region.name} has no storage class for volumes that components share.`,
    );
    await trellis.succeed(
      'updateRegion',
      { region: { name: region.name }, cluster: { sharedStorageClass: 'nfs' } },
      '__typename',
    );
    await trellis.succeed('createComponent', input, 'component { uid }');
  });

  it('is in manifests and their plans, and in what is exported', async () => {
    const place = await trellis.createPlace();
    const document = (isShared: boolean) => `application: shop
components:
  api: { image: nginx:1, volumes: { uploads: { path: /out, type: local, isShared: ${isShared} } } }
  web: { image: nginx:1, volumes: { uploads: { path: /in, type: local, isShared: true } } }
`;
    const { application } = await apply(trellis, place, document(true));
    expect((await plan(trellis, place, document(true))).changes).toEqual([]);
    expect((await exported(trellis, application.appId)).document).toContain('isShared: true');
    const changed = await plan(trellis, place, document(false));
    expect(shortly(changed)).toEqual([
      expect.stringContaining('UPDATE VOLUME api uploads isShared: true -> false'),
    ]);
    const refused = await tryApply(trellis, place, document(false));
    expect(refused.code).toBe('CONFLICT');
  });

  it('can be added with a manifest by a token that allows nothing else', async () => {
    const place = await trellis.createPlace();
    const document = (volumes: string) =>
      `application: shop\ncomponents:\n  web: { image: nginx:1, volumes: ${volumes} }\n`;
    const { application } = await apply(trellis, place, document('{}'));
    const grants = [{ actions: ['APPLY_MANIFEST'], application: { appId: application.appId } }];
    const { secret } = await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret');
    const shares = document('{ uploads: { path: /in, type: local, isShared: true } }');
    const applied = await tryApply(trellis, place, shares, {}, secret);
    expect(applied).toMatchObject({ __typename: 'ApplyManifestPayload' });
  });

  describe('of an application of which a caller has a part', () => {
    let [token, own, appId] = ['', '', 0];
    beforeAll(async () => {
      const place = await trellis.createPlace();
      ({ appId } = await trellis.createApplication(place));
      own = (await trellis.createComponent(appId)).componentId;
      const grants = [
        { actions: ['ADD_VOLUME', 'UPDATE_VOLUME', 'PROMOTE_RELEASE'], component: { componentId: own } },
      ];
      token = (await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret')).secret;
    });

    it('cannot be added to that part', async () => {
      const component = { componentId: own };
      const attempt = (input: object) =>
        trellis.attempt('addVolume', { component, ...input }, '__typename', token);
      expect((await attempt(shared)).code).toBe('FORBIDDEN');
      const added = await attempt({ ...shared, isShared: false });
      expect(added.code).toBeUndefined();
      const [volume] = await volumes(own);
      const toggled = await trellis.attempt(
        'updateVolume',
        { volume: { id: volume.id }, isShared: true },
        '__typename',
        token,
      );
      expect(toggled.code).toBe('FORBIDDEN');
    });
  });
});
