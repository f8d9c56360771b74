import type { Row } from '../../db/tables.ts';
import { fold } from '../../kernel/validate.ts';
import { autoscalingOf, autoscalingProblem, withinBounds } from '../component/autoscaling/model.ts';
import { limitProblem, limitsWith } from '../component/limits-model.ts';
import { imageTag } from '../component/model.ts';
import { newComponentId } from '../component/operations.ts';
import { drainProblem, storedPlacement } from '../component/placement/model.ts';
import { rootProblem } from '../component/root-model.ts';
import { wasDeployed } from '../component/state-model.ts';
import { isForOneInstance } from '../component/volumes/model.ts';
import { changedColumns, changedFields, fieldChange, givenFields, object } from './change-list.ts';
import { requireDistinctVolumes } from './claims.ts';
import type { PortEntry, ScheduleEntry, VariableEntry, VolumeEntry } from './component-model.ts';
import {
  autoscalingFields,
  componentFields,
  namingColumns,
  probesFields,
  shownFields,
  sourceFields,
} from './fields-model.ts';
import type { FieldChange } from './model.ts';
import { actionFor, type Entries, isAdopted, type Path, requireOwn } from './parts.ts';
import { planPorts, planServiceName } from './ports.ts';
import type { Scene } from './scene.ts';
import { planSchedules } from './schedules.ts';
import type { StandingComponent } from './standing-reads.ts';
import { planVariables } from './variables.ts';
import { planVolumes } from './volumes.ts';
import { type ComponentWork, workOn } from './work.ts';

type Component = Row<'Component'>;

/** A component as it is to be, whoever decides it. What is undefined stays as it is. */
export interface DesiredComponent {
  columns?: Partial<Component>;
  /** Names that are given, and cannot change. Plans show those of new components. */
  names?: { alias?: string; clusterName?: string; version?: string };
  variables?: Entries<VariableEntry> | undefined;
  connectionVariables?: Entries<VariableEntry> | undefined;
  volumes?: Entries<VolumeEntry> | undefined;
  schedules?: Entries<ScheduleEntry> | undefined;
  ports?: Entries<PortEntry> | undefined;
  serviceName?: string | null | undefined;
}

/** The row of a new component, which the columns complete. */
export function newComponentRow(
  { team, region, namespaceId, userId }: Pick<Scene, 'team' | 'region' | 'namespaceId' | 'userId'>,
  columns: Partial<Component> & Pick<Component, 'alias' | 'name' | 'image'>,
): Component {
  const now = new Date();
  const { alias, name, image } = columns;
  return {
    ...{ id: newComponentId(), key: newComponentId(), clusterName: alias, serviceName: null, groupId: null },
    ...{
      teamId: team.id,
      regionId: region.id,
      namespaceId,
      creatorId: userId,
      version: imageTag(image) ?? 'latest',
    },
    ...{ createdAt: now, updatedAt: now, folded: fold(name, alias) },
    ...columns,
  } as Component;
}

/**
 * Plans a component with its parts, except for dependencies, which may be new components themselves. A new one has a row, and no
 * `current`. `opens` are the ports that TCP routes open.
 */
export function planComponent(
  scene: Scene,
  row: Component,
  current: StandingComponent | null,
  desired: DesiredComponent,
  { isWritten = true, opens = new Set() }: { isWritten?: boolean; opens?: ReadonlySet<number> } = {},
): ComponentWork {
  const path = ['components', row.name];
  const work: ComponentWork = { ...workOn(row, current), isWritten };
  const { list } = scene;
  const from = list.changes.length;
  if (desired.columns) planColumns(scene, work, desired.columns, desired.names ?? {}, path);
  planVariables(scene, work, 'environment', desired.variables, [...path, 'variables']);
  planVariables(scene, work, 'connection', desired.connectionVariables, [...path, 'connectionVariables']);
  planVolumes(scene, work, desired.volumes, [...path, 'volumes']);
  requireDistinctVolumes(scene, work, [...path, 'volumes']);
  requireSharedVolumes(scene, work, desired.columns, [...path, 'volumes']);
  planSchedules(scene, work, desired.schedules, [...path, 'schedules']);
  planPorts(scene, work, desired.ports, opens, [...path, 'ports']);
  planServiceName(scene, work, desired.serviceName, path);
  const changes = list.changes.slice(from);
  work.needsDeploy ||= changes.some(({ takesEffect }) => takesEffect === 'NEXT_DEPLOY');
  requireOwn(scene, work, changes.length > 0);
  return work;
}

/** The number of instances within the bounds of the autoscaling, which otherwise leaves it to the load. */
function planReplicas(scene: Scene, row: Component, wanted: Partial<Component>, path: Path): void {
  const after = { ...row, ...wanted };
  const autoscaling = autoscalingOf(after);
  if (!autoscaling) return;
  if (wanted.replicas !== undefined && autoscalingOf(row) && wanted.minReplicas === undefined) {
    const message = `The number of instances of the component ${row.name} is set by its autoscaling.`;
    scene.conflicts.push({ path: [...path, 'replicas'], message });
  }
  wanted.replicas = withinBounds(row.replicas, autoscaling);
  // An autoscaling that the document does not change stays as it is.
  const needed = ['minReplicas', 'extendMethod', 'cpuMillicores', 'memoryMiB'] as const;
  if (needed.every((column) => wanted[column] === undefined)) return;
  const problem = autoscalingProblem(after);
  if (problem === undefined) return;
  const message = `The component ${row.name} cannot have an autoscaling, because ${problem}.`;
  scene.conflicts.push({ path: [...path, 'autoscaling'], message });
}

/** The instances of a component with an autoscaling share its volumes. */
function requireSharedVolumes(
  { conflicts }: Scene,
  { name, row, data, current, volumes: { create, update, remove } }: ComponentWork,
  columns: Partial<Component> | undefined,
  path: Path,
): void {
  if (!autoscalingOf({ ...row, ...data })) return;
  const touched = new Set([...remove.map(({ id }) => id), ...update.map(({ before }) => before.id)]);
  const kept = (current?.volumes ?? []).filter(({ id }) => !touched.has(id));
  const changed = [...create, ...update.map((each) => ({ ...each.before, ...each.data }))];
  // Volumes stay as they are unless the document changes them or the autoscaling.
  const single = [...(columns?.minReplicas == null ? [] : kept), ...changed].find(isForOneInstance);
  if (!single) return;
  const message = `The component ${name} cannot have an autoscaling, because its instances cannot share the volume ${single.name}. Its access mode must be ReadWriteMany or ReadOnlyMany.`;
  conflicts.push({ path: [...path, single.name], message });
}

function planColumns(
  scene: Scene,
  work: ComponentWork,
  columns: Partial<Component>,
  names: NonNullable<DesiredComponent['names']>,
  path: Path,
): void {
  const { row, current } = work;
  const { list } = scene;
  const wanted = { ...columns, ...limitsWith({ ...row, ...columns }) };
  planReplicas(scene, row, wanted, path);
  requirePossible(scene, work, wanted, path);
  const tooLow = limitProblem({ ...row, ...wanted }, columns);
  if (tooLow) scene.issues.push({ path: [...path, tooLow.field], message: tooLow.message });
  if (!current) {
    Object.assign(row, wanted);
    const values = {
      image: row.image,
      ...names,
      ...shownFields(componentFields, row),
      ...prefixed('source.', shownFields(sourceFields, row)),
      ...prefixed('probes.', shownFields(probesFields, row)),
      ...prefixed('autoscaling.', shownFields(autoscalingFields, row)),
    };
    list.add('CREATE', object('COMPONENT', null, work.name), givenFields(values), {
      takesEffect: 'NEXT_DEPLOY',
    });
    return;
  }
  for (const field of ['alias', 'clusterName'] as const) {
    if (names[field] === undefined || names[field] === row[field]) continue;
    scene.issues.push({
      path: [...path, field],
      message: 'Cannot change. Remove the field to keep the current value',
    });
  }
  const data = changedColumns(row, wanted);
  // Templates can change it.
  if (data.extendMethod !== undefined && wasDeployed(row) && !scene.keepsOwners) {
    scene.conflicts.push({
      path: [...path, 'extendMethod'],
      message: `The extend method of the component ${row.name} cannot change, because it was deployed before.`,
    });
  }
  work.data = data;
  const isNaming = Object.keys(data).every((column) => namingColumns.has(column));
  const fields: FieldChange[] = [
    ...(data.image === undefined ? [] : [fieldChange('image', row.image, data.image)]),
    ...(data.version === undefined ? [] : [fieldChange('version', row.version, data.version)]),
    ...changedFields(componentFields, row, data),
    ...(data.sourceKind === undefined ? [] : [fieldChange('source.kind', row.sourceKind, data.sourceKind)]),
    ...changedFields(sourceFields, row, data, 'source.'),
    ...changedFields(probesFields, row, data, 'probes.'),
    ...changedFields(autoscalingFields, row, data, 'autoscaling.'),
  ];
  if (fields.length > 0) {
    const takesEffect = wasDeployed(row) && !isNaming ? 'NEXT_DEPLOY' : 'AT_ONCE';
    list.add(actionFor(scene, work, row), object('COMPONENT', null, work.name), fields, { takesEffect });
  } else if (isAdopted(scene, work, row)) list.adopted.push(object('COMPONENT', null, work.name));
  if (isAdopted(scene, work, row)) work.adopt.isComponent = true;
}

/** What the columns of a component do not allow each other. */
function requirePossible(
  { issues, region, keepsOwners }: Scene,
  { row, current }: ComponentWork,
  wanted: Partial<Component>,
  path: Path,
): void {
  const after = { ...row, ...wanted };
  // A number that stays is as it was when the component was scaled, and what was exported can be created elsewhere.
  if (wanted.placement != null && current && !keepsOwners) {
    const problem = drainProblem(storedPlacement(after), after, storedPlacement(row));
    if (problem) issues.push({ path: [...path, 'placement', 'minAvailable'], message: problem });
  }
  const isRootNew = !keepsOwners && after.needsRoot && (!current || !row.needsRoot);
  const refusal = rootProblem(isRootNew, region);
  if (refusal) issues.push({ path: [...path, 'needsRoot'], message: refusal });
  if (after.terminationGracePeriodSeconds <= after.preStopSeconds) {
    const field =
      wanted.terminationGracePeriodSeconds === undefined ? 'preStopSeconds' : 'terminationGracePeriodSeconds';
    const message = 'terminationGracePeriodSeconds must be greater than preStopSeconds';
    issues.push({ path: [...path, field], message });
  }
}

const prefixed = (prefix: string, fields: { [field: string]: unknown }) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${prefix}${field}`, value]));
