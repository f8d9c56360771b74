import type { Row } from '../../db/tables.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { fold } from '../../kernel/validate.ts';
import { listOfDependents } from '../component/dependencies/reads.ts';
import { configureAgain } from '../component/deploy/apply-rows.ts';
import { type JobScene, recordJob, setStates, type Target } from '../component/deploy/rows.ts';
import { initialDeployState, wasDeployed } from '../component/model.ts';
import { lockForRemoval, removeComponentRows } from '../component/removal/rows.ts';
import { insertComponents, moveServiceNames, setComponents } from '../component/rows.ts';
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
import type { ComponentWork, Work } from './work.ts';

type Component = Row<'Component'>;

/** Makes the changes of a plan to components, and records the job that carries them out. */
export async function applyComponents(
  write: ComponentsWrite,
  work: Omit<Work, 'application'>,
  { deploy, startStopped, ...job }: Pick<JobScene, 'kind' | 'origins'> & Deploying,
): Promise<Row<'Job'> | null> {
  const touchesComponents = work.components.length + work.removed.length > 0;
  const { apply, remove } = touchesComponents
    ? await withinQuota(write, () => writeComponents(write, work, { deploy, startStopped }, job.origins))
    : { apply: [], remove: [] };
  const { team, region, application } = write;
  return recordJob(write, { ...job, team, region, applicationId: application.id }, apply, remove);
}

async function writeComponents(
  write: ComponentsWrite,
  { components, removed, routes }: Omit<Work, 'application'>,
  deploying: Deploying,
  origins: JobScene['origins'],
): Promise<{ apply: Target[]; remove: JobTarget[] }> {
  await removeRules(write, { http: routes.http.remove, tcp: routes.tcp.remove });
  await removePortsOf(write, components);
  const created = await createComponents(write, components, deploying.deploy);
  const set = await setColumns(write, components);
  const rows = new Map([...created, ...set].map((row) => [row.id, row]));
  const changed = components.map((each) => ({ component: rows.get(each.row.id) ?? each.row, ...each }));
  await writeParts(write, changed);
  const ports = await writePorts(write, changed, routes);
  await writeRoutes(write, changed, routes, ports);
  const remove = await removeComponents(write, removed);
  return { apply: await targetsOf(write, changed, created, deploying, origins), remove };
}

function createComponents(
  write: ComponentsWrite,
  components: readonly ComponentWork[],
  deploy: DeployMode,
): Promise<Component[]> {
  const { application, manifestId } = write;
  const deploys = deploy !== 'none';
  const rows = components
    .filter(({ current }) => !current)
    .map(({ row }) => ({
      ...row,
      applicationId: application.id,
      manifestId,
      deployState: initialDeployState(deploys),
      generation: deploys ? 1 : 0,
      updateVersion: deploys ? 1 : 0,
    }));
  return insertComponents(write, rows);
}

/** Sets the columns of components that change in themselves or in their parts. */
async function setColumns(
  write: ComponentsWrite,
  components: readonly ComponentWork[],
): Promise<Component[]> {
  const moves = components.flatMap(({ row, data, current }) =>
    current && data.serviceName ? { id: row.id, serviceName: data.serviceName } : [],
  );
  await moveServiceNames(write, moves);
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
        folded: fold(row.name, row.alias),
      };
      return { row, data: set };
    });
  return setComponents(write, 'component.update', updates);
}

async function removeComponents(write: ComponentsWrite, removed: readonly Component[]): Promise<JobTarget[]> {
  if (removed.length === 0) return [];
  const removal = await lockForRemoval(write, { field: 'id', is: removed.map(({ id }) => id) });
  if (removal.dependents.length > 0) {
    const pairs = listOfDependents(write.context, removal.dependents, ({ component, dependency }) => ({
      component,
      name: `${component.name} on ${dependency.name}`,
    }));
    throw new ConflictError(`Other components depend on what would be deleted: ${pairs}.`);
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
  const fresh =
    deploying.deploy === 'none' ? [] : created.map((component) => ({ component, action: 'deploy' }) as const);
  return [...fresh, ...states.targets, ...configure];
}
