import { startTrellis, type Trellis } from '../trellis.ts';
import { platform } from './api/access.ts';
import { type FakeServer, startCluster } from './server.ts';

interface ClusterWorld {
  trellis: Trellis;
  server: FakeServer;
  close(): Promise<void>;
}

/** A gateway and a cluster, which has an account `platform` with the rights that regions need. */
export async function startClusterWorld(
  settings: Parameters<typeof startTrellis>[0] = {},
  cluster: Parameters<typeof startCluster>[0] = {},
): Promise<ClusterWorld> {
  const [trellis, server] = await Promise.all([startTrellis(settings), startCluster(cluster)]);
  server.cluster.users.set('platform', platform());
  return {
    trellis,
    server,
    async close() {
      await trellis.close();
      await server.close();
    },
  };
}
