import type { Row } from '../../../db/tables.ts';
import { fold } from '../../../kernel/validate.ts';
import { imageTag, isSecretName, maxDependencies, maxVolumes, wasDeployed } from '../../component/model.ts';
import { newComponentId } from '../../component/operations.ts';
import type { NewVariable } from '../../component/variables/many-rows.ts';
import type { PlainVariable } from '../../component/variables/reads.ts';
import { defaultAlias } from '../../port/model.ts';
import type { ComponentEntry, PortEntry, VariableEntry, VolumeEntry } from '../document-model.ts';
import {
  componentFields,
  defaultSourceKind,
  hasData,
  namingColumns,
  newFields,
  probesFields,
  shownFields,
  sourceFields,
  storedFields,
  volumeFields,
} from '../fields-model.ts';
import type { FieldChange, ObjectKind } from '../model.ts';
import type { StandingComponent } from '../standing-reads.ts';
import { changedColumns, changedFields, fieldChange, givenFields, object } from './change-list.ts';
import { type ComponentWork, ownershipOf, type Scene, templateOf } from './scene.ts';

type Component = Row<'Component'>;
type Path = (string | number)[];

const entriesOf = <T>(collection: { [name: string]: T } | null) => Object.entries(collection ?? {});

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
  const work: ComponentWork = {
    name,
    isWritten,
    current,
    row,
    data: {},
    variables: { create: [], update: [], remove: [] },
    volumes: { create: [], update: [], remove: [] },
    dependencies: { add: [], remove: [] },
    ports: { create: [], update: [], remove: [] },
    portsAfter: new Map(),
    serviceNameAfter: row.serviceName,
    adopt: { isComponent: false, variables: [], volumes: [], ports: [], dependencies: [] },
    needsDeploy: false,
    isTouched: false,
  };
  const { list } = scene;
  const from = list.changes.length;
  if (isWritten) planColumns(scene, work, entry, path);
  planVariables(scene, work, 'environment', entry.variables, [...path, 'variables']);
  planVariables(scene, work, 'connection', entry.connectionVariables, [...path, 'connectionVariables']);
  planVolumes(scene, work, entry.volumes, [...path, 'volumes']);
  planPorts(scene, work, entry.ports, opens, [...path, 'ports']);
  planServiceName(scene, work, entry, path);
  const own = list.changes.slice(from);
  work.needsDeploy ||= own.some(({ takesEffect }) => takesEffect === 'NEXT_DEPLOY');
  requireOwn(scene, work, own.length > 0);
  return work;
}

/** What belongs to an installed template stays as it is, unless the document only refers to it. */
export function requireOwn(scene: Scene, { row, isWritten }: ComponentWork, isChanged: boolean): void {
  const template = templateOf(scene, row);
  if (template === null || !isChanged || !isWritten) return;
  scene.conflicts.push({
    path: ['components', row.name],
    message: `The component ${row.name} belongs to the installed template ${template}. Remove it from the document, or write it as it is.`,
    isKey: true,
  });
}

/** Whether an object that is written as it is belongs to the manifest from then on. */
const isAdopted = (scene: Scene, work: ComponentWork, row: { manifestId: number | null }) =>
  ownershipOf(scene, row) === 'none' && work.row.groupId === null;

const actionFor = (scene: Scene, work: ComponentWork, row: { manifestId: number | null }) =>
  isAdopted(scene, work, row) ? 'ADOPT' : 'UPDATE';

function columnsOf(entry: ComponentEntry): Partial<Component> {
  const none = (fields: readonly { field: string }[]) =>
    Object.fromEntries(fields.map(({ field }) => [field, null]));
  return {
    ...storedFields(componentFields, entry),
    ...storedFields(sourceFields, entry.source === null ? none(sourceFields) : (entry.source ?? {})),
    ...storedFields(probesFields, entry.probes === null ? none(probesFields) : (entry.probes ?? {})),
  };
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
  const after = { ...row, ...wanted };
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
  ];
  if (fields.length > 0) {
    const takesEffect = wasDeployed(row) && !isNaming ? 'NEXT_DEPLOY' : 'AT_ONCE';
    list.add(actionFor(scene, work, row), object('COMPONENT', null, work.name), fields, { takesEffect });
  } else if (isAdopted(scene, work, row)) list.adopted.push(object('COMPONENT', null, work.name));
  if (isAdopted(scene, work, row)) work.adopt.isComponent = true;
}

const prefixed = (prefix: string, fields: { [field: string]: unknown }) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${prefix}${field}`, value]));

const kindOf = { environment: 'VARIABLE', connection: 'CONNECTION_VARIABLE' } as const;

const variableAttributes = ['label', 'isSecret', 'isChangeable', 'portNumber'] as const;

function planVariables(
  scene: Scene,
  work: ComponentWork,
  scope: keyof typeof kindOf,
  collection: { [name: string]: VariableEntry } | null | undefined,
  path: Path,
): void {
  if (collection === undefined) return;
  const { list, issues } = scene;
  const { variables, row: component } = work;
  const standing = (scene.plainVariables.get(component.id) ?? []).filter((each) => each.scope === scope);
  const byName = new Map(standing.map((each) => [each.name, each]));
  const kind: ObjectKind = kindOf[scope];
  const about = { takesEffect: work.current && !wasDeployed(component) ? 'AT_ONCE' : 'NEXT_DEPLOY' } as const;
  const remove = (is: PlainVariable) => {
    requireChangeable(scene, component, is);
    variables.remove.push(is);
    list.add(
      'DELETE',
      object(kind, work.name, is.name),
      [fieldChange('value', is.value, null, is.isSecret)],
      about,
    );
  };
  for (const [name, given] of entriesOf(collection)) {
    const is = byName.get(name);
    const at = [...path, name];
    if (given === null) {
      if (is) remove(is);
      continue;
    }
    const wanted = typeof given === 'string' ? { value: given } : given;
    const isKept = wanted.secret !== undefined;
    if (!is) {
      if (isKept) issues.push({ path: [...at, 'secret'], message: 'There is no stored value to keep' });
      else if (wanted.value === undefined) issues.push({ path: at, message: 'Must have a value' });
      const variable: NewVariable = {
        componentId: component.id,
        name,
        label: wanted.label ?? name,
        value: wanted.value ?? '',
        isSecret: wanted.isSecret ?? isSecretName(name),
        scope,
        isChangeable: wanted.isChangeable ?? true,
        portNumber: wanted.portNumber ?? null,
      };
      variables.create.push(variable);
      list.add('CREATE', object(kind, work.name, name), variableFields(undefined, variable), about);
      continue;
    }
    const { id: _, revision: __, manifestId: ___, ...stored } = is;
    const after: NewVariable = {
      ...stored,
      value: wanted.value ?? is.value,
      isSecret: wanted.isSecret ?? (wanted.isSecret === null ? isSecretName(name) : isKept || is.isSecret),
      label: wanted.label === undefined ? is.label : (wanted.label ?? name),
      isChangeable: wanted.isChangeable === undefined ? is.isChangeable : (wanted.isChangeable ?? true),
      portNumber: wanted.portNumber === undefined ? is.portNumber : wanted.portNumber,
    };
    const fields = variableFields(is, after);
    if (fields.length > 0) {
      requireChangeable(scene, component, is);
      variables.update.push({ before: is, after });
      list.add(actionFor(scene, work, is), object(kind, work.name, name), fields, about);
    } else if (isAdopted(scene, work, is)) {
      work.adopt.variables.push(is.id);
      list.adopted.push(object(kind, work.name, name));
    }
  }
  for (const is of standing) {
    if (is.name in (collection ?? {}) || ownershipOf(scene, is) !== 'own') continue;
    if (scene.prune === 'owned') remove(is);
    else list.leftOver.push(object(kind, work.name, is.name));
  }
}

function requireChangeable(
  scene: Scene,
  component: Component,
  { name, scope, isChangeable }: PlainVariable,
): void {
  if (isChangeable) return;
  scene.conflicts.push({
    path: ['components', component.name, scope === 'connection' ? 'connectionVariables' : 'variables', name],
    message: `The variable ${name} of the component ${component.name} is not changeable.`,
    isKey: true,
  });
}

function variableFields(before: PlainVariable | undefined, after: NewVariable): FieldChange[] {
  const isSecret = after.isSecret || (before?.isSecret ?? false);
  const initial = {
    label: after.name,
    isSecret: isSecretName(after.name),
    isChangeable: true,
    portNumber: null,
  };
  return [
    ...(before?.value === after.value
      ? []
      : [fieldChange('value', before?.value ?? null, after.value, isSecret)]),
    ...variableAttributes.flatMap((field) =>
      (before ?? initial)[field] === after[field]
        ? []
        : fieldChange(field, before?.[field] ?? null, after[field]),
    ),
  ];
}

function planVolumes(
  scene: Scene,
  work: ComponentWork,
  collection: { [name: string]: VolumeEntry } | null | undefined,
  path: Path,
): void {
  if (collection === undefined) return;
  const { list, issues } = scene;
  const { volumes, row: component } = work;
  const standing = work.current?.volumes ?? [];
  const byName = new Map(standing.map((each) => [each.name, each]));
  const about = { takesEffect: work.current && !wasDeployed(component) ? 'AT_ONCE' : 'NEXT_DEPLOY' } as const;
  const paths = new Map(standing.map((each) => [each.name, each.path]));
  for (const [name, entry] of entriesOf(collection)) {
    const is = byName.get(name);
    const at = [...path, name];
    paths.set(name, entry.path ?? is?.path ?? '');
    if (!is) {
      for (const field of ['path', 'type'] as const) {
        if (entry[field] === undefined) {
          issues.push({ path: [...at, field], message: 'Is required for a new volume', isKey: true });
        }
      }
      const created = { ...newFields(volumeFields, entry), name, componentId: component.id } as Row<'Volume'>;
      volumes.create.push(created);
      list.add(
        'CREATE',
        object('VOLUME', work.name, name),
        givenFields(shownFields(volumeFields, created)),
        about,
      );
      continue;
    }
    const data = changedColumns(is, storedFields(volumeFields, entry));
    if (Object.keys(data).length > 0) {
      volumes.update.push({ before: is, data });
      const isDestructive = data.type !== undefined && hasData(is);
      const fields = changedFields(volumeFields, is, data);
      list.add(actionFor(scene, work, is), object('VOLUME', work.name, name), fields, {
        ...about,
        isDestructive,
      });
    } else if (isAdopted(scene, work, is)) {
      work.adopt.volumes.push(is.id);
      list.adopted.push(object('VOLUME', work.name, name));
    }
  }
  for (const is of standing) {
    if (is.name in (collection ?? {}) || ownershipOf(scene, is) !== 'own') continue;
    if (scene.prune === 'owned') {
      paths.delete(is.name);
      volumes.remove.push(is);
      const isDestructive = hasData(is);
      list.add('DELETE', object('VOLUME', work.name, is.name), [fieldChange('path', is.path, null)], {
        ...about,
        isDestructive,
      });
    } else list.leftOver.push(object('VOLUME', work.name, is.name));
  }
  if (paths.size > maxVolumes)
    issues.push({ path, message: `The component would have more than ${maxVolumes} volumes` });
  const mounted = new Map<string, string>();
  for (const [name, mount] of paths) {
    const other = mounted.get(mount);
    if (other !== undefined && (name in (collection ?? {}) || other in (collection ?? {}))) {
      const written = name in (collection ?? {}) ? name : other;
      issues.push({
        path: [...path, written, 'path'],
        message: `Is the path of the volume ${written === name ? other : name}, too`,
      });
    }
    mounted.set(mount, name);
  }
}

const portFields = ['protocol', 'alias', 'isInner', 'isOuter', 'additionalName'] as const;
const shownPortField = { additionalName: 'serviceName' } as { [column: string]: string };

function planPorts(
  scene: Scene,
  work: ComponentWork,
  collection: { [number: string]: PortEntry } | null | undefined,
  opens: ReadonlySet<number>,
  path: Path,
): void {
  const { list, issues } = scene;
  const { ports, row: component } = work;
  const standing = work.current?.ports ?? [];
  for (const row of standing) work.portsAfter.set(row.number, { ...row, row });
  const change = (is: Row<'Port'>, wanted: Partial<Row<'Port'>>, isWritten = true) => {
    const { isOuter, ...data } = changedColumns(is, wanted);
    const all = { ...data, ...(isOuter !== undefined && { isOuter }) };
    if (Object.keys(all).length === 0) return false;
    ports.update.push({ port: is, data, ...(isOuter !== undefined && { isOuter }), isWritten });
    work.portsAfter.set(is.number, { ...is, ...all, row: is });
    const fields = portFields.flatMap((field) =>
      field in all ? fieldChange(shownPortField[field] ?? field, is[field], all[field]) : [],
    );
    const action = isWritten ? actionFor(scene, work, is) : 'UPDATE';
    list.add(action, object('PORT', work.name, String(is.number)), fields);
    work.isTouched = true;
    return true;
  };
  const byNumber = new Map(standing.map((each) => [each.number, each]));
  for (const [key, entry] of entriesOf(collection ?? null)) {
    const number = Number(key);
    const is = byNumber.get(number);
    const at = [...path, key];
    const initialAlias = defaultAlias(component.alias, number);
    const wanted = {
      protocol: entry.protocol?.toLowerCase() ?? is?.protocol ?? '',
      alias: entry.alias ?? (entry.alias === null || !is ? initialAlias : is.alias),
      isInner: entry.isInner ?? (entry.isInner === null ? false : (is?.isInner ?? false)),
      isOuter:
        entry.isOuter ?? (entry.isOuter === null ? false : opens.has(number) || (is?.isOuter ?? false)),
      additionalName: entry.serviceName === undefined ? (is?.additionalName ?? null) : entry.serviceName,
    };
    if (is) {
      if (!change(is, wanted) && isAdopted(scene, work, is)) {
        work.adopt.ports.push(is.id);
        list.adopted.push(object('PORT', work.name, key));
      }
      continue;
    }
    if (entry.protocol === undefined) {
      issues.push({ path: [...at, 'protocol'], message: 'Is required for a new port', isKey: true });
    }
    ports.create.push({ number, ...wanted });
    work.portsAfter.set(number, { number, ...wanted, row: null });
    work.isTouched = true;
    const shown = {
      protocol: wanted.protocol,
      ...(wanted.alias !== initialAlias && { alias: wanted.alias }),
      isInner: wanted.isInner,
      isOuter: wanted.isOuter,
      ...(wanted.additionalName !== null && { serviceName: wanted.additionalName }),
    };
    list.add('CREATE', object('PORT', work.name, key), givenFields(shown));
  }
  // A TCP route opens its port, whether the document has the port or not.
  for (const number of opens) {
    const is = byNumber.get(number);
    if (is && !(String(number) in (collection ?? {}))) change(is, { isOuter: true }, false);
  }
  if (collection !== undefined) {
    for (const is of standing) {
      if (String(is.number) in (collection ?? {}) || ownershipOf(scene, is) !== 'own') continue;
      if (scene.prune === 'owned') {
        ports.remove.push(is);
        work.portsAfter.delete(is.number);
        work.isTouched = true;
        const fields = [fieldChange('protocol', is.protocol, null)];
        list.add('DELETE', object('PORT', work.name, String(is.number)), fields, {
          isDestructive: is.isOuter,
        });
      } else list.leftOver.push(object('PORT', work.name, String(is.number)));
    }
  }
  requireDistinctAliases(scene, work, path);
}

function requireDistinctAliases({ issues }: Scene, { portsAfter }: ComponentWork, path: Path): void {
  const aliases = new Map<string, number>();
  for (const { alias, number } of portsAfter.values()) {
    const other = aliases.get(alias);
    if (other !== undefined) {
      issues.push({
        path: [...path, String(number), 'alias'],
        message: `Port ${other} has the alias ${alias}, too`,
      });
    }
    aliases.set(alias, number);
  }
}

/** The first port gives a component its internal domain name, the last one takes it away. */
function planServiceName(scene: Scene, work: ComponentWork, entry: ComponentEntry, path: Path): void {
  const { row, current, portsAfter } = work;
  const wanted = entry.serviceName === null ? row.alias : entry.serviceName;
  if (portsAfter.size === 0) {
    if (entry.serviceName != null) {
      scene.issues.push({ path: [...path, 'serviceName'], message: 'Requires a port' });
    }
    work.serviceNameAfter = null;
  } else work.serviceNameAfter = wanted ?? row.serviceName ?? row.alias;
  if (!current) {
    row.serviceName = work.serviceNameAfter;
    return;
  }
  if (work.serviceNameAfter === row.serviceName) return;
  work.data.serviceName = work.serviceNameAfter;
  work.isTouched = true;
  // It comes and goes with ports.
  if (row.serviceName === null || work.serviceNameAfter === null) return;
  const fields = [fieldChange('serviceName', row.serviceName, work.serviceNameAfter)];
  scene.list.add(actionFor(scene, work, row), object('COMPONENT', null, work.name), fields);
}

/** Plans what a component depends on, when all components are known. */
export function planDependencies(
  scene: Scene,
  work: ComponentWork,
  wanted: ComponentEntry['dependsOn'],
  works: ReadonlyMap<string, ComponentWork>,
): void {
  if (wanted === undefined) return;
  const { list, issues, standing, outside } = scene;
  const path = ['components', work.name, 'dependsOn'];
  const names = new Map<string, string>();
  for (const [index, given] of (wanted ?? []).entries()) {
    const at = [...path, index];
    const name = typeof given === 'string' ? given : `${given.application}/${given.component}`;
    const id =
      typeof given === 'string'
        ? (works.get(given)?.row.id ??
          standing?.components.find(({ row }) => row.name === given && !scene.removed.has(row.id))?.row.id)
        : outside.get(name);
    if (id === undefined) {
      const where =
        typeof given === 'string' ? 'in the document or the application' : 'in the team and region';
      issues.push({ path: at, message: `There is no component ${name} ${where}` });
    } else if (id === work.row.id) issues.push({ path: at, message: 'A component cannot depend on itself' });
    else names.set(id, name);
  }
  const standingPairs = new Map(work.current?.dependencies.map((pair) => [pair.dependencyId, pair]));
  const about = { takesEffect: work.current && !wasDeployed(work.row) ? 'AT_ONCE' : 'NEXT_DEPLOY' } as const;
  const from = list.changes.length;
  for (const [dependencyId, name] of names) {
    const pair = standingPairs.get(dependencyId);
    if (!pair) {
      work.dependencies.add.push({ componentId: work.row.id, dependencyId });
      list.add('CREATE', object('DEPENDENCY', work.name, name), [], about);
    } else if (isAdopted(scene, work, pair)) {
      work.adopt.dependencies.push(pair);
      list.adopted.push(object('DEPENDENCY', work.name, name));
    }
  }
  const nameOf = (id: string) =>
    standing?.components.find(({ row }) => row.id === id)?.row.name ??
    standing?.outside.get(id)?.component ??
    id;
  for (const [dependencyId, pair] of standingPairs) {
    if (names.has(dependencyId) || ownershipOf(scene, pair) !== 'own') continue;
    const named = object('DEPENDENCY', work.name, nameOf(dependencyId));
    if (scene.prune === 'owned') {
      work.dependencies.remove.push(pair);
      list.add('DELETE', named, [], about);
    } else list.leftOver.push(named);
  }
  const count = standingPairs.size + work.dependencies.add.length - work.dependencies.remove.length;
  if (count > maxDependencies) {
    issues.push({ path, message: `The component would depend on more than ${maxDependencies} components` });
  }
  if (list.changes.length === from) return;
  work.needsDeploy = true;
  requireOwn(scene, work, true);
}
