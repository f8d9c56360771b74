import type { Row } from '../../db/tables.ts';
import { fold } from '../../kernel/validate.ts';
import { autoscalingOf, autoscalingProblem, withinBounds } from '../component/autoscaling/model.ts';
import { imageTag, wasDeployed } from '../component/model.ts';
import { newComponentId } from '../component/operations.ts';
import { drainProblem, storedPlacement } from '../component/placement/model.ts';
import { rootProblem } from '../component/root-model.ts';
import { isForOneInstance } from '../component/volumes/model.ts';
import { changedColumns, changedFields, fieldChange, givenFields, object } from './change-list.ts';
import { requireDistinctVolumes } from './claims.ts';
import type { ComponentEntry } from './component-model.ts';
import {
  autoscalingFields,
  componentFields,
  defaultSourceKind,
  namingColumns,
  newFields,
  probesFields,
  shownFields,
  sourceFields,
  storedFields,
} from './fields-model.ts';
import type { FieldChange } from './model.ts';
import { actionFor, isAdopted, type Path, requireOwn } from './parts.ts';
import { planPorts, planServiceName } from './ports.ts';
import type { Scene } from './scene.ts';
import { planSchedules } from './schedules.ts';
import type { StandingComponent } from './standing-reads.ts';
import { planVariables } from './variables.ts';
import { planVolumes } from './volumes.ts';
import { type ComponentWork, workOn } from './work.ts';

type Component = Row<'Component'>;

/** Plans a component with its parts, except for dependencies, which may be new components themselves. */
export function planComponent(
  scene: Scene,
  name: string,
  entry: ComponentEntry,
  current: StandingComponent | null,
  { isWritten, opens }: { isWritten: boolean; opens: ReadonlySet<number> },
): ComponentWork {
  const path = ['components', name];
  const row = current?.row ?? newComponent(scene, name, entry, path);
  const work: ComponentWork = { ...workOn(name, row, current), isWritten };
  const { list } = scene;
  const from = list.changes.length;
  if (isWritten) planColumns(scene, work, entry, path);
  planVariables(scene, work, 'environment', entry.variables, [...path, 'variables']);
  planVariables(scene, work, 'connection', entry.connectionVariables, [...path, 'connectionVariables']);
  planVolumes(scene, work, entry.volumes, [...path, 'volumes']);
  requireDistinctVolumes(scene, work, [...path, 'volumes']);
  requireSharedVolumes(scene, work, entry, [...path, 'volumes']);
  planSchedules(scene, work, entry.schedules, [...path, 'schedules']);
  planPorts(scene, work, entry.ports, opens, [...path, 'ports']);
  planServiceName(scene, work, entry, path);
  const own = list.changes.slice(from);
  work.needsDeploy ||= own.some(({ takesEffect }) => takesEffect === 'NEXT_DEPLOY');
  requireOwn(scene, work, own.length > 0);
  return work;
}

function columnsOf(entry: ComponentEntry): Partial<Component> {
  const none = (fields: readonly { field: string }[]) =>
    Object.fromEntries(fields.map(({ field }) => [field, null]));
  return {
    ...storedFields(componentFields, entry),
    ...storedFields(sourceFields, entry.source === null ? none(sourceFields) : (entry.source ?? {})),
    ...storedFields(probesFields, entry.probes === null ? none(probesFields) : (entry.probes ?? {})),
    // Fields that are left out of it are not set: the whole of it is managed.
    ...(entry.autoscaling !== undefined &&
      storedFields(autoscalingFields, { ...none(autoscalingFields), ...entry.autoscaling })),
  };
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
  { autoscaling }: ComponentEntry,
  path: Path,
): void {
  if (!autoscalingOf({ ...row, ...data })) return;
  const touched = new Set([...remove.map(({ id }) => id), ...update.map(({ before }) => before.id)]);
  const kept = (current?.volumes ?? []).filter(({ id }) => !touched.has(id));
  const changed = [...create, ...update.map((each) => ({ ...each.before, ...each.data }))];
  // Volumes stay as they are unless the document changes them or the autoscaling.
  const single = [...(autoscaling ? kept : []), ...changed].find(isForOneInstance);
  if (!single) return;
  const message = `The component ${name} cannot have an autoscaling, because its instances cannot share the volume ${single.name}. Its access mode must be ReadWriteMany or ReadOnlyMany.`;
  conflicts.push({ path: [...path, single.name], message });
}

function newComponent(scene: Scene, name: string, entry: ComponentEntry, path: Path): Component {
  const { team, region, taken } = scene;
  if (entry.image === undefined) {
    scene.issues.push({ path: [...path, 'image'], message: 'Is required for a new component', isKey: true });
  }
  const owner = entry.alias == null ? undefined : taken.aliases.get(entry.alias);
  if (owner) {
    scene.conflicts.push({
      path: [...path, 'alias'],
      message: `The alias ${entry.alias} belongs to ${owner}.`,
    });
  }
  const alias = entry.alias ?? scene.newAlias();
  const image = entry.image ?? '';
  const now = new Date();
  const columns = {
    ...newFields(componentFields, entry),
    ...newFields(sourceFields, entry.source ?? {}),
    ...newFields(probesFields, entry.probes ?? {}),
    ...newFields(autoscalingFields, entry.autoscaling ?? {}),
  };
  return {
    id: newComponentId(),
    teamId: team.id,
    regionId: region.id,
    creatorId: scene.userId,
    key: newComponentId(),
    alias,
    name,
    clusterName: entry.clusterName ?? alias,
    serviceName: null,
    version: entry.version ?? imageTag(image) ?? 'latest',
    image,
    ...columns,
    sourceKind: null,
    groupId: null,
    createdAt: now,
    updatedAt: now,
    folded: fold(name, alias),
  } as Component;
}

function planColumns(scene: Scene, work: ComponentWork, entry: ComponentEntry, path: Path): void {
  const { row, current } = work;
  const { list, issues } = scene;
  const wanted = columnsOf(entry);
  const gitUrl = wanted.gitUrl === undefined ? row.gitUrl : wanted.gitUrl;
  const kind = entry.source?.kind?.toLowerCase();
  if (kind === 'market' && row.sourceKind !== 'market') {
    issues.push({
      path: [...path, 'source', 'kind'],
      message: 'MARKET is reserved for components of templates',
    });
  }
  if (kind !== undefined) wanted.sourceKind = kind;
  else if (entry.source === null || entry.source?.kind === null || !current) {
    wanted.sourceKind = row.sourceKind === 'market' ? 'market' : defaultSourceKind({ gitUrl });
  }
  planReplicas(scene, row, wanted, path);
  const after = { ...row, ...wanted };
  // A number that stays is as it was when the component was scaled, and what was exported can be created elsewhere.
  if (entry.placement != null && current && !scene.isRestore) {
    const problem = drainProblem(storedPlacement(after), after, storedPlacement(row));
    if (problem) issues.push({ path: [...path, 'placement', 'minAvailable'], message: problem });
  }
  const isRootNew = !scene.isRestore && after.needsRoot && (!current || !row.needsRoot);
  const refusal = rootProblem(isRootNew, scene.region);
  if (refusal) issues.push({ path: [...path, 'needsRoot'], message: refusal });
  if (after.terminationGracePeriodSeconds <= after.preStopSeconds) {
    const field =
      entry.terminationGracePeriodSeconds === undefined ? 'preStopSeconds' : 'terminationGracePeriodSeconds';
    const message = 'terminationGracePeriodSeconds must be greater than preStopSeconds';
    issues.push({ path: [...path, field], message });
  }
  if (!current) {
    Object.assign(row, wanted);
    const shown = {
      image: row.image,
      ...(entry.alias != null && { alias: entry.alias }),
      ...(entry.clusterName != null && { clusterName: entry.clusterName }),
      ...(entry.version != null && { version: entry.version }),
      ...shownFields(componentFields, row),
      ...prefixed('source.', shownFields(sourceFields, row)),
      ...prefixed('probes.', shownFields(probesFields, row)),
      ...prefixed('autoscaling.', shownFields(autoscalingFields, row)),
    };
    list.add('CREATE', object('COMPONENT', null, work.name), givenFields(shown), {
      takesEffect: 'NEXT_DEPLOY',
    });
    return;
  }
  for (const field of ['alias', 'clusterName'] as const) {
    if (entry[field] == null || entry[field] === row[field]) continue;
    issues.push({ path: [...path, field], message: `Is ${row[field]}, and cannot change` });
  }
  if (entry.image !== undefined) wanted.image = entry.image;
  const image = wanted.image ?? row.image;
  if (entry.version != null) wanted.version = entry.version;
  else if (entry.version === null || image !== row.image) wanted.version = imageTag(image) ?? 'latest';
  const data = changedColumns(row, wanted);
  if (data.extendMethod !== undefined && wasDeployed(row)) {
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

const prefixed = (prefix: string, fields: { [field: string]: unknown }) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${prefix}${field}`, value]));
