import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { findByKeys, reviseMany } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import type { EventAction } from '../../../db/write/events.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { groupBy } from '../../../kernel/group.ts';
import { stepsOf } from '../../../kernel/steps.ts';
import type { JobKind } from '../../job/model.ts';
import { insertJob, type JobTarget } from '../../job/rows.ts';
import { withinQuota } from '../../region/quota-reads.ts';
import { isImmediate } from '../../region/reads.ts';
import { componentHooks, type DeployOrigin } from '../hooks.ts';
import { ownNames } from '../names/rows.ts';
import { requireRootAllowed } from '../root-model.ts';
import { setComponents } from '../rows.ts';
import { changeWeights } from '../size/model.ts';
import { requireConfigurationFits } from '../size/rows.ts';
import {
  type DeployAction,
  type DeployState,
  isClosed,
  isDeployed,
  nextDeployState,
  stateText,
} from '../state-model.ts';
import {
  changeDeployments,
  type Made,
  sealDeployments,
  setDeployedImages,
  setDeployments,
  withDeployment,
} from './deployment-rows.ts';
import { digestRun, imagesAmong, noteOf, type Unchanged } from './image-model.ts';
import { imagesOf, unchangedOf } from './image-rows.ts';
import { pendingAmong, setPending } from './pending-rows.ts';

type Component = Row<'Component'>;

export interface JobScene extends Made {
  kind: JobKind;
  team: Row<'Team'>;
  region: Row<'Region'>;
  applicationId: number | null;
  /** Which releases are brought back or promoted, by the ids of components. */
  origins?: ReadonlyMap<string, DeployOrigin>;
}

export interface StateChange {
  /** The component, locked and read in the transaction. */
  row: Component;
  action: DeployAction;
  /** The action that is recorded, if it is not that of the same name. */
  event?: EventAction<'Component'>;
  /** For `scale`: the resources that change. */
  data?: Partial<Component>;
}

const actions = {
  deploy: { event: 'component.deploy', done: 'deployed', usesQuota: true },
  start: { event: 'component.start', done: 'started', usesQuota: true },
  stop: { event: 'component.stop', done: 'stopped', usesQuota: false },
  restart: { event: 'component.restart', done: 'restarted', usesQuota: false },
  scale: { event: 'component.scale', done: 'scaled', usesQuota: true },
  drop: { event: 'component.close', done: 'closed', usesQuota: false },
} as const satisfies {
  [action in DeployAction]: { event: EventAction<'Component'>; done: string; usesQuota: boolean };
};

/** The state after an action. CONFLICT if the component's state does not allow it. */
function requireNextState(component: Component, action: DeployAction): DeployState {
  const next = nextDeployState(component.deployState, action);
  if (next) return next;
  throw new ConflictError(
    `The component ${component.name} cannot be ${actions[action].done}, because it ${stateText(component)}.`,
  );
}

/** A component that a job carries out. */
export interface Target {
  component: Component;
  action: DeployAction | 'configure';
  /** The state before a deploy, unless the component is deployed or new. */
  stateBefore?: string;
  /** Set if a deploy has nothing to change. */
  unchanged?: Unchanged;
}

/**
 * Sets the desired state of components and records the job that carries it out. Returns the components after the change,
 * in the same order, and the job; null if the region has nothing to carry out. CONFLICT if the state of a component does
 * not allow its action, QUOTA_EXCEEDED if the components then request more than the quota. The number of statements does
 * not depend on the number of components, which have to be locked.
 */
export async function carryOut(
  write: Write<Context>,
  scene: JobScene,
  changes: readonly StateChange[],
): Promise<{ components: Component[]; job: Row<'Job'> | null }> {
  const usesQuota = changes.some(({ action }) => actions[action].usesQuota);
  const set = () => setStates(write, scene, changes);
  const { components, targets } = await (usesQuota ? withinQuota({ ...write, ...scene }, set) : set());
  const scaled = changes.flatMap(({ row, data }) => (data ? { id: row.id, data } : []));
  if (scaled.length > 0 && !isImmediate(write.context, scene.region)) await changeDeployments(write, scaled);
  return { components, job: await recordJob(write, scene, targets) };
}

/** Sets the desired state of components. Returns them after the change, in the same order, and what a job has to carry out. */
export async function setStates(
  write: Write<Context>,
  scene: Pick<JobScene, 'team' | 'region' | 'origins'>,
  all: readonly StateChange[],
): Promise<{ components: Component[]; targets: Target[] }> {
  write.context.budget?.requireChangeObjects(all.length * changeWeights.Component);
  const updatedAt = new Date();
  const deploys = all.filter(({ action }) => action === 'deploy').map(({ row }) => row);
  const unchanged = await unchangedOf(write, scene, deploys);
  const changes = all.filter(({ row, action }) => action !== 'deploy' || !unchanged.has(row.id));
  const updates = changes.map(({ row, action, event = actions[action].event, data = {} }) => {
    const deployState = requireNextState(row, action);
    const isDeploy = action === 'deploy';
    const set = {
      deployState,
      generation: row.generation + (isDeployed(row) || isDeployed({ deployState }) ? 1 : 0),
      updateVersion: row.updateVersion + (isDeploy ? 1 : 0),
      hasUndeployedChanges: row.hasUndeployedChanges && !isDeploy,
      updatedAt,
      ...data,
    };
    return { row, action, event, data: set };
  });
  const after = new Map<string, Component>();
  for (const [event, group] of groupBy(updates, (update) => update.event)) {
    for (const component of await setComponents(write, event, group)) {
      after.set(component.id, component);
    }
  }
  const carriedOut = updates
    .filter(({ row, data }) => data.generation !== row.generation)
    .map(({ row, action }) => ({
      component: after.get(row.id)!,
      action,
      ...(isClosed(row) && { stateBefore: row.deployState }),
    }));
  const left = deploys.flatMap((row) => {
    const found = unchanged.get(row.id);
    const revision = row.revision + (row.hasUndeployedChanges ? 1 : 0);
    const component = { ...row, hasUndeployedChanges: false, revision };
    return found ? [{ component, action: 'deploy' as const, unchanged: found }] : [];
  });
  for (const { component } of left) after.set(component.id, component);
  await setAsDeployed(
    write,
    deploys.filter(({ id }) => unchanged.has(id)),
  );
  return { components: all.map(({ row }) => after.get(row.id)!), targets: [...carriedOut, ...left] };
}

/** A change that was taken back is no undeployed change. No event: nothing was changed. */
const setAsDeployed = (write: Write<Context>, rows: readonly Component[]): Promise<void> =>
  reviseMany(
    write,
    'Component',
    rows
      .filter((row) => row.hasUndeployedChanges)
      .map(({ id }) => ({ id, data: { hasUndeployedChanges: false } })),
  );

/**
 * Records the job that carries out the desired state of components, which has been set in the transaction, and keeps
 * what they are deployed with. `removals` are carried out after them. Null for a dry run.
 */
export async function recordJob(
  write: Write<Context>,
  scene: JobScene,
  targets: readonly Target[],
  removals: readonly JobTarget[] = [],
): Promise<Row<'Job'> | null> {
  if (targets.length + removals.length === 0) return null;
  const ids = targets.map(({ component }) => component.id);
  const dependencies = await findByKeys(write, 'ComponentDependency', 'componentId', ids, [
    'componentId',
    'dependencyId',
  ]);
  const changed = targets.filter(({ unchanged }) => !unchanged);
  const running = changed.filter(({ component }) => isDeployed(component));
  const runningBy = (action: Target['action']) =>
    running.filter((target) => target.action === action).map(({ component }) => component);
  const [deployed, restarted] = [runningBy('deploy'), runningBy('restart')];
  const images = await imagesOf(write, scene, { deployed, restarted });
  // A change that records several jobs needs the images of all of them.
  if (scene.kind !== 'upgrade') write.needs.require();
  requireRootAllowed(deployed, scene.region);
  await ownNames(write, scene, deployed);
  const others = running.filter(({ action }) => action !== 'deploy').map(({ component }) => component);
  const isStored = !isImmediate(write.context, scene.region);
  // Of a component that was deployed before its region carried out jobs, the current state is kept.
  const kept = isStored ? await withDeployment(write, ids) : undefined;
  const pending = isStored ? await pendingAmong(write, ids) : new Map();
  const first = kept ? others.filter(({ id }) => !kept.has(id) && !pending.has(id)) : [];
  // The rest only stores the deployments, and fails for nothing else.
  if (write.tx.isDryRun) {
    await requireConfigurationFits(write, [...deployed, ...first], write.context.budget?.deployBytes);
    return null;
  }
  const sealed = await sealDeployments(write, [...deployed, ...first], dependencies, scene);
  const deployments = sealed.map((each) => ({ ...each, image: images.get(each.component.id) }));
  if (kept) {
    const hasRuns = write.context.drivers.region.get(scene.region.driver)?.runs !== undefined;
    const change = { before: pending, kept, targets: changed, deployments, hasRuns };
    await setDeployments(write, await setPending(write, change));
  }
  await setDeployedImages(write, imagesAmong(images, restarted));
  const isStop = targets.every(({ component }) => !isDeployed(component));
  const steps = jobSteps(ids, dependencies, isStop);
  const last = Math.max(-1, ...steps.values());
  const { kind, team, region, applicationId, origins } = scene;
  const job = await insertJob(write, {
    kind,
    team,
    region,
    applicationId,
    targets: [
      ...targets.map(({ component, action, unchanged }) => {
        const image = unchanged?.image ?? images.get(component.id);
        // Instances that are there already do not pull an image.
        const isRestart = action === 'restart' || (action === 'deploy' && image?.pullsAlways);
        return {
          component,
          action: isRestart ? ('restart' as const) : ('apply' as const),
          step: steps.get(component.id)!,
          digest: image && (digestRun(image) ?? null),
          note: unchanged ? unchanged.note : image && noteOf(image),
          isUnchanged: unchanged !== undefined,
        };
      }),
      ...removals.map((removal) => ({ ...removal, step: (removal.step ?? 0) + last + 1 })),
    ],
  });
  const isNew = new Set(deployed.map(({ id }) => id));
  const releases = deployments.filter(({ component }) => isNew.has(component.id));
  for (const { deployed: record } of componentHooks) await record?.(write, { job, origins, releases });
  return job;
}

/** Dependencies come first or, when components are stopped, last. Components that need each other share a step. */
function jobSteps(
  ids: readonly string[],
  dependencies: readonly Row<'ComponentDependency'>[],
  isStop: boolean,
): Map<string, number> {
  const among = new Set(ids);
  const needs = new Map<string, string[]>();
  for (const { componentId, dependencyId } of dependencies) {
    if (!among.has(dependencyId)) continue;
    const [first, second] = isStop ? [componentId, dependencyId] : [dependencyId, componentId];
    const prerequisites = needs.get(second);
    if (prerequisites) prerequisites.push(first);
    else needs.set(second, [first]);
  }
  return stepsOf(ids, (id) => needs.get(id) ?? []);
}
