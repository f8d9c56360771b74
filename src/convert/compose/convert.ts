import { Claims, type Grade, type Note, pathOf } from '../claims.ts';
import type { Files } from '../files.ts';
import { isObject, type Leave, list, slug, type Yaml } from './file.ts';
import { portsOf } from './ports.ts';
import { probeOf } from './probe.ts';
import { composeRules } from './rules.ts';
import { commandOf, mebibytes, millicores, secondsOf } from './values.ts';
import { interpolate, readEnvironmentFile } from './variables.ts';
import { volumesOf } from './volumes.ts';

export interface Converted {
  manifest: { application: string; components: Record<string, Component> };
  notes: Note[];
}

interface Component {
  image: string;
  serviceName?: string;
  command?: string;
  replicas?: number;
  cpuMillicores?: number;
  memoryMiB?: number;
  terminationGracePeriodSeconds?: number;
  probes?: object;
  variables?: Record<string, unknown>;
  volumes?: Record<string, object>;
  ports?: Record<string, object>;
  dependsOn?: string[];
}

export const composeClaims = new Claims(composeRules);

/** Converts a parsed Compose file, and the files that it names. */
export function convertCompose(
  file: Yaml,
  files: Files,
  application: string,
  env: Readonly<Record<string, string | undefined>>,
): Converted {
  const notes: Note[] = [];
  const tell = (grade: Grade, key: string, reason: string, detail: string) =>
    notes.push({ grade, subject: null, key, reason, detail });
  const ofFile = readEnvironmentFile(files, '.env', (detail) =>
    tell('CHANGED', 'env_file', 'Lines that cannot be read were left out.', detail),
  );
  const environment = { ...ofFile, ...env } as Record<string, string>;
  const unset = new Set<string>();
  const given = interpolate(file, environment, unset) as Record<string, Yaml>;
  for (const name of unset)
    tell('CHANGED', 'variables', 'Have no value here, and were taken as empty.', name);
  composeClaims.walk(given, ({ keys, steps }, grade, reason) =>
    notes.push(noteAt(keys, steps, grade, reason)),
  );
  const services: Record<string, Yaml> = isObject(given.services) ? given.services : {};
  const components: Record<string, Component> = {};
  for (const [name, service] of Object.entries(services)) {
    const leave: Leave = (grade, key, reason, detail) =>
      notes.push({ grade, subject: name, key, reason, ...(detail !== undefined && { detail }) });
    components[name] = componentOf(name, extended(service, services, leave), {
      files,
      application,
      environment,
      leave,
    });
  }
  nameServices(components, services);
  for (const [name, component] of Object.entries(components)) {
    component.dependsOn = component.dependsOn?.filter((other) => {
      if (other !== name && Object.hasOwn(components, other)) return true;
      const reason = 'There is no such service here.';
      notes.push({ grade: 'CHANGED', subject: name, key: 'depends_on', reason, detail: other });
      return false;
    });
    if (component.dependsOn?.length === 0) delete component.dependsOn;
  }
  return { manifest: { application, components }, notes };
}

/** A note about a path of the file. Names that the file chooses are details. */
function noteAt(keys: readonly string[], steps: readonly string[], grade: Grade, reason: string): Note {
  const isService = keys[0] === 'services' && keys.length > 1;
  const names = keys.filter((_, index) => steps[index] === '*' && !(isService && index === 1));
  return {
    grade,
    subject: isService ? keys[1]! : null,
    key: pathOf(isService ? steps.slice(2) : steps),
    reason,
    ...(names.length > 0 && { detail: names.join('.') }),
  };
}

interface Around {
  files: Files;
  application: string;
  environment: Record<string, string>;
  leave: Leave;
}

/** A service with what it takes over from another one of the same file. */
function extended(service: Yaml, services: Record<string, Yaml>, leave: Leave, depth = 0): Yaml {
  const from = isObject(service?.extends) ? service.extends : { service: service?.extends };
  if (!service?.extends) return service ?? {};
  if (from.file || !services[from.service] || depth > 8) {
    leave('CHANGED', 'extends', 'Only services of the same file can be extended.');
    return service;
  }
  const base = extended(services[from.service], services, leave, depth + 1);
  const { extends: _, ...own } = service;
  const both = { ...base, ...own };
  if (base.environment && own.environment)
    both.environment = { ...pairs(base.environment), ...pairs(own.environment) };
  for (const key of ['ports', 'volumes', 'expose']) {
    if (base[key] && own[key]) both[key] = [...base[key], ...own[key]];
  }
  return both;
}

/** Variables as pairs, whether they are written as a list or as an object. Null is the value of the caller. */
function pairs(value: Yaml): Record<string, string | null> {
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, each === null ? null : String(each)]),
    );
  }
  return Object.fromEntries(
    list(value).map((text) => {
      const at = String(text).indexOf('=');
      return at < 0 ? [String(text), null] : [String(text).slice(0, at), String(text).slice(at + 1)];
    }),
  );
}

function componentOf(name: string, service: Yaml, around: Around): Component {
  const { leave, application } = around;
  const image = service.image ? String(service.image) : `${slug(application)}-${slug(name)}:latest`;
  const component: Component = { image };
  const command = commandOf(service.command);
  if (command) component.command = command;
  sizes(service, component);
  const variables = variablesOf(service, around);
  if (Object.keys(variables).length > 0) component.variables = variables;
  const volumes = volumesOf(service, around.files, leave);
  if (Object.keys(volumes).length > 0) component.volumes = volumes;
  const ports = portsOf(service, image, leave);
  if (Object.keys(ports).length > 0) component.ports = ports;
  const depends = isObject(service.depends_on)
    ? Object.keys(service.depends_on)
    : list(service.depends_on).map(String);
  if (isObject(service.depends_on)) {
    for (const [other, wanted] of Object.entries<Yaml>(service.depends_on)) {
      const condition = wanted?.condition;
      if (condition && condition !== 'service_started')
        leave('INFO', 'depends_on', `Is started first, and nothing waits for ${condition}.`, other);
    }
  }
  const links = list(service.links).map((link) => String(link).split(':')[0]!);
  const all = [...new Set([...depends, ...links])];
  if (all.length > 0) component.dependsOn = all;
  const probe = probeOf(service.healthcheck, leave);
  if (probe) component.probes = { readiness: probe };
  const grace = secondsOf(service.stop_grace_period);
  if (grace !== undefined) component.terminationGracePeriodSeconds = Math.max(1, Math.round(grace));
  return component;
}

function sizes(service: Yaml, component: Component): void {
  const deploy = isObject(service.deploy) ? service.deploy : {};
  const limits = deploy.resources?.limits ?? deploy.resources?.reservations ?? {};
  const replicas = deploy.replicas ?? service.scale;
  if (replicas !== undefined) component.replicas = Number(replicas);
  const cpu = millicores(limits.cpus ?? service.cpus);
  const memory = mebibytes(limits.memory ?? service.mem_limit);
  if (cpu !== undefined) component.cpuMillicores = cpu;
  if (memory !== undefined) component.memoryMiB = memory;
}

function variablesOf(service: Yaml, { files, environment, leave }: Around): Record<string, unknown> {
  const all: Record<string, string | null> = {};
  for (const each of list(service.env_file)) {
    const path = isObject(each) ? each.path : each;
    const read = readEnvironmentFile(files, String(path), (detail) =>
      leave('CHANGED', 'env_file', 'Lines that cannot be read were left out.', detail),
    );
    if (read) Object.assign(all, read);
    else if (!isObject(each) || String(each.required) !== 'false')
      leave(
        'CHANGED',
        'env_file',
        'Is not below the folder of the Compose file, and its variables are missing.',
        String(path),
      );
  }
  Object.assign(all, pairs(service.environment));
  const variables: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(all)) {
    const set = value ?? environment[name];
    if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name))
      leave('CHANGED', 'environment', 'The name is not one of a variable, and was left out.', name);
    else if (set === undefined)
      leave('CHANGED', 'environment', 'The value is that of the environment, where it is not set.', name);
    else variables[name] = set;
  }
  return variables;
}

/** Services reach each other by name, which is the internal domain name of a component that has a port. */
function nameServices(components: Record<string, Component>, services: Record<string, Yaml>): void {
  for (const name of Object.keys(services)) {
    const component = components[name]!;
    if (component.ports && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= 63)
      component.serviceName = name;
  }
}
