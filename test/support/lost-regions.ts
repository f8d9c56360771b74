import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClusterPlace,
  createClusterPlace,
  type Deployed,
  deploy,
  patience,
  statusesOf,
} from './kubernetes/place.ts';
import { type FakeServer, startCluster } from './kubernetes/server.ts';
import { startTrellis, type Trellis } from './trellis.ts';

/** So many regions lose the cluster in which all of them are, and have it again. */
export function testLostRegions(count: number): void {
  let trellis: Trellis;
  let server: FakeServer;
  beforeAll(async () => {
    [trellis, server] = await Promise.all([
      startTrellis({ jobs: { maxAttempts: 1_000 }, reconciles: true }),
      startCluster(),
    ]);
  });
  afterAll(async () => {
    await trellis.close();
    await server.close();
  });

  describe('a cluster', () => {
    it('is one line of the log for each region when it is gone, and one when it is back', async () => {
      const places: ClusterPlace[] = [];
      while (places.length < count) places.push(await createClusterPlace(trellis, server));
      const all: Deployed[] = [];
      for (const each of places) all.push(...(await deploy(trellis, each, [{}], null)));
      const status = async () => new Set(await statusesOf(trellis, all));
      await expect.poll(status, patience).toEqual(new Set(['RUNNING']));
      const before = trellis.logged.length;
      server.setDown(true);
      for (const { componentId } of all) {
        await trellis.succeed('restartComponent', { component: { componentId } }, '__typename');
      }
      const text = "SELECT count(*) FROM job_component WHERE status = 'running' AND attempts > 2";
      const tried = async () => Number((await trellis.services.db.query(text, []))[0]![0]);
      await expect.poll(tried, patience).toBe(all.length);
      server.cluster.restart();
      server.setDown(false);
      await expect.poll(status, patience).toEqual(new Set(['RUNNING']));
      const lines = trellis.logged.slice(before).filter(({ level }) => level >= 30);
      const [lost, back] = ['a cluster cannot be reached', 'a cluster is reachable again'];
      for (const { region } of places) {
        const own = lines.filter((line) => line.region === region.name).map(({ msg }) => msg);
        expect(own).toEqual([lost, back]);
      }
      // Nothing else is a warning, whatever it is about.
      const warnings = lines.filter(({ level }) => level >= 40).map(({ msg }) => msg);
      expect(new Set(warnings)).toEqual(new Set([lost]));
    });
  });
}
