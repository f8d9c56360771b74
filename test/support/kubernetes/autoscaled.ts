import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Trellis } from '../trellis.ts';
import { kindNamed } from './api/kinds.ts';
import {
  type ClusterPlace,
  createClusterPlace,
  type Deployed,
  deploy,
  jobsOf,
  objectIn,
  patience,
  settledJobs,
  somebody,
} from './place.ts';
import type { FakeServer } from './server.ts';
import { useClusterWorld } from './world.ts';

/** Every number of instances that a Deployment is given from now on. */
export function numbersGiven(server: FakeServer, { alias }: Deployed): number[] {
  const seen: number[] = [];
  const { store } = server.cluster;
  store.watch(kindNamed('Deployment'), store.version, ({ object }) => {
    const { metadata, spec } = object;
    if (metadata.name === alias && seen.at(-1) !== spec.replicas) seen.push(spec.replicas);
  });
  return seen;
}

export async function autoscale(
  trellis: Trellis,
  place: ClusterPlace,
  { componentId }: Deployed,
  input: object = {},
): Promise<void> {
  await trellis.succeed(
    'setAutoscaling',
    { component: { componentId }, minReplicas: 2, maxReplicas: 8, cpuPercent: 50, ...input },
    '__typename',
  );
  await settledJobs(trellis, place);
}

/** Lets minutes of the cluster pass, in which the driver and the autoscaler must not contradict each other. */
export function describeKeptNumber({ minutes }: { minutes: number }): void {
  const time = minutes === 60 ? 'an hour' : `${minutes} minutes`;

  describe('an autoscaling in a cluster', { timeout: 180_000 }, () => {
    const { trellis, server } = useClusterWorld({ jobs: { backoffMaxMs: 200 }, reconciles: true });

    it(`keeps its number for ${time} beside the repair of other changes`, async () => {
      const place = await createClusterPlace(trellis, server);
      const [component] = (await deploy(trellis, place)) as [Deployed];
      const { alias } = component;
      const deployment = () => objectIn(place, 'Deployment', alias);
      await autoscale(trellis, place, component);
      server.cluster.loads.set(alias, { cpu: 350 });
      await expect.poll(() => deployment().spec.replicas, patience).toBe(7);
      const seen = numbersGiven(server, component);
      const path = `/apis/apps/v1/namespaces/${place.namespace}/deployments/${alias}`;
      const { image } = deployment().spec.template.spec.containers[0];
      for (let minute = 0; minute < minutes; minute++) {
        server.cluster.pass(60);
        if (minute % 20 === 10) {
          const containers = [{ name: 'main', image: 'nginx:by-hand' }];
          const body = { spec: { template: { spec: { containers } } } };
          const type = 'application/strategic-merge-patch+json';
          somebody(place, 'PATCH', `${path}?fieldManager=kubectl-edit`, body, type);
          const isBack = () => deployment().spec.template.spec.containers[0].image === image;
          await expect.poll(isBack, patience).toBe(true);
        }
        // Waits on time: the driver would change the number meanwhile, and has nothing to do otherwise.
        await sleep(20);
      }
      await settledJobs(trellis, place);
      expect(deployment().spec.replicas).toBe(7);
      expect(seen.filter((replicas) => replicas !== 7)).toEqual([]);
      expect((await jobsOf(trellis, place, 'RECONCILE')).length).toBeGreaterThan(0);
    });
  });
}
