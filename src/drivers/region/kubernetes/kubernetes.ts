import type { Clusters, RegionSource } from '../clusters.ts';
import type { RegionDriver } from '../driver.ts';
import { checkCluster } from './cluster/check.ts';
import { Client } from './cluster/client.ts';
import { withWorkErrors } from './cluster/errors.ts';
import { readKubeconfig } from './cluster/kubeconfig.ts';
import { driftOf, matchingIn } from './component/drift.ts';
import { watchChanges } from './component/watch-changes.ts';
import { ComponentWorks } from './component/work.ts';
import { namespaceAccess } from './import/access.ts';
import { instanceAccess } from './instances/access.ts';
import { observation } from './instances/observation.ts';
import { createLogQueries } from './logs/queries.ts';
import { storedLinesOf } from './logs/stored-lines.ts';
import { namespaceIn } from './objects/namespaces.ts';
import { issuedCertificates } from './routes/issued-certificates.ts';
import { limitationsOfHttp, limitationsOfTcp } from './routes/limitations.ts';
import { matchOf } from './routes/matches.ts';
import { routeAccess } from './routes/problems.ts';
import { runAccess } from './runs/access.ts';
import { snapshotAccess } from './snapshots/access.ts';
import { usageAccess } from './usage/access.ts';
import { figuresOf } from './usage/figures.ts';
import { createRangeQueries } from './usage/range-queries.ts';
import { managedObjects } from './write/managed-objects.ts';
import { forgetRemovals } from './write/removals.ts';
import { resetFence } from './write/reset-fence.ts';
import { type RolloutSettings, rolloutDefaults } from './write/scope.ts';
import { Scopes } from './write/scopes.ts';

/** How often the settings of a watched region are read. */
const refreshMs = 5_000;

/** How often removals of long ago are forgotten. */
const forgettingMs = 3_600_000;

/** A driver for regions that are Kubernetes clusters. */
export function createKubernetesRegion(
  source: RegionSource,
  rollouts: RolloutSettings = rolloutDefaults,
): RegionDriver & Clusters {
  const scopes = new Scopes(source, rollouts);
  const { inCluster, fromConnection } = scopes;
  /** Of readers, who see an instance when it may have been starting for long. */
  const atOnce = { ...rollouts, eventsAfterMs: 0 };
  const looked = { ...atOnce, isLook: true };
  const ranges = createRangeQueries(source);
  const logQueries = createLogQueries(source);
  const storedLines = storedLinesOf(scopes.regionOf, logQueries);
  const works = new ComponentWorks(scopes);

  return {
    name: 'kubernetes',
    observesWork: true,
    instances: instanceAccess(fromConnection, storedLines, looked),
    usage: usageAccess(fromConnection, scopes.regionOf, ranges),
    namespaces: namespaceAccess(inCluster),
    apply: (region, component, work, signal) => works.apply(region, component, work, signal),
    restart: (region, component, work, signal) =>
      works.apply(region, component, work, signal, String(work.id)),
    remove: (region, component, work, signal) => works.remove(region, component, work, signal),
    ...observation(fromConnection, looked),
    matching: (region, components, signal) =>
      withWorkErrors(signal, async () => matchingIn(await scopes.openForWork(region, signal), components)),
    routes: routeAccess(inCluster),
    certificates: issuedCertificates(inCluster),
    runs: runAccess(inCluster, storedLines, looked),
    snapshots: snapshotAccess(inCluster),
    objects: managedObjects(inCluster),
    async serviceDomain(regionId, owner) {
      const region = await scopes.regionOf(regionId, new AbortController().signal);
      return `${namespaceIn(region, owner)}.svc`;
    },
    async figures(regions, signal) {
      const figures = await Promise.all(
        regions.map(async (knowledge) => {
          const { connection, region } = await scopes.open(knowledge, signal);
          const { cluster } = region;
          return [
            knowledge.id,
            await figuresOf(connection.client, { ...knowledge, cluster }, signal),
          ] as const;
        }),
      );
      return new Map(figures);
    },
    check: (region, signal) => checkCluster(region, () => Client.connect(region, source), signal),
    async watchChanges(regionId, observer, signal) {
      const { connection, region } = await scopes.open(regionId, signal);
      // A connection is replaced when it is asked for after the settings of the region have changed.
      const asking = setInterval(() => void scopes.open(regionId, signal).catch(() => {}), refreshMs).unref();
      const forgetting = setInterval(
        () => void forgetRemovals({ connection, signal }).catch(() => {}),
        forgettingMs,
      ).unref();
      try {
        await watchChanges(connection, region, observer, atOnce, AbortSignal.any([signal, connection.ended]));
      } finally {
        clearInterval(asking);
        clearInterval(forgetting);
      }
    },
    resetFence: (regionId, signal) =>
      withWorkErrors(signal, async () => resetFence(await scopes.openForWork(regionId, signal))),
    drift: (region, component, signal, lastJob) =>
      withWorkErrors(signal, async () =>
        driftOf(await scopes.openForWork(region, signal), component, lastJob),
      ),
    readKubeconfig,
    limitationsOfHttp,
    limitationsOfTcp,
    matchOf,
    async close() {
      await Promise.all([scopes.close(), ranges.close(), logQueries.close()]);
    },
  };
}
