import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { Prepare } from '../../../db/write/beforehand.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import type { EventAction } from '../../../db/write/events.ts';
import { locked } from '../../../db/write/locked.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import type { Reading } from '../../../db/write/reading.ts';
import { plannedBefore } from '../../../db/write/recheck.ts';
import { type Expecting, patched, requireRevisionOf } from '../../../db/write/revision.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import type { ApplicationRef } from '../../application/model.ts';
import { requireApplicationFor } from '../../application/reads.ts';
import type { ComponentAction } from '../action-model.ts';
import { requireFixedReplicas, requireScalable } from '../autoscaling/model.ts';
import { requireNoDependents } from '../dependencies/reads.ts';
import { givenLimits, limitsWith, requireLimits } from '../limits-model.ts';
import type { ComponentRef } from '../model.ts';
import { requireComponentFor } from '../reads.ts';
import { changeWeights } from '../size/model.ts';
import { requireFewVolumes } from '../size/reads.ts';
import { type DeployAction, isDeployed, nextDeployState } from '../state-model.ts';
import { sealSpecs } from './deployment-rows.ts';
import type { ImageColumns, PlannedImage } from './image-model.ts';
import { plannedImages } from './image-rows.ts';
import type { ScaleComponent } from './model.ts';
import { beforeDeploy, type ImageScene, runsImages } from './prepared-reads.ts';
import { carryOut, type StateChange } from './rows.ts';
import { isDeployedBy, leftStopped, type StartStopped } from './scope-model.ts';

type Component = Row<'Component'>;
/** The actions that users ask for. */
type Action = Exclude<DeployAction, 'drop' | 'scale'>;

interface Options extends Expecting {
  force?: boolean | null;
  dryRun?: boolean | null;
}

export interface ComponentOutcome {
  component: Component;
  /** Null if there is nothing to carry out, and for a dry run. */
  job: Row<'Job'> | null;
  plan: ObjectChange[];
}

/** Other actions that change how many instances a component has, each with the recorded action. */
const scalings = {
  setAutoscaling: 'component.set_autoscaling',
  removeAutoscaling: 'component.remove_autoscaling',
} as const satisfies { [action in ComponentAction]?: EventAction<'Component'> };
const isScaling = (action: string): action is keyof typeof scalings => action in scalings;

/** Changes the desired state of a component. `changeOf` returns null where there is nothing to change. */
export async function changeComponent(
  context: Context,
  ref: ComponentRef,
  action: Exclude<DeployAction, 'drop'> | keyof typeof scalings,
  options: Options,
  changeOf: (write: Write<Context>, row: Component) => Promise<StateChange | null>,
): Promise<ComponentOutcome> {
  const needed = isScaling(action) ? action : (`${action}Component` as const);
  const { component, team, region } = await requireComponentFor(context, ref, needed);
  const isDryRun = options.dryRun ?? false;
  const kind = isScaling(action) ? 'scale' : action;
  const scene = { kind, team, region, applicationId: component.applicationId } as const;
  let images: PlannedImage[] = [];
  const prepare = beforeAction(context, scene, kind, isDryRun, () => [component]);
  const { result, plan } = await changeWithPlan(
    context,
    isScaling(action) ? scalings[action] : `component.${action}`,
    { dryRun: isDryRun, prepare },
    async (write) => {
      const row = await locked(write, 'Component', component.id, options);
      const change = await changeOf(write, row);
      if (!change) return { component: row, job: null };
      const { components, job } = await carryOut(write, scene, [change]);
      images = plannedImages(write);
      return { component: components[0]!, job };
    },
  );
  const planWithDigests = withDigests(plan, images);
  return isDryRun ? { component, job: null, plan: planWithDigests } : { ...result, plan: planWithDigests };
}

/** Finds out beforehand which images a deploy or a restart will run. Other actions need nothing. */
function beforeAction(
  context: Context,
  scene: ImageScene,
  action: DeployAction,
  isDryRun: boolean,
  rowsOf: () => readonly ImageColumns[] | Promise<readonly ImageColumns[]>,
) {
  if (action !== 'deploy' && action !== 'restart') return undefined;
  const workOf = async () => {
    const rows = (await rowsOf()).filter(({ deployState }) => nextDeployState(deployState, action));
    return action === 'deploy' ? { deployed: rows, restarted: [] } : { deployed: [], restarted: rows };
  };
  return beforeDeploy(context, scene, workOf, isDryRun);
}

function withDigests(plan: readonly ObjectChange[], images: readonly PlannedImage[]): ObjectChange[] {
  const digests = new Map(images.map(({ componentId, digest }) => [componentId, digest]));
  return plan.map((change) => ({ ...change, digest: digests.get(String(change.subject.id)) ?? null }));
}

/** Deploys, starts, stops or restarts a component. */
export const actOnComponent =
  (action: Action) =>
  (
    context: Context,
    { component, ...options }: { component: ComponentRef } & Options,
  ): Promise<ComponentOutcome> =>
    changeComponent(context, component, action, options, async (write, row) => {
      if (action === 'stop' && !options.force && nextDeployState(row.deployState, action)) {
        await requireNoDependents(write, [row], action);
      }
      return { row, action };
    });

/** The columns that scaling sets. A limit goes with its request: what is deployed can have others than the component. */
const scaledColumns = (row: Component, after: Component): Partial<Component> =>
  Object.fromEntries(
    [['replicas'], ['cpuMillicores', 'cpuLimitMillicores'], ['memoryMiB', 'memoryLimitMiB']]
      .filter((columns) =>
        columns.some((column) => after[column as 'replicas'] !== row[column as 'replicas']),
      )
      .flatMap((columns) => columns.map((column) => [column, after[column as 'replicas']])),
  );

/** Changes the number or the size of the instances of a component. */
export const scaleComponent = (
  context: Context,
  {
    component,
    replicas,
    cpuMillicores,
    memoryMiB,
    cpuLimitMillicores,
    memoryLimitMiB,
    ...expecting
  }: ScaleComponent,
): Promise<ComponentOutcome> =>
  changeComponent(context, component, 'scale', expecting, async (_, row) => {
    if (replicas != null) requireFixedReplicas(row);
    const size = patched(row, { replicas, cpuMillicores, memoryMiB }, [
      'replicas',
      'cpuMillicores',
      'memoryMiB',
    ]);
    const given = givenLimits({ cpuLimitMillicores, memoryLimitMiB });
    const after = { ...row, ...size, ...limitsWith({ ...row, ...size, ...given }) };
    const data = scaledColumns(row, after);
    if (Object.keys(data).length === 0) return null;
    requireLimits(after, { cpuLimitMillicores, memoryLimitMiB });
    requireScalable(after);
    return { row, action: 'scale', data };
  });

/** The application is as before the change. */
export interface ApplicationOutcome extends Omit<ComponentOutcome, 'component'> {
  application: Row<'Application'>;
  /** The names of the components that a deploy leaves stopped. */
  leftStopped: string[];
}

/**
 * Deploys, starts, stops or restarts the components of an application whose state allows it. The others are unchanged. A deploy
 * leaves stopped components stopped, unless `startStopped` is set.
 */
export const actOnApplication =
  (action: Action) =>
  async (
    context: Context,
    { application: ref, ...options }: { application: ApplicationRef } & Options & StartStopped,
  ): Promise<ApplicationOutcome> => {
    const { application, team, region } = await requireApplicationFor(context, ref, `${action}Application`);
    const isDryRun = options.dryRun ?? false;
    const scene = { kind: action, team, region, applicationId: application.id };
    let images: PlannedImage[] = [];
    const isChanged = (row: ImageColumns) =>
      nextDeployState(row.deployState, action) !== undefined &&
      (action !== 'deploy' || isDeployedBy('every', row, options));
    const planned = plannedBefore(context, async (reading: Reading<Context>) => {
      const all = await lockComponentsOf(reading, application.id);
      const rows = all.filter(isChanged);
      context.budget?.requireChangeObjects(rows.length * changeWeights.Component);
      if (action === 'deploy')
        await requireFewVolumes(
          reading,
          rows.map(({ id }) => id),
        );
      const storesSpecs = action === 'deploy' && !isDryRun && reading.tx.log !== undefined;
      // What runs as it would be deployed, if its image has not changed either, is left as it is.
      const isNew = (row: Component) =>
        !runsImages(context, scene) || !isDeployed(row) || row.hasUndeployedChanges;
      return { all, rows, specs: await sealSpecs(reading, storesSpecs ? rows.filter(isNew) : []) };
    });
    const act = async (write: Write<Context>) => {
      const { all, rows, specs } = await planned.within(write);
      const left = action === 'deploy' ? leftStopped('every', all, options) : [];
      if (rows.length === 0) return { job: null, leftStopped: left };
      if (action === 'stop' && !options.force) await requireNoDependents(write, rows, action);
      const changes = rows.map((row) => ({ row, action }));
      const { components, job } = await carryOut(write, { ...scene, specs }, changes);
      images = plannedImages(write);
      const { id, name } = application;
      write.recordEvent({
        subject: { type: 'Application', id },
        teamId: team.id,
        before: { name },
        after: { name, components: components.map(({ alias }) => alias) },
      });
      return { job, leftStopped: left };
    };
    const askImages = beforeAction(context, scene, action, isDryRun, async () => {
      const rows = await context.db.component.findManyByKeys({
        by: 'applicationId',
        keys: [application.id],
        fields: ['id', 'image', 'deployState'],
      });
      return rows.filter(isChanged);
    });
    const prepare: Prepare = async (prepared) => {
      await planned.prepare(prepared);
      await askImages?.(prepared);
    };
    const { result, plan } = await changeWithPlan(
      context,
      `application.${action}`,
      { dryRun: isDryRun, prepare },
      async (write) => {
        const recorded = await act(write);
        // Locks on applications are taken after the one on the quota.
        await requireRevisionOf(write, 'Application', application.id, options);
        return recorded;
      },
    );
    return {
      application,
      ...result,
      job: isDryRun ? null : result.job,
      plan: withDigests(plan, images),
    };
  };

async function lockComponentsOf(write: Reading<Context>, applicationId: number): Promise<Component[]> {
  const fields = ['id'] as const;
  const [application] = await findByKeys(write, 'Application', 'id', [applicationId], ['id'], { fields });
  if (!application) throw new NotFoundError('application');
  const candidates = await findByKeys(write, 'Component', 'applicationId', [applicationId], ['id'], {
    fields: ['id'],
  });
  const ids = new Set(candidates.map(({ id }) => id));
  await lockRows(write, 'Component', ...ids);
  const rows = await findByKeys(write, 'Component', 'applicationId', [applicationId], ['name', 'id']);
  // One that was created in between is not locked.
  return rows.filter(({ id }) => ids.has(id));
}
