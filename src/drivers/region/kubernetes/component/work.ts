import { createBoundedCache } from '../../../../kernel/memo.ts';
import type { DesiredComponent, RegionTarget, RemovedComponent } from '../../desired.ts';
import { done, type Progress, RegionWorkError, type Work } from '../../driver.ts';
import { withWorkErrors } from '../cluster/errors.ts';
import { lookAtInstances } from '../instances/look.ts';
import { Rollout } from '../instances/rollout.ts';
import { podToReplace } from '../instances/stateful-pods.ts';
import { observed } from '../instances/status.ts';
import { eventNeed, isKept } from '../instances/trouble.ts';
import { areNamespacesSame, restrictNamespace } from '../namespace/apply.ts';
import { isOfComponent } from '../objects/objects.ts';
import { Applied } from '../objects/stored-object.ts';
import { applyRoutes } from '../routes/apply.ts';
import { requireLatestOf } from '../write/fence.ts';
import { JobLooks } from '../write/job-looks.ts';
import type { ClusterScope } from '../write/scope.ts';
import type { Scopes } from '../write/scopes.ts';
import { applyComponent, pruneConfiguration } from './apply.ts';
import { Removal, removeComponent } from './remove.ts';

/** How much work is remembered. Cancelled work is not called for again. */
const maxWorks = 10_000;
/** Of how many jobs is remembered what was looked at. It is looked at again otherwise. */
const maxJobs = 100;

/** Looks again sooner while work is young. */
const goOn = ({ elapsedMs }: Work, reason?: string): Progress => ({
  isDone: false,
  checkAgainMs: Math.min(2_000, Math.max(100, elapsedMs / 4)),
  ...(reason !== undefined && { reason }),
});

/** Checks the instances of a component. Throws the reason if they cannot run. */
async function progressOf(
  scope: ClusterScope,
  component: DesiredComponent,
  work: Work,
  rollout: Rollout,
): Promise<Progress> {
  const { connection, rollouts, signal } = scope;
  const { cache } = connection;
  const { workload, pods } = await lookAtInstances(scope, component, rollout.silence);
  if (workload) requireLatestOf(scope, workload);
  const isThere = isOfComponent(workload, component.id);
  const isSame =
    !cache.isCurrent ||
    (rollout.applied?.isSame(cache.ofComponent(component.id)) !== false &&
      areNamespacesSame(scope, component));
  if (!isThere || !isSame) {
    // Somebody has deleted or changed it, or what belongs to it, since it was applied.
    rollout.isApplied = false;
    return goOn(work);
  }
  const eventsOf = await connection.podEvents.read(pods.filter(isKept), eventNeed, rollouts);
  const status = observed(workload, pods, { eventsOf });
  if (status.isSettled) {
    // Another process may have applied a route a moment before the component was stopped.
    if (component.state === 'closed') await applyRoutes(scope, component, []);
    await pruneConfiguration(scope, component, workload, pods);
    if (!component.needsRoot) await restrictNamespace(scope, component);
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

/** The work of jobs on components, which is called for until it is done. */
export class ComponentWorks {
  readonly #scopes: Scopes;
  /** The work in progress, by its id. Work that is forgotten is applied again, which makes no difference. */
  readonly #rollouts = createBoundedCache<number, Rollout>({ size: maxWorks });
  readonly #removals = createBoundedCache<number, Removal>({ size: maxWorks });
  /** The looks of each job, by its region and id. */
  readonly #looks = createBoundedCache<string, JobLooks>({ size: maxJobs });

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  #open(region: RegionTarget, work: Work, signal: AbortSignal): Promise<ClusterScope> {
    const key = `${region.id} ${work.job}`;
    const looks = this.#looks.get(key) ?? new JobLooks();
    this.#looks.set(key, looks, 1);
    return this.#scopes.openForWork(region, signal, { looks, job: work.job });
  }

  apply(
    region: RegionTarget,
    component: DesiredComponent,
    work: Work,
    signal: AbortSignal,
    restart?: string,
  ): Promise<Progress> {
    return withWorkErrors(signal, async () => {
      const scope = await this.#open(region, work, signal);
      const rollout = this.#rollouts.get(work.id) ?? new Rollout();
      this.#rollouts.set(work.id, rollout, 1);
      try {
        if (!rollout.isApplied) {
          if (!areNamespacesSame(scope, component)) scope.looks.forget();
          const applied = await applyComponent(scope, component, restart);
          if (!Array.isArray(applied)) return goOn(work, applied?.reason);
          rollout.isApplied = true;
          rollout.applied = new Applied(applied);
        }
        const progress = await progressOf(scope, component, work, rollout);
        if (progress.isDone) this.#rollouts.delete(work.id);
        return progress;
      } catch (error) {
        rollout.isApplied = false;
        scope.looks.forget();
        if (error instanceof RegionWorkError && error.isPermanent) this.#rollouts.delete(work.id);
        throw error;
      }
    });
  }

  remove(
    region: RegionTarget,
    component: RemovedComponent,
    work: Work,
    signal: AbortSignal,
  ): Promise<Progress> {
    return withWorkErrors(signal, async () => {
      const scope = await this.#open(region, work, signal);
      const removal = this.#removals.get(work.id) ?? new Removal();
      this.#removals.set(work.id, removal, 1);
      if (!(await removeComponent(scope, component, removal))) return goOn(work);
      this.#removals.delete(work.id);
      return done;
    });
  }
}
