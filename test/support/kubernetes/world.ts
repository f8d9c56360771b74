import { afterAll, beforeAll } from 'vitest';
import { type Trellis, type TrellisOptions, useTrellis } from '../trellis.ts';
import { platform } from './api/access.ts';
import { type ClusterPlace, createClusterPlace } from './place.ts';
import { type FakeServer, startCluster } from './server.ts';

interface ClusterWorld {
  trellis: Trellis;
  server: FakeServer;
  /** A region of the cluster with an application, if it is asked for. */
  place: ClusterPlace;
}

interface ClusterWorldOptions extends NonNullable<Parameters<typeof startCluster>[0]> {
  place?: Parameters<typeof createClusterPlace>[2];
}

/**
 * A gateway and a cluster for the tests of a file or a `describe`. The cluster has an account `platform` with the rights that
 * regions need.
 */
export function useClusterWorld(
  settings: TrellisOptions = {},
  { place, ...cluster }: ClusterWorldOptions = {},
): ClusterWorld {
  const server = {} as FakeServer;
  // Hooks run in reverse order: the gateway is closed first.
  afterAll(() => server.close?.());
  const trellis = useTrellis(settings);
  const made = {} as ClusterPlace;
  beforeAll(async () => {
    Object.defineProperties(server, Object.getOwnPropertyDescriptors(await startCluster(cluster)));
    server.cluster.users.set('platform', platform());
    if (place) Object.assign(made, await createClusterPlace(trellis, server, place));
  });
  return { trellis, server, place: made };
}
