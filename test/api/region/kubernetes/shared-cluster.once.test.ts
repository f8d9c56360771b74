import { describe, expect, it } from 'vitest';
import { unique } from '../../../support/fixtures.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import {
  type ClusterPlace,
  createClusterPlace,
  type Deployed,
  deploy,
  jobsOf,
  objectIn,
  patience,
  somebody,
} from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, server } = useClusterWorld({ jobs: { backoffMaxMs: 200 }, reconciles: true });

/** Waits until changes of others are put back in a place, which is then watched. */
async function isWatched(place: ClusterPlace): Promise<void> {
  const [{ alias }] = (await deploy(trellis, place)) as [Deployed];
  await expect.poll(() => objectIn(place, 'Deployment', alias)?.metadata.uid, patience).toBeDefined();
  const { uid } = objectIn(place, 'Deployment', alias).metadata;
  somebody(place, 'DELETE', `/apis/apps/v1/namespaces/${place.namespace}/deployments/${alias}`);
  const isBack = () => ![undefined, uid].includes(objectIn(place, 'Deployment', alias)?.metadata.uid);
  await expect.poll(isBack, patience).toBe(true);
}

describe('two regions on one cluster', () => {
  it('keep to their own namespaces, also for a team that has both', async () => {
    const one = await createClusterPlace(trellis, server);
    const other = await createClusterPlace(trellis, server, { teamId: one.teamId });
    const watched = await createClusterPlace(trellis, server);
    expect(other.namespace).not.toBe(one.namespace);
    const [{ alias }] = (await deploy(trellis, one)) as [Deployed];
    await isWatched(other);
    somebody(one, 'DELETE', `/apis/apps/v1/namespaces/${one.namespace}/deployments/${alias}`);
    await expect.poll(() => objectIn(one, 'Deployment', alias)?.spec.replicas, patience).toBe(1);
    await isWatched(watched);
    const names = (namespace: string) =>
      server.cluster.store.list(kindNamed('Deployment'), namespace).map(({ metadata }) => metadata.name);
    expect(names(one.namespace)).toEqual([alias]);
    expect(names(other.namespace)).not.toContain(alias);
    await expect
      .poll(() => jobsOf(trellis, other, 'RECONCILE'), patience)
      .toMatchObject([{ status: 'SUCCEEDED', error: null }]);
  });

  it('have different prefixes', async () => {
    const namespacePrefix = `${unique('a')}-`;
    const cluster = { gatewayClass: 'test', namespacePrefix };
    const url = 'https://Cluster.example:443/';
    const first = await trellis.createRegion({ driver: 'KUBERNETES', url, cluster });
    const input = {
      driver: 'KUBERNETES',
      ...{ websocketUrl: 'wss://a.example', httpDomain: 'a.example', tcpDomain: 'b.example' },
    };
    const same = { ...input, name: unique('r'), url: 'https://cluster.example', cluster };
    expect(await trellis.attempt('createRegion', same)).toMatchObject({
      code: 'CONFLICT',
      message: `The region ${first.name} uses this cluster with the namespace prefix ${namespacePrefix}. Choose another \`cluster.namespacePrefix\`.`,
    });
    const second = await trellis.createRegion({
      ...{ driver: 'KUBERNETES', url: same.url },
      cluster: { namespacePrefix: `${unique('b')}-` },
    });
    const region = { name: second.name };
    expect(await trellis.attempt('updateRegion', { region, cluster: { namespacePrefix } })).toMatchObject({
      code: 'CONFLICT',
    });
    await trellis.succeed('updateRegion', { region, description: 'unchanged' }, '__typename');
    // A region without a cluster may have any address.
    await trellis.createRegion({ url: same.url });
    const elsewhere = { region, url: 'https://elsewhere.example', cluster: { namespacePrefix } };
    await trellis.succeed('updateRegion', elsewhere, '__typename');
    expect(await trellis.attempt('updateRegion', { region, url })).toMatchObject({ code: 'CONFLICT' });
  });
});
