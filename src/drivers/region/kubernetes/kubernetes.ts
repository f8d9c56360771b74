import { setMaxListeners } from 'node:events';
import { createBoundedCache } from '../../../kernel/memo.ts';
import type { Clusters, KubernetesRegion, RegionSource } from '../clusters.ts';
import type { DesiredComponent, RegionTarget } from '../desired.ts';
import { done, type Progress, type RegionDriver, RegionWorkError, type Work } from '../driver.ts';
import { checkCluster } from './cluster/check.ts';
import { Client } from './cluster/client.ts';
import type { Connection } from './cluster/connection.ts';
import { Connections } from './cluster/connections.ts';
import { withWorkErrors } from './cluster/errors.ts';
import { readKubeconfig } from './cluster/kubeconfig.ts';
import { applyComponent, pruneConfiguration } from './component/apply.ts';
import { driftOf } from './component/drift.ts';
import { matchingIn } from './component/matching.ts';
import { Removal, removeComponent } from './component/remove.ts';
import { watchChanges } from './component/watch-changes.ts';
import { namespaceAccess } from './import/access.ts';
import { instanceAccess } from './instances/access.ts';
import { lookAtInstances } from './instances/look.ts';
import { observation } from './instances/observation.ts';
import { Rollout } from './instances/rollout.ts';
import { podToReplace } from './instances/stateful-pods.ts';
import { observed } from './instances/status.ts';
import { eventNeed, isKept } from './instances/trouble.ts';
import { createLogQueries } from './logs/queries.ts';
import { storedLinesOf } from './logs/stored-lines.ts';
import { Applied } from './objects/applied.ts';
import { labels } from './objects/objects.ts';
import { applyRoutes } from './routes/apply.ts';
import { issuedCertificates } from './routes/issued-certificates.ts';
import { limitationsOfHttp, limitationsOfTcp } from './routes/limitations.ts';
import { matchOf } from './routes/matches.ts';
import { routeAccess } from './routes/problems.ts';
import { runAccess } from './runs/access.ts';
import { snapshotAccess } from './snapshots/access.ts';
import { isTeamSame, restrictTeam } from './team/apply.ts';
import { usageAccess } from './usage/access.ts';
import { figuresOf } from './usage/figures.ts';
import { createRangeQueries } from './usage/range-queries.ts';
import { requireLatestOf } from './write/fence.ts';
import { JobLooks } from './write/job-looks.ts';
import { managedObjects } from './write/managed-objects.ts';
import { forgetRemovals } from './write/removals.ts';
import { resetFence } from './write/reset-fence.ts';
import { type ClusterScope, type RolloutSettings, rolloutDefaults } from './write/scope.ts';

/** How much work is remembered. Cancelled work is not called for again. */
const maxWorks = 10_000;
/** Of how many jobs is remembered what was looked at. It is looked at again otherwise. */
const maxJobs = 100;

/** How often the settings of a watched region are read. */
const refreshMs = 5_000;

/** How often removals of long ago are forgotten. */
const forgettingMs = 3_600_000;

/** Looks again sooner while work is young. */
const goOn = ({ elapsedMs }: Work, reason?: string): Progress => ({
  isDone: false,
  checkAgainMs: Math.min(2_000, Math.max(100, elapsedMs / 4)),
  ...(reason !== undefined && { reason }),
});

/** A driver for regions that are Kubernetes clusters. */
export function createKubernetesRegion(
  source: RegionSource,
  rollouts: RolloutSettings = rolloutDefaults,
): RegionDriver & Clusters {
  const connections = new Connections(source);
  /** Of readers, who see an instance when it may have been starting for long. */
  const atOnce = { ...rollouts, eventsAfterMs: 0 };
  const looked = { ...atOnce, isLook: true };
  const ranges = createRangeQueries(source);
  const logQueries = createLogQueries(source);
  /** The work in progress, by its id. Work that is forgotten is applied again, which makes no difference. */
  const works = createBoundedCache<number, Rollout>({ size: maxWorks });
  const removals = createBoundedCache<number, Removal>({ size: maxWorks });
  /** The looks of each job, by its region and id. */
  const looks = createBoundedCache<string, JobLooks>({ size: maxJobs });

  function looksOf({ id }: Pick<RegionTarget, 'id'>, work: Work): JobLooks {
    const key = `${id} ${work.job}`;
    const jobLooks = looks.get(key) ?? new JobLooks();
    looks.set(key, jobLooks, 1);
    return jobLooks;
  }

  async function regionOf(id: string, signal: AbortSignal, name = id): Promise<KubernetesRegion> {
    const region = await source.region(id, signal);
    if (!region) throw new RegionWorkError(`There is no region ${name}.`, { isPermanent: true });
    return region;
  }

  const storedLines = storedLinesOf(regionOf, logQueries);

  async function placeOf(
    { id, name }: Pick<RegionTarget, 'id' | 'name'>,
    signal: AbortSignal,
    jobLooks = new JobLooks(),
  ): Promise<ClusterScope> {
    signal.throwIfAborted();
    // Every request of a call listens to its signal.
    setMaxListeners(0, signal);
    const region = await regionOf(id, signal, name);
    return { region, connection: await connections.of(region), source, rollouts, looks: jobLooks, signal };
  }

  /** A place to work in: without an issuer if the cluster has no cert-manager. */
  async function workplaceOf(
    region: Pick<RegionTarget, 'id' | 'name'>,
    signal: AbortSignal,
    jobLooks?: JobLooks,
    job?: number,
  ): Promise<ClusterScope> {
    const place = { ...(await placeOf(region, signal, jobLooks)), ...(job !== undefined && { job }) };
    if (await place.connection.capabilities.hasCertificates(place.region, signal)) return place;
    const cluster = { ...place.region.cluster, certificateIssuer: null };
    return { ...place, region: { ...place.region, cluster } };
  }

  /** The connection of a region once it knows its pods. */
  async function readyConnection(regionId: string, signal: AbortSignal): Promise<Connection> {
    const { connection } = await placeOf({ id: regionId, name: regionId }, signal);
    await connection.instances.ready(signal);
    return connection;
  }

  /** Checks the instances of a component. Throws the reason if they cannot run. */
  async function progressOf(
    place: ClusterScope,
    component: DesiredComponent,
    work: Work,
    rollout: Rollout,
  ): Promise<Progress> {
    const { connection, signal } = place;
    const { workload, pods } = await lookAtInstances(place, component, rollout.silence);
    if (workload) requireLatestOf(place, workload);
    const isThere = workload?.metadata.labels?.[labels.component] === component.id;
    const isSame =
      !connection.cache.isCurrent ||
      (rollout.applied?.isSame(connection.cache.ofComponent(component.id)) !== false &&
        isTeamSame(place, component));
    if (!isThere || !isSame) {
      // Somebody has deleted or changed it, or what belongs to it, since it was applied.
      rollout.isApplied = false;
      return goOn(work);
    }
    const eventsOf = await connection.podEvents.read(pods.filter(isKept), eventNeed, rollouts);
    const status = observed(workload, pods, { eventsOf });
    if (status.isSettled) {
      // Another process may have applied a route a moment before the component was stopped.
      if (component.state === 'closed') await applyRoutes(place, component, []);
      await pruneConfiguration(place, component, workload, pods);
      if (!component.needsRoot) await restrictTeam(place, component);
      return done;
    }
    if (rollout.hasFailed(status, rollouts.failingMs)) {
      throw new RegionWorkError(status.reason ?? 'No instance can start.', { isPermanent: true });
    }
    if (workload.kind === 'StatefulSet') {
      const pod = podToReplace(workload, pods);
      if (pod) await connection.client.remove(pod, signal);
    }
    return goOn(work, status.reason);
  }

  async function carryOut(
    region: RegionTarget,
    component: DesiredComponent,
    work: Work,
    signal: AbortSignal,
    restart?: string,
  ): Promise<Progress> {
    return withWorkErrors(signal, async () => {
      const place = await workplaceOf(region, signal, looksOf(region, work), work.job);
      const rollout = works.get(work.id) ?? new Rollout();
      works.set(work.id, rollout, 1);
      try {
        if (!rollout.isApplied) {
          if (!isTeamSame(place, component)) place.looks.forget();
          const applied = await applyComponent(place, component, restart);
          if (!applied) return goOn(work);
          rollout.isApplied = true;
          rollout.applied = new Applied(applied);
        }
        const progress = await progressOf(place, component, work, rollout);
        if (progress.isDone) works.delete(work.id);
        return progress;
      } catch (error) {
        rollout.isApplied = false;
        place.looks.forget();
        if (error instanceof RegionWorkError && error.isPermanent) works.delete(work.id);
        throw error;
      }
    });
  }

  return {
    name: 'kubernetes',
    observesWork: true,
    instances: instanceAccess(readyConnection, storedLines, looked),
    usage: usageAccess(readyConnection, regionOf, ranges),
    namespaces: namespaceAccess(
      async (regionId, signal) => (await placeOf({ id: regionId, name: regionId }, signal)).connection.client,
    ),
    apply: (region, component, work, signal) => carryOut(region, component, work, signal),
    restart: (region, component, work, signal) => carryOut(region, component, work, signal, String(work.id)),
    async remove(region, component, work, signal) {
      return withWorkErrors(signal, async () => {
        const place = await workplaceOf(region, signal, looksOf(region, work), work.job);
        const removal = removals.get(work.id) ?? new Removal();
        removals.set(work.id, removal, 1);
        if (!(await removeComponent(place, component, removal))) return goOn(work);
        removals.delete(work.id);
        return done;
      });
    },
    ...observation(readyConnection, looked),
    matching: (region, components, signal) =>
      withWorkErrors(signal, async () => matchingIn(await workplaceOf(region, signal), components)),
    routes: routeAccess((id, signal) => placeOf({ id, name: id }, signal)),
    certificates: issuedCertificates((id, signal) => placeOf({ id, name: id }, signal)),
    runs: runAccess(placeOf, storedLines, looked),
    snapshots: snapshotAccess((id, signal) => placeOf({ id, name: id }, signal)),
    objects: managedObjects((id, signal) => placeOf({ id, name: id }, signal)),
    async figures(regions, signal) {
      const figures = await Promise.all(
        regions.map(async (region) => {
          const { connection, region: known } = await placeOf(region, signal);
          const { cluster } = known;
          return [region.id, await figuresOf(connection.client, { ...region, cluster }, signal)] as const;
        }),
      );
      return new Map(figures);
    },
    check: (region, signal) => checkCluster(region, () => Client.connect(region, source), signal),
    async watchChanges(regionId, observer, signal) {
      const place = { id: regionId, name: regionId };
      const { connection, region } = await placeOf(place, signal);
      // A connection is replaced when it is asked for after the settings of the region have changed.
      const asking = setInterval(() => void placeOf(place, signal).catch(() => {}), refreshMs).unref();
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
    async resetFence(regionId, signal) {
      return withWorkErrors(signal, async () =>
        resetFence(await workplaceOf({ id: regionId, name: regionId }, signal)),
      );
    },
    async drift(region, component, signal, lastJob) {
      return withWorkErrors(signal, async () =>
        driftOf(await workplaceOf(region, signal), component, lastJob),
      );
    },
    readKubeconfig,
    limitationsOfHttp,
    limitationsOfTcp,
    matchOf,
    async close() {
      await Promise.all([connections.close(), ranges.close(), logQueries.close()]);
    },
  };
}
