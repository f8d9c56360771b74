import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { deletedObjects } from '../../db/write/deletion.ts';
import type { Reading } from '../../db/write/reading.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { fold } from '../../kernel/validate.ts';
import { namespaceIdOf } from '../application/model.ts';
import { listOfDependents } from '../component/dependencies/reads.ts';
import { configureAgain } from '../component/deploy/apply-rows.ts';
import { type JobScene, recordJob, setStates, type Target } from '../component/deploy/rows.ts';
import { lockForRemoval, removeComponentRows } from '../component/removal/rows.ts';
import { insertComponents, moveServiceNames, setComponents } from '../component/rows.ts';
import { changeWeights } from '../component/size/model.ts';
import { requireObjectRoom } from '../component/size/rows.ts';
import { initialDeployState, isDeployed, wasDeployed } from '../component/state-model.ts';
import { sealBefore } from '../component/variables/rows.ts';
import { requireShareable } from '../component/volumes/reads.ts';
import { removeRules } from '../gateway-rule/many-rows.ts';
import type { JobTarget } from '../job/rows.ts';
import { countRenaming } from '../port/rows.ts';
import { withinQuota } from '../region/quota-reads.ts';
import { isImmediate } from '../region/reads.ts';
import { deploysWork } from './deployed.ts';
import type { Deploying, DeployMode } from './model.ts';
import {
  type Changed,
  type ComponentsWrite,
  ownerOf,
  removePortsOf,
  writeParts,
  writePorts,
  writeRoutes,
} from './parts-rows.ts';
import { type ComponentsWork, type ComponentWork, objectsAdded, objectsChanged } from './work.ts';

type Component = Row<'Component'>;

/** Ends a plan: checks how many objects it changes and, as long as nobody waits for its transaction, encrypts its secrets. */
export async function completePlan(
  { context, tx }: Reading<Context>,
  {
    components,
    removed = [],
    routes,
  }: Pick<ComponentsWork, 'components' | 'routes'> & Partial<ComponentsWork>,
): Promise<void> {
  const rows = [{ model: 'Component' as const, ids: removed.map(({ id }) => id) }];
  const most = context.budget?.changeObjects ?? Number.MAX_SAFE_INTEGER;
  const read = (text: string, params: unknown[]) => tx.$read(text, params);
  const deleted = await deletedObjects(context.db, read, rows, { weights: changeWeights, most });
  context.budget?.requireChangeObjects(objectsChanged(components, routes) + deleted);
  const variables = components.map((work) => work.variables);
  if (tx.isUnlocked) await sealBefore(context, variables);
}

/** Makes the changes of a plan to components, and records the job that carries them out. */
export async function applyComponents(
  write: ComponentsWrite,
  work: ComponentsWork,
  { deploy, startStopped, ...job }: Pick<JobScene, 'kind' | 'origins'> & Deploying,
): Promise<Row<'Job'> | null> {
  const { team, region, application } = write;
  const make = async () => {
    const { components, created, removals } = await writeComponents(write, work, deploy);
    const targets = await targetsOf(write, components, created, { deploy, startStopped }, job.origins);
    return { targets, removals };
  };
  const touchesComponents = work.components.length + work.removed.length > 0;
  const { targets, removals } = touchesComponents
    ? await withinQuota(write, make)
    : { targets: [], removals: [] };
  const scene = { ...job, team, region, applicationId: application.id, variables: addedVariables(work) };
  return recordJob(write, scene, targets, removals);
}

/** The variables of new components, which are not read again to be deployed. */
const addedVariables = ({ components }: ComponentsWork): JobScene['variables'] =>
  new Map(
    components.flatMap(({ row, current, variables }) =>
      current ? [] : [[row.id, variables.create] as const],
    ),
  );

/** Writes the changes of a plan to components and their parts. New components are deployed unless `deploy` is `none`. */
export async function writeComponents(
  write: ComponentsWrite,
  { components, removed, routes }: ComponentsWork,
  deploy: DeployMode,
): Promise<{ components: Changed[]; created: Component[]; removals: JobTarget[] }> {
  if (!write.policy.isOfNew && components.some(({ volumes }) => sharesMore(volumes))) {
    requireShareable(write.context, write.team, write.application.id);
  }
  const more = objectsAdded(components, routes);
  if (more > 0 && removed.length === 0) await requireObjectRoom(write, write.application.id, more);
  await removeRules(write, { http: routes.http.remove, tcp: routes.tcp.remove });
  await removePortsOf(write, components);
  // New components can have names that others give up.
  const set = await setColumns(write, components, removed);
  const created = await createComponents(write, components, deploy);
  const rows = new Map([...created, ...set].map((row) => [row.id, row]));
  const changed = components.map((each) => ({ component: rows.get(each.row.id) ?? each.row, ...each }));
  await writeParts(write, changed);
  const ports = await writePorts(write, changed, routes);
  await writeRoutes(write, changed, routes, ports);
  const removals = await removeComponents(write, removed);
  // What deleted components had is no longer there.
  if (more > 0 && removed.length > 0) await requireObjectRoom(write, write.application.id, 0);
  return { components: changed, created, removals };
}

/** Whether a component gets data that others of its application share. */
const sharesMore = ({ create, update }: ComponentWork['volumes']) =>
  create.some(({ isShared }) => isShared) ||
  update.some(({ before, data }) => data.isShared ?? (before.isShared && data.name !== undefined));

function createComponents(
  write: ComponentsWrite,
  components: readonly ComponentWork[],
  deploy: DeployMode,
): Promise<Component[]> {
  const { application, manifestId } = write;
  const rows = components
    .filter(({ current }) => !current)
    .map(({ row, isLeftAlone }) => {
      const deploys = deploy !== 'none' && !isLeftAlone;
      return {
        ...row,
        applicationId: application.id,
        namespaceId: namespaceIdOf(application),
        manifestId,
        deployState: isLeftAlone ? row.deployState : initialDeployState(deploys),
        generation: deploys ? 1 : 0,
        updateVersion: deploys ? 1 : 0,
      };
    });
  return insertComponents(write, rows);
}

/** Sets the columns of components that change in themselves or in their parts. Those that are removed give up their names. */
async function setColumns(
  write: ComponentsWrite,
  components: readonly ComponentWork[],
  removed: readonly Component[],
): Promise<Component[]> {
  const moves = components.flatMap(({ row: { id, serviceName: before }, data: { serviceName }, current }) =>
    current && serviceName !== undefined && serviceName !== before ? { id, serviceName } : [],
  );
  await moveServiceNames(write, [...moves, ...removed.map(({ id }) => ({ id, serviceName: null }))]);
  await countRenaming(
    write,
    moves.map(({ id }) => id),
  );
  const updatedAt = new Date();
  const updates = components
    .filter(({ current, data, needsDeploy, isTouched, adopt }) => {
      const isChanged = Object.keys(data).length > 0 || needsDeploy || isTouched;
      return current && (isChanged || adopt.isComponent);
    })
    .map(({ row, data, needsDeploy, adopt }) => {
      const set = {
        ...data,
        ...(adopt.isComponent && { manifestId: ownerOf(write, row) }),
        hasUndeployedChanges: row.hasUndeployedChanges || (needsDeploy && wasDeployed(row)),
        updatedAt,
        folded: fold(data.name ?? row.name, row.alias),
      };
      return { row, data: set };
    });
  return setComponents(write, write.policy.actions.component, updates);
}

async function removeComponents(write: ComponentsWrite, removed: readonly Component[]): Promise<JobTarget[]> {
  if (removed.length === 0) return [];
  const removal = await lockForRemoval(write, { field: 'id', is: removed.map(({ id }) => id) });
  if (removal.dependents.length > 0) {
    const pairs = listOfDependents(write.context, removal.dependents, ({ component, dependency }) => ({
      component,
      name: `${component.name} on ${dependency.name}`,
    }));
    throw new ConflictError(
      `Other components depend on the components to delete: ${pairs}. Delete these dependencies first.`,
    );
  }
  return removeComponentRows(write, removal, false);
}

/** Sets what is deployed, and returns what the job carries out. */
async function targetsOf(
  write: ComponentsWrite,
  components: readonly Changed[],
  created: readonly Component[],
  deploying: Deploying,
  origins: JobScene['origins'],
): Promise<Target[]> {
  const isToDeploy = (work: Changed) => deploysWork(work, deploying);
  const deployed = components.filter(isToDeploy);
  const states = await setStates(
    write,
    { ...write, origins },
    deployed.map(({ component }) => ({ row: component, action: 'deploy' })),
  );
  const configured = components.filter((each) => each.current && each.isTouched && !isToDeploy(each));
  const configure = isImmediate(write.context, write.region)
    ? []
    : await configureAgain(
        write,
        configured.map(({ component }) => component.id),
      );
  const fresh = created.filter(isDeployed).map((component) => ({ component, action: 'deploy' }) as const);
  return [...fresh, ...states.targets, ...configure];
}
