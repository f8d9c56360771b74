import { type Files, pathIn } from '../files.ts';
import { mergedProtocol } from '../ports.ts';
import { shutdownOf } from '../shutdown.ts';
import { resources, sizeEntry, sizeOf, tellUnwritten } from '../sizes.ts';
import { isMapping, isSet, listOf, type Mapping, mappingOf, textIn, type Value } from '../yaml.ts';
import { readEnv } from './env.ts';
import { knownPortsOf } from './images.ts';
import type { Project } from './load.ts';
import { namedOf, pairsOf, textOf } from './merge.ts';
import type { Component, PortEntry, ServiceTell } from './model.ts';
import { isLoopback, type PublishedPort, portsIn, protocolOf } from './ports.ts';
import { probesOf } from './probe.ts';
import { commandOf, mebibytes, millicores, secondsOf, slug } from './values.ts';
import { type Storage, takeVolumes } from './volumes.ts';

export interface Around {
  project: Project;
  files: Files;
  folder: string | undefined;
  application: string;
}

/** A service as a component, and what it uses of the host. What others have to do with it comes later. */
export function componentOf(
  name: string,
  service: Mapping,
  { project, files, folder, application }: Around,
  tell: ServiceTell,
): { component: Component; storages: Storage[] } {
  const component: Component = { image: imageOf(name, service, application, tell) };
  takeCommand(service, component, tell);
  takeSizes(service, component, tell);
  const variables = variablesOf(service, project, tell);
  if (Object.keys(variables).length > 0) component.variables = variables;
  const getVariable = (variable: string) => project.variables.get(variable);
  const built = textIn(isMapping(service.build) ? service.build.context : service.build);
  const context = built === undefined ? undefined : pathIn('', built);
  const { model } = project;
  const storages = takeVolumes(service, component, { files, folder, context, model, getVariable, tell });
  const ports = portsOf(service, component.image, tell);
  if (Object.keys(ports).length > 0) component.ports = ports;
  const probes = isSet(service.healthcheck) ? probesOf(mappingOf(service.healthcheck), tell) : undefined;
  if (probes) component.probes = probes;
  const grace = secondsOf(service.stop_grace_period);
  if (grace !== undefined) {
    const shutdown = shutdownOf(grace, (reason) => tell('INFO', 'stop_grace_period', reason));
    component.terminationGracePeriodSeconds = shutdown.terminationGracePeriodSeconds;
    if (shutdown.preStopSeconds === 0) component.preStopSeconds = 0;
  }
  if (/^(0|root)(:|$)/.test(textIn(service.user) ?? '')) component.needsRoot = true;
  const links = listOf(service.links).map((link) => textOf(link).split(':')[0]!);
  const dependsOn = [...new Set([...Object.keys(namedOf(service.depends_on)), ...links])];
  if (dependsOn.length > 0) component.dependsOn = dependsOn;
  return { component, storages };
}

function imageOf(name: string, service: Mapping, application: string, tell: ServiceTell): string {
  const image = textIn(service.image)?.trim().replace(/:$/, '');
  if (image) return image;
  if (!isSet(service.build))
    tell('CHANGED', 'image', 'There is neither an image nor a build, and the name of the image is made up.');
  return `${slug(application)}-${slug(name)}:latest`;
}

/** An entrypoint that is empty is none: the command is started as it is. */
function takeCommand(service: Mapping, component: Component, tell: ServiceTell): void {
  const [entrypoint, command] = [commandOf(service.entrypoint), commandOf(service.command)];
  const isNone = service.entrypoint != null && entrypoint === undefined;
  const started = isNone ? command : entrypoint;
  if (started) component.entrypoint = started;
  else if (isNone)
    tell(
      'CHANGED',
      'entrypoint',
      'Without a command, the entrypoint is that of the image: write what is started.',
    );
  if (command && !isNone) component.command = command;
}

function takeSizes(service: Mapping, component: Component, tell: ServiceTell): void {
  const deploy = mappingOf(service.deploy);
  const replicas = textIn(deploy.replicas) ?? textIn(service.scale);
  if (replicas !== undefined) {
    if (/^\d{1,5}$/.test(replicas)) component.replicas = Math.min(10_000, Number(replicas));
    else tell('CHANGED', 'replicas', 'Is no number of instances, and was taken as 1.', replicas);
  }
  const { limits, reservations } = mappingOf(deploy.resources);
  const sizes = {
    cpuMillicores: {
      limit: millicores(mappingOf(limits).cpus) ?? millicores(service.cpus),
      request: millicores(mappingOf(reservations).cpus),
    },
    memoryMiB: {
      limit: mebibytes(mappingOf(limits).memory) ?? mebibytes(service.mem_limit),
      request: mebibytes(mappingOf(reservations).memory) ?? mebibytes(service.mem_reservation),
    },
  };
  for (const field of resources) Object.assign(component, sizeEntry(field, sizeOf(field, sizes[field])));
  tellUnwritten(sizes, (reason) => tell('INFO', 'size', reason));
}

function variablesOf(service: Mapping, project: Project, tell: ServiceTell): Record<string, string> {
  const all = new Map<string, string | null>();
  const { variables: caller } = project;
  for (const item of listOf(service.env_file)) {
    const { path, required, format } = isMapping(item) ? item : ({ path: item } as Mapping);
    const name = textIn(path) ?? '';
    const text = project.readFile(name);
    if (text === undefined) {
      if (textIn(required)?.toLowerCase() !== 'false')
        tell(
          'CHANGED',
          'env_file',
          'Is not below the folder of the Compose file, and its variables are missing.',
          name,
        );
      continue;
    }
    const get = (variable: string) => caller.get(variable) ?? all.get(variable) ?? undefined;
    const read = (lines: string) =>
      readEnv(lines, { ...caller, get }, (line, message) =>
        tell(
          'CHANGED',
          'env_file',
          'Lines that cannot be read were left out.',
          `${name}, line ${line}: ${message}`,
        ),
      );
    const found =
      textIn(format) === 'raw'
        ? pairsOf(text.split(/\r?\n/).filter((line) => /^[^#\s=]+=/.test(line)))
        : read(text);
    for (const [key, value] of Object.entries(found)) all.set(key, value);
  }
  for (const [key, value] of Object.entries(pairsOf(service.environment))) all.set(key, value);
  const variables = new Map<string, string>();
  for (const [key, value] of all) {
    const set = value ?? caller.get(key);
    if (!/^[A-Za-z_][-._A-Za-z0-9]{0,254}$/.test(key))
      tell('CHANGED', 'environment', 'The name is not one of a variable, and was left out.', key);
    else if (set === undefined)
      tell('CHANGED', 'environment', 'The value is that of the environment, where it is not set.', key);
    else if (set.length > 65_536)
      tell('CHANGED', 'environment', 'Values of more than 64 KiB are left out.', key);
    else variables.set(key, set);
  }
  return Object.fromEntries(variables);
}

const everyAddress = /^(0\.0\.0\.0|::|\*)?$/;

/** The ports of a service: the published ones are open to the outside. */
function portsOf(service: Mapping, image: string, tell: ServiceTell): Record<string, PortEntry> {
  const ports = new Map<number, PortEntry>();
  const add = ({ target, protocol, hostAddress, published }: PublishedPort) => {
    const before = ports.get(target);
    if (!/^(tcp|udp|http|grpc)$/.test(protocol))
      tell('LOST', 'ports', 'The protocol is not known, and was taken as TCP.', `${target}/${protocol}`);
    const isOuter = (published !== undefined && !isLoopback(hostAddress)) || before?.isOuter;
    if (published !== undefined && isLoopback(hostAddress))
      tell('INFO', 'ports', 'Ports on the loopback address are open inside only.', String(target));
    else if (published !== undefined && !everyAddress.test(hostAddress ?? ''))
      tell(
        'CHANGED',
        'ports',
        'Ports on an address of the host are open on those of the gateway.',
        `${hostAddress}:${target}`,
      );
    else if (published && published !== String(target))
      tell('INFO', 'ports', 'The gateway gives ports their outer addresses.', `${published}:${target}`);
    const spoken =
      protocol === 'udp' ? 'udp' : protocolOf(target, /^(http|grpc)$/.test(protocol) ? protocol : 'tcp');
    const merged = mergedProtocol(before?.protocol ?? spoken, spoken, (reason) =>
      tell('CHANGED', 'ports', reason, String(target)),
    );
    ports.set(target, { protocol: merged, isInner: true, ...(isOuter && { isOuter }) });
  };
  const addAll = (item: Value, key: string) => {
    const found = portsIn(item);
    if (!found)
      tell('LOST', key, 'Is no port, or a range of more than 1,000, and was left out.', textOf(item));
    // A port of a container alone is published at one of the host that is chosen.
    for (const port of found ?? [])
      add({ ...port, published: key === 'ports' ? (port.published ?? '') : undefined });
  };
  for (const item of listOf(service.ports)) addAll(item, 'ports');
  for (const item of listOf(service.expose)) addAll(item, 'expose');
  if (ports.size === 0) {
    for (const target of knownPortsOf(image))
      add({ target, protocol: 'tcp', hostAddress: undefined, published: undefined });
  }
  if (ports.size > 1_000) tell('LOST', 'ports', 'A component has at most 1,000 ports.');
  const kept = [...ports].slice(0, 1_000);
  return Object.fromEntries(kept.map(([number, port]) => [String(number), port]));
}
