import { describe, expect, it } from 'vitest';
import { platform } from '../../../support/kubernetes/api/access.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type Deployed, deploy, patience } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const cluster = { gatewayClass: 'test', sharedStorageClass: 'nfs' };
const { trellis, server, place } = useClusterWorld(
  { jobs: {}, runs: {} },
  { place: { token: 'platform', cluster } },
);

const volume = (path: string) => ({
  ...{ name: 'Uploads', path, type: 'share-file', capacityGiB: 5, isShared: true },
});
const all = (kind: string): any[] => server.cluster.store.list(kindNamed(kind), place.namespace);
const claims = () =>
  all('PersistentVolumeClaim').filter(({ metadata }) => metadata.name.startsWith('uploads.'));
const claimOf = (kind: string, componentId: string): string | undefined =>
  all(kind).find(({ metadata }) => metadata.labels['trellis.dev/component'] === componentId)?.spec.template
    .spec.volumes[0].persistentVolumeClaim.claimName;

describe('a volume that components share in a cluster', () => {
  it('is one claim of their application, which the last of them takes along', async () => {
    expect(platform()).toBeDefined();
    const [one, other] = (await deploy(trellis, place, [
      { volumes: [volume('/out')] },
      { volumes: [volume('/in')], extendMethod: 'STATE' },
    ])) as [Deployed, Deployed];
    const [claim, ...more] = claims();
    expect(more).toEqual([]);
    expect(claim.spec).toMatchObject({
      accessModes: ['ReadWriteMany'],
      storageClassName: 'nfs',
      resources: { requests: { storage: '5Gi' } },
    });
    const { name, labels } = claim.metadata;
    expect(claimOf('Deployment', one.componentId)).toBe(name);
    expect(claimOf('StatefulSet', other.componentId)).toBe(name);
    expect(labels['trellis.dev/component']).toBeUndefined();
    const users = () =>
      Object.keys(claims()[0]?.metadata.labels ?? {}).filter((label) => label.startsWith('component.'));
    expect(users()).toHaveLength(2);
    // Another application has data of its own under the same name.
    const { appId } = await trellis.createApplication(
      { team: { teamId: place.teamId }, region: place.region } as never,
      'other',
      { isolation: 'TEAM' },
    );
    await deploy(trellis, { ...place, appId }, [{ volumes: [volume('/out')] }]);
    expect(claims()).toHaveLength(2);
    const remove = async ({ componentId }: Deployed, more: object) => {
      const input = { component: { componentId }, force: true, ...more };
      const { job } = await trellis.succeed('deleteComponent', input, 'job { uid }');
      const query = `{ job(by: { jobId: ${job.uid} }) { status } }`;
      await expect.poll(async () => (await trellis.data(query)).job.status, patience).toBe('SUCCEEDED');
    };
    await remove(one, { deleteVolumes: true });
    expect(claims()).toHaveLength(2);
    expect(users()).toEqual([`component.trellis.dev/${other.componentId}`]);
    await remove(other, { deleteVolumes: true });
    await expect.poll(() => claims().map(({ metadata }) => metadata.name), patience).not.toContain(name);
    expect(claims()).toHaveLength(1);
  });
});
