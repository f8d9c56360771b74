import { imageTag } from '../component/model.ts';
import type { Row } from '../db/tables.ts';
import type { AppTemplate, TemplateComponent } from '../drivers/app-template.ts';
import { isHttp } from '../port/model.ts';
import type { ChangeKind, UpgradeChange } from './model.ts';

/** A component as it stands, with all that an upgrade may touch. */
export interface Installed {
  row: Row<'Component'>;
  ports: Row<'Port'>[];
  variables: Row<'EnvironmentVariable'>[];
  volumes: Row<'Volume'>[];
  /** Keys of the components of its group that it depends on. */
  dependencies: string[];
  /** Ports with rules that somebody made. */
  portsWithCustomRules: ReadonlySet<number>;
}

type NewVariable = Omit<Row<'EnvironmentVariable'>, 'id' | 'componentId'>;

/** What an upgrade does to a component that stays. */
export interface ComponentMerge {
  row: Row<'Component'>;
  set: Partial<Row<'Component'>>;
  /** The inner domain that it moves to, where that is free; null when it stays. */
  serviceName: string | null;
  variables: {
    create: NewVariable[];
    update: { id: number; data: Partial<NewVariable> }[];
    remove: number[];
  };
  ports: {
    create: TemplateComponent['ports'];
    update: { port: Row<'Port'>; data: Partial<Row<'Port'>>; isOuter?: boolean }[];
    remove: Row<'Port'>[];
  };
  volumes: { create: TemplateComponent['volumes']; update: { id: number; data: Partial<Row<'Volume'>> }[] };
  dependencies: { add: string[]; remove: string[] };
}

export interface GroupMerge {
  add: TemplateComponent[];
  close: Row<'Component'>[];
  merges: ComponentMerge[];
  changes: UpgradeChange[];
}

/**
 * A three-way merge: what the new version changed against the installed one follows it, what it left as it
 * was stays as it is now, and so keeps what the user made of it.
 */
export function mergeTemplate(
  base: AppTemplate,
  next: AppTemplate,
  installed: readonly Installed[],
): GroupMerge {
  const baseOf = new Map(base.components.map((each) => [each.key, each]));
  const current = new Map(installed.map((each) => [each.row.key, each]));
  const changes: UpgradeChange[] = [];
  const add = next.components.filter(({ key }) => !current.has(key));
  const wanted = new Set(next.components.map(({ key }) => key));
  const close = installed.filter(({ row }) => !wanted.has(row.key) && row.deployState !== 'closed');
  for (const { name, image } of add) changes.push(line(name, 'ADD_COMPONENT', name, null, image));
  for (const { row } of close)
    changes.push(line(row.name, 'CLOSE_COMPONENT', row.name, row.deployState, 'closed'));
  const names = new Map([
    ...installed.map(({ row }) => [row.key, row.name] as const),
    ...next.components.map(({ key, name }) => [key, name] as const),
  ]);
  const isDeployed = installed.some(({ row }) => row.deployState === 'running');
  const merges = next.components.flatMap((to) => {
    const now = current.get(to.key);
    return now ? [mergeComponent(baseOf.get(to.key), to, now, { isDeployed, names, changes })] : [];
  });
  return { add, close: close.map(({ row }) => row), merges, changes };
}

const line = (
  component: string,
  kind: ChangeKind,
  name: string,
  before: unknown,
  after: unknown,
): UpgradeChange => ({ component, kind, name, before: shown(before), after: shown(after) });

const shown = (value: unknown) => (value === null || value === undefined ? null : String(value));

/** The columns that follow a template, as its component fills them. */
export const columnsOf = (component: TemplateComponent) => ({
  name: component.name,
  image: component.image,
  version: component.version ?? imageTag(component.image) ?? 'latest',
  command: component.command === '' ? null : component.command,
  category: component.category,
  extendMethod: component.extendMethod,
  replicas: component.replicas,
  cpuMillicores: component.cpuMillicores,
  memoryMiB: component.memoryMiB,
  language: component.language,
});

/** The inner domain that a component of a template asks for. */
export const wantedServiceName = (component: TemplateComponent) =>
  component.ports.find(({ serviceName }) => serviceName !== null)?.serviceName ?? null;

/**
 * All variables that a component of a template has. Where the component could not have the inner domain that
 * it asked for, those that depend on it are told the one that it got.
 */
export function variablesOf(component: TemplateComponent, serviceName: string | null): NewVariable[] {
  const wanted = wantedServiceName(component);
  return [
    ...component.variables.map((each) => ({ ...each, scope: 'environment', portNumber: null })),
    ...component.connectionVariables.map((each) => ({
      ...each,
      scope: 'connection',
      value: wanted !== null && each.value === wanted ? (serviceName ?? wanted) : each.value,
    })),
  ];
}

function mergeComponent(
  from: TemplateComponent | undefined,
  to: TemplateComponent,
  now: Installed,
  {
    isDeployed,
    names,
    changes,
  }: { isDeployed: boolean; names: ReadonlyMap<string, string>; changes: UpgradeChange[] },
): ComponentMerge {
  const { row } = now;
  const say = (kind: ChangeKind, name: string, before: unknown, after: unknown) =>
    changes.push(line(row.name, kind, name, before, after));

  const set: Partial<Row<'Component'>> = {};
  const [old, fresh] = [from && columnsOf(from), columnsOf(to)];
  for (const field of Object.keys(fresh) as (keyof typeof fresh)[]) {
    if (old && old[field] === fresh[field]) continue;
    if (row[field] === fresh[field]) continue;
    Object.assign(set, { [field]: fresh[field] });
    say('SET', field, row[field], fresh[field]);
  }
  // One that an earlier version had dropped and that comes back.
  if (row.deployState === 'closed') {
    set.deployState = isDeployed ? 'running' : 'undeploy';
    say('SET', 'deployState', 'closed', set.deployState);
  }
  const serviceName = renamed(from, to, row);
  if (serviceName !== null) say('SET', 'serviceName', row.serviceName, serviceName);

  return {
    row,
    set,
    serviceName,
    variables: mergeVariables(from, to, now, say),
    ports: mergePorts(from, to, now, say),
    volumes: mergeVolumes(from, to, now, say),
    dependencies: mergeDependencies(from, to, now, (kind, key, before, after) =>
      say(kind, names.get(key) ?? key, before, after),
    ),
  };
}

/** The inner domain that the new version asks for, unless somebody chose the present one. */
function renamed(
  from: TemplateComponent | undefined,
  to: TemplateComponent,
  row: Row<'Component'>,
): string | null {
  const [old, fresh] = [from && wantedServiceName(from), wantedServiceName(to)];
  if (!old || !fresh || old === fresh || row.serviceName === null) return null;
  const given = row.serviceName === old || /^-\d+$/.test(row.serviceName.slice(old.length));
  return given && row.serviceName.startsWith(old) ? fresh : null;
}

type Say = (kind: ChangeKind, name: string, before: unknown, after: unknown) => void;

const nameOf = ({ scope, name }: { scope: string; name: string }) => `${scope} ${name}`;

function mergeVariables(
  from: TemplateComponent | undefined,
  to: TemplateComponent,
  now: Installed,
  say: Say,
) {
  const merge: ComponentMerge['variables'] = { create: [], update: [], remove: [] };
  const { serviceName } = now.row;
  const old = new Map((from ? variablesOf(from, serviceName) : []).map((each) => [nameOf(each), each]));
  const next = renamed(from, to, now.row) ?? serviceName;
  const fresh = new Map(variablesOf(to, next).map((each) => [nameOf(each), each]));
  const current = new Map(now.variables.map((each) => [nameOf(each), each]));
  for (const [name, variable] of fresh) {
    const [was, is] = [old.get(name), current.get(name)];
    if (!is) {
      if (was) continue;
      merge.create.push(variable);
      say('ADD_VARIABLE', variable.name, null, variable.value);
    } else if (was && is.value === was.value && is.value !== variable.value) {
      merge.update.push({ id: is.id, data: variable });
      say('SET_VARIABLE', variable.name, is.value, variable.value);
    }
  }
  for (const [name, was] of old) {
    const is = current.get(name);
    if (fresh.has(name) || !is || is.value !== was.value) continue;
    merge.remove.push(is.id);
    say('REMOVE_VARIABLE', is.name, is.value, null);
  }
  return merge;
}

function mergePorts(from: TemplateComponent | undefined, to: TemplateComponent, now: Installed, say: Say) {
  const merge: ComponentMerge['ports'] = { create: [], update: [], remove: [] };
  const old = new Map((from?.ports ?? []).map((each) => [each.number, each]));
  const current = new Map(now.ports.map((each) => [each.number, each]));
  for (const port of to.ports) {
    const [was, is] = [old.get(port.number), current.get(port.number)];
    if (!is) {
      if (was) continue;
      merge.create.push(port);
      say('ADD_PORT', String(port.number), null, port.protocol);
      continue;
    }
    if (!was) continue;
    const data: Partial<Row<'Port'>> = {};
    // A custom rule would no longer fit: the port stays as its user has it.
    const isBound = isHttp(port.protocol) !== isHttp(is.protocol) && now.portsWithCustomRules.has(is.id);
    for (const field of ['protocol', 'alias', 'isInner'] as const) {
      if (was[field] === port[field] || is[field] !== was[field] || (isBound && field === 'protocol'))
        continue;
      Object.assign(data, { [field]: port[field] });
      say('SET_PORT', `${port.number} ${field}`, is[field], port[field]);
    }
    const isOuter = was.isOuter !== port.isOuter && is.isOuter === was.isOuter ? port.isOuter : undefined;
    if (isOuter !== undefined) say('SET_PORT', `${port.number} isOuter`, is.isOuter, isOuter);
    if (Object.keys(data).length || isOuter !== undefined) merge.update.push({ port: is, data, isOuter });
  }
  const wanted = new Set(to.ports.map(({ number }) => number));
  for (const was of old.values()) {
    const is = current.get(was.number);
    if (wanted.has(was.number) || !is || now.portsWithCustomRules.has(is.id)) continue;
    if ((['protocol', 'alias', 'isInner', 'isOuter'] as const).some((field) => is[field] !== was[field]))
      continue;
    merge.remove.push(is);
    say('REMOVE_PORT', String(is.number), is.protocol, null);
  }
  return merge;
}

function mergeVolumes(from: TemplateComponent | undefined, to: TemplateComponent, now: Installed, say: Say) {
  const merge: ComponentMerge['volumes'] = { create: [], update: [] };
  for (const volume of to.volumes) {
    const same = (each: { path: string; name: string }) =>
      each.path === volume.path || each.name === volume.name;
    const [was, is] = [from?.volumes.find(same), now.volumes.find(same)];
    if (!is) {
      if (was) continue;
      merge.create.push(volume);
      say('ADD_VOLUME', volume.path, null, volume.type);
      continue;
    }
    if (!was) continue;
    const data: Partial<Row<'Volume'>> = {};
    for (const field of ['path', 'fileContent'] as const) {
      if (was[field] !== volume[field] && is[field] === was[field]) data[field] = volume[field];
    }
    if (Object.keys(data).length === 0) continue;
    merge.update.push({ id: is.id, data });
    say('SET_VOLUME', volume.name, data.path && is.path, data.path);
  }
  return merge;
}

function mergeDependencies(
  from: TemplateComponent | undefined,
  to: TemplateComponent,
  now: Installed,
  say: Say,
) {
  const current = new Set(now.dependencies);
  const old = new Set(from?.dependencies ?? []);
  const add = to.dependencies.filter((key) => !old.has(key) && !current.has(key));
  const remove = [...old].filter((key) => !to.dependencies.includes(key) && current.has(key));
  for (const key of add) say('ADD_DEPENDENCY', key, null, key);
  for (const key of remove) say('REMOVE_DEPENDENCY', key, key, null);
  return { add, remove };
}
