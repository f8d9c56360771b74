import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { nameList } from '../../kernel/name-list.ts';
import { fold } from '../../kernel/validate.ts';
import { applicationWithin } from '../application/reads.ts';
import { insertApplication, makeDefault, setApplication } from '../application/rows.ts';
import { setManifestOfDependencies } from '../component/dependencies/many-rows.ts';
import { changeAllDependencies } from '../component/dependencies/rows.ts';
import { configureAgain } from '../component/deploy/apply-rows.ts';
import { type JobScene, recordJob, setStates, type Target } from '../component/deploy/rows.ts';
import { initialDeployState, isDeployed, wasDeployed } from '../component/model.ts';
import { lockForRemoval, removeComponentRows } from '../component/removal/rows.ts';
import { insertComponents, moveServiceNames, setComponents } from '../component/rows.ts';
import { setManifestOfVariables } from '../component/variables/many-rows.ts';
import { changeAllVariables } from '../component/variables/rows.ts';
import { setManifestOfVolumes } from '../component/volumes/many-rows.ts';
import { changeAllVolumes } from '../component/volumes/rows.ts';
import { ruleOf } from '../gateway-rule/address-reads.ts';
import {
  changePorts,
  insertRules,
  type PortAt,
  publishAll,
  removeAllDefaultRules,
  removeRules,
  setManifestOfRules,
  setRules,
} from '../gateway-rule/many-rows.ts';
import type { JobTarget } from '../job/rows.ts';
import { countRenaming, insertPorts, removePorts, setManifestOfPorts } from '../port/rows.ts';
import { withinQuota } from '../region/quota-reads.ts';
import { isImmediate } from '../region/reads.ts';
import type { DeployMode } from './model.ts';
import type { Work } from './plan/plan.ts';
import type { ComponentWork } from './plan/scene.ts';
import { setManifest } from './rows.ts';

type Component = Row<'Component'>;

export interface ApplyWrite extends Write<Context> {
  team: Row<'Team'>;
  region: Row<'Region'>;
}

interface Applied {
  application: Row<'Application'>;
  job: Row<'Job'> | null;
}

/**
 * Makes the changes of a plan. The components are locked, and so is the region. The number of statements does not depend on
 * the number of objects.
 */
export async function applyWork(
  write: ApplyWrite,
  work: Work,
  before: Row<'Application'> | null,
  { deploy, digest }: { deploy: DeployMode; digest: string },
): Promise<Applied> {
  const application = await writeApplication(write, work, before);
  const { userId } = write.context.actor;
  const manifest = await setManifest(write, application.id, { digest, appliedAt: new Date(), userId });
  const scene = { ...write, application, manifestId: manifest.id };
  const touchesComponents = work.components.length + work.removed.length > 0;
  const targets = touchesComponents
    ? await withinQuota(scene, () => writeComponents(scene, work, deploy))
    : { apply: [], remove: [] };
  const job: JobScene = {
    kind: 'apply',
    team: write.team,
    region: write.region,
    applicationId: application.id,
  };
  return { application, job: await recordJob(write, job, targets.apply, targets.remove) };
}

interface ComponentsWrite extends ApplyWrite {
  application: Row<'Application'>;
  manifestId: number;
}

async function writeApplication(
  write: ApplyWrite,
  { application: { data, isNew } }: Work,
  before: Row<'Application'> | null,
): Promise<Row<'Application'>> {
  if (isNew) {
    const quiet = { ...write, recordEvent: withAction(write, 'application.create') };
    return insertApplication(quiet, data as Parameters<typeof insertApplication>[1]);
  }
  if (data.isDefault) await makeDefault(write, before!);
  return Object.keys(data).length === 0
    ? applicationWithin(write, before!.id)
    : setApplication({ ...write, recordEvent: withAction(write, 'application.update') }, before!, data);
}

const withAction =
  (
    { recordEvent }: Pick<Write, 'recordEvent'>,
    action: 'application.create' | 'application.update',
  ): Write['recordEvent'] =>
  (event) =>
    recordEvent({ ...event, action });

/** The manifest that an object belongs to after the change. */
const ownerOf = ({ manifestId }: ComponentsWrite, before: { manifestId: number | null }) =>
  before.manifestId ?? manifestId;

async function writeComponents(
  write: ComponentsWrite,
  { components, removed, routes }: Work,
  deploy: DeployMode,
): Promise<{ apply: Target[]; remove: JobTarget[] }> {
  await removeRules(write, { http: routes.http.remove, tcp: routes.tcp.remove });
  await removePortsOf(write, components);
  const created = await createComponents(write, components, deploy);
  const set = await setColumns(write, components);
  const rows = new Map([...created, ...set].map((row) => [row.id, row]));
  const changed = components.map((each) => ({ component: rows.get(each.row.id) ?? each.row, ...each }));
  await writeParts(write, changed);
  const ports = await writePorts(write, changed, routes);
  await writeRoutes(write, changed, routes, ports);
  const remove = await removeComponents(write, removed);
  return { apply: await targetsOf(write, changed, created, deploy), remove };
}

/** A component with its row after the change. */
type Changed = ComponentWork & { component: Component };

async function removePortsOf(write: ComponentsWrite, components: readonly ComponentWork[]): Promise<void> {
  const removed = components.flatMap(({ ports }) => ports.remove);
  await removeAllDefaultRules(write, removed);
  await removePorts(write, { teamId: write.team.id, applicationId: write.application.id }, removed);
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

async function writeParts(write: ComponentsWrite, components: readonly Changed[]): Promise<void> {
  const { manifestId } = write;
  await changeAllVariables(
    write,
    components.map(({ component, variables: { create, update, remove } }) => ({
      component,
      changes: {
        create: create.map((each) => ({ ...each, manifestId })),
        update: update.map(({ before, after }) => ({
          before,
          after: { ...after, manifestId: ownerOf(write, before) },
        })),
        remove,
      },
    })),
  );
  await changeAllVolumes(
    write,
    components.map(({ component, volumes: { create, update, remove } }) => ({
      component,
      changes: {
        create: create.map((each) => ({ ...each, manifestId })),
        update: update.map(({ before, data }) => ({
          before,
          data: { ...data, manifestId: ownerOf(write, before) },
        })),
        remove,
      },
    })),
  );
  await changeAllDependencies(
    write,
    components.map(({ component, dependencies: { add, remove } }) => ({
      component,
      changes: { add: add.map((each) => ({ ...each, manifestId })), remove },
    })),
  );
  const adopted = <T>(of: (adopt: ComponentWork['adopt']) => T[]) =>
    components.flatMap(({ adopt }) => of(adopt));
  await setManifestOfVariables(
    write,
    adopted(({ variables }) => variables),
    manifestId,
  );
  await setManifestOfVolumes(
    write,
    adopted(({ volumes }) => volumes),
    manifestId,
  );
  await setManifestOfDependencies(
    write,
    adopted(({ dependencies }) => dependencies),
    manifestId,
  );
  await setManifestOfPorts(
    write,
    adopted(({ ports }) => ports),
    manifestId,
  );
}

const keyOf = (componentId: string, number: number) => `${componentId} ${number}`;

/** Writes ports with their default rules. Returns the new ones, by component and number. */
async function writePorts(
  write: ComponentsWrite,
  components: readonly Changed[],
  { http }: Work['routes'],
): Promise<Map<string, PortAt>> {
  const { manifestId } = write;
  const owner = { teamId: write.team.id, applicationId: write.application.id };
  await changePorts(
    write,
    owner,
    'port.update',
    components.flatMap(({ component, ports }) =>
      ports.update.map(({ port, data, isOuter, isWritten }) => ({
        port,
        component,
        isOuter,
        data: { ...data, ...(isWritten && { manifestId: ownerOf(write, port) }) },
      })),
    ),
  );
  const createdAt = new Date();
  const created = await insertPorts(
    write,
    components.map(({ component }) => component),
    components.flatMap(({ component, ports }) =>
      ports.create.map((port) => ({ componentId: component.id, ...port, manifestId, createdAt })),
    ),
  );
  // A route of the document on the default domain takes the place of the default rule.
  const withRoutes = new Set(
    http.create.flatMap(({ work, port, data }) => (data.isDefault ? keyOf(work.row.id, port.number) : [])),
  );
  const open = created.filter(
    ({ port }) => port.isOuter && !withRoutes.has(keyOf(port.componentId, port.number)),
  );
  await publishAll(write, open);
  return new Map(created.map((at) => [keyOf(at.port.componentId, at.port.number), at]));
}

async function writeRoutes(
  write: ComponentsWrite,
  components: readonly Changed[],
  { http, tcp }: Work['routes'],
  created: ReadonlyMap<string, PortAt>,
): Promise<void> {
  const { manifestId } = write;
  const rows = new Map(components.map(({ component }) => [component.id, component]));
  const at = ({ work, port }: (typeof http.create)[number] | (typeof tcp.create)[number]): PortAt =>
    created.get(keyOf(work.row.id, port.number)) ?? { port: port.row!, component: rows.get(work.row.id)! };
  const newRule = <D>(target: Parameters<typeof at>[0], data: D) => ({
    ...ruleOf({ ...write, ...at(target) }),
    ...data,
    manifestId,
  });
  await insertRules(
    write,
    http.create.map((each) => newRule(each, each.data as Row<'HttpRule'>)),
    tcp.create.map((each) => newRule(each, each.data as Row<'TcpRule'>)),
  );
  const owned = <R extends { manifestId: number | null }, D>({ rule, data }: { rule: R; data: D }) => ({
    rule,
    data: { ...data, manifestId: ownerOf(write, rule) },
  });
  await setRules(write, { http: http.update.map(owned), tcp: tcp.update.map(owned) });
  const idOf = ({ id }: { id: number }) => id;
  await setManifestOfRules(write, { http: http.adopt.map(idOf), tcp: tcp.adopt.map(idOf) }, manifestId);
}

async function removeComponents(write: ComponentsWrite, removed: readonly Component[]): Promise<JobTarget[]> {
  if (removed.length === 0) return [];
  const removal = await lockForRemoval(write, { field: 'id', is: removed.map(({ id }) => id) });
  if (removal.dependents.length > 0) {
    const pairs = removal.dependents.map(
      ({ component, dependency }) => `${component.name} on ${dependency.name}`,
    );
    throw new ConflictError(`Other components depend on what would be deleted: ${nameList(pairs)}.`);
  }
  return removeComponentRows(write, removal, false);
}

/** Sets what is deployed, and returns what the job carries out. */
async function targetsOf(
  write: ComponentsWrite,
  components: readonly Changed[],
  created: readonly Component[],
  deploy: DeployMode,
): Promise<Target[]> {
  const isToDeploy = ({ current, component, isWritten, needsDeploy }: Changed) =>
    current !== null &&
    isWritten &&
    (deploy === 'all' || (deploy === 'changed' && needsDeploy && isDeployed(component)));
  const deployed = components.filter(isToDeploy);
  const states = await setStates(
    write,
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
    deploy === 'none' ? [] : created.map((component) => ({ component, action: 'deploy' }) as const);
  return [...fresh, ...states.targets, ...configure];
}
