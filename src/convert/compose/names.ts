import { isMapping, listOf, type Mapping, mappingOf, textIn } from '../yaml.ts';
import { textOf } from './merge.ts';
import type { Component, ServiceTell } from './model.ts';
import { protocolOf } from './ports.ts';
import { slug } from './values.ts';

/** Ports of schemes whose addresses mostly leave them out. */
const schemePorts: Readonly<Record<string, number>> = {
  http: 80,
  ws: 80,
  https: 443,
  wss: 443,
  postgres: 5432,
  postgresql: 5432,
  mysql: 3306,
  mariadb: 3306,
  redis: 6379,
  rediss: 6379,
  mongodb: 27_017,
  amqp: 5672,
  nats: 4222,
  ldap: 389,
  smtp: 25,
};

/** A text of a component that can name others. `name` is that of a variable. */
interface Text {
  name: string;
  value: string;
  set(value: string): void;
}

function textsOf(component: Component): Text[] {
  const { variables = {}, volumes = {}, probes = {} } = component;
  const texts: Text[] = Object.entries(variables).map(([name, value]) => ({
    name,
    value,
    set: (changed) => {
      variables[name] = changed;
    },
  }));
  for (const field of ['entrypoint', 'command'] as const) {
    const value = component[field];
    if (!value) continue;
    texts.push({
      ...{ name: '', value },
      set: (changed) => {
        component[field] = changed;
      },
    });
  }
  for (const volume of Object.values(volumes)) {
    if (volume.fileContent === undefined) continue;
    texts.push({
      name: '',
      value: volume.fileContent,
      set: (changed) => {
        volume.fileContent = changed;
      },
    });
  }
  for (const { command } of Object.values(probes) as { command: string[] }[]) {
    command.forEach((value, index) => {
      texts.push({
        name: '',
        value,
        set: (changed) => {
          command[index] = changed;
        },
      });
    });
  }
  return texts;
}

const hostWord =
  '(?:host|hosts|hostname|server|servers|addr|address|addresses|url|uri|endpoint|upstream|broker|brokers|node|nodes|peers|proxy|dsn)';
/** What is before the name of a host: a scheme, a user, or a key that says that a host follows. */
const before = {
  url: /([a-z][\w+.-]*):\/\/(?:[^\s/@'"]*@)?(?:[^\s/'"@]*,)?$/i,
  user: /\w@$/,
  key: new RegExp(
    `(?:^|[\\s_.-])\\w*?${hostWord}\\w*["']?\\s*(?:[:=]>?|\\s)\\s*["']?(?:[\\w.:-]+,\\s*)*$`,
    'i',
  ),
  option: /(?:^|\s)-h\s*["']?$/,
};
/** What follows a port. A colon or an @ would make it a password. */
const afterPort = /^(?![\w@:.-])/;
const isImageName = /IMAGE|VERSION|_TAG$/i;

interface Reference {
  /** The name that is written. */
  name: string;
  at: number;
  port: number | undefined;
}

/** Where a text calls others by one of the names. */
function referencesIn({ name: variable, value }: Text, pattern: RegExp): Reference[] {
  if (isImageName.test(variable)) return [];
  // A file that defines an upstream means it by its name, and not the host.
  const defined = new Set([...value.matchAll(/^\s*upstream\s+(\S+)/gm)].map(([, name]) => name));
  const text = variable ? `${variable}=${value}` : value;
  const offset = text.length - value.length;
  const references: Reference[] = [];
  for (const match of text.matchAll(pattern)) {
    const [all, name = '', digits] = match;
    if (match.index < offset) continue;
    const prefix = text.slice(Math.max(0, match.index - 200), match.index);
    const scheme = before.url.exec(prefix)?.[1]?.toLowerCase();
    const written =
      digits && afterPort.test(text.slice(match.index + all.length)) ? Number(digits) : undefined;
    if (digits && written === undefined) continue;
    const isHost =
      scheme !== undefined ||
      before.user.test(prefix) ||
      before.key.test(prefix) ||
      before.option.test(prefix);
    if (written === undefined && (!isHost || defined.has(name))) continue;
    const port =
      written ??
      (scheme
        ? (schemePorts[scheme.replace(/^.*[+:]/, '')] ?? schemePorts[scheme.replace(/[+:].*$/, '')])
        : undefined);
    references.push({ name, at: match.index - offset, port });
  }
  return references;
}

/** The port in the variable beside one with a host: `DB_PORT` for `DB_HOST`. */
function portBeside(variable: string, component: Component): number | undefined {
  const beside = component.variables?.[variable.replace(/(HOST(NAME)?|SERVER|ADDR(ESS)?)(?=$|_)/i, 'PORT')];
  return /_?(HOST|SERVER|ADDR)/i.test(variable) && /^\d{1,5}$/.test(beside ?? '')
    ? Number(beside)
    : undefined;
}

/** The other names by which a service is called, beside its own. */
function aliasesOf(service: Mapping): string[] {
  const networks = isMapping(service.networks) ? Object.values(service.networks) : [];
  const names = [
    service.container_name,
    service.hostname,
    ...networks.flatMap((network) => listOf(mappingOf(network).aliases)),
  ];
  return names.flatMap((name) => textIn(name) ?? []);
}

const labelOf = (name: string) => {
  const label = slug(name).slice(0, 63).replace(/-+$/, '');
  return /^[a-z]/.test(label) ? label : `s-${label}`.slice(0, 63);
};

/** How many characters of a name are kept before a number that makes it unique. */
const keptLength = 60;

/** A domain name for each service, different from those of the others. */
function labelsOf(names: readonly string[], prefix: string): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  /** The last number that was added to each name. Counting again from 2 takes long if thousands of services have the same one. */
  const numbers = new Map<string, number>();
  return new Map(
    names.map((name) => {
      const wanted = labelOf(prefix + name);
      const kept = wanted.slice(0, keptLength);
      let number = numbers.get(kept) ?? 1;
      let label = wanted;
      while (taken.has(label)) label = `${kept}-${++number}`;
      numbers.set(kept, number);
      taken.add(label);
      return [name, label];
    }),
  );
}

/**
 * Gives components the names and ports by which others call them. Names that are no domain names are changed, and with a prefix all of
 * them, and so is each text that has one.
 */
export function connect(
  components: Readonly<Record<string, Component>>,
  services: ReadonlyMap<string, Mapping>,
  tellOf: (service: string) => ServiceTell,
  prefix: string,
): void {
  const labels = labelsOf([...services.keys()], prefix);
  const targets = new Map<string, string>();
  for (const [name, service] of services) {
    for (const alias of aliasesOf(service)) targets.set(alias, name);
    for (const link of listOf(service.links)) {
      const [other = '', alias] = textOf(link).split(':');
      if (alias && services.has(other)) targets.set(alias, other);
    }
  }
  for (const name of services.keys()) targets.set(name, name);
  const escaped = [...targets.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(?<![\\w.-])(${escaped.join('|')})(?![\\w-]|\\.\\w)(?::(\\d{1,5}))?`, 'g');
  const called = new Map<string, Set<string>>();
  for (const [caller, component] of Object.entries(components)) {
    for (const text of textsOf(component)) {
      let changed = '';
      let from = 0;
      for (const { name, at, port } of referencesIn(text, pattern)) {
        const target = targets.get(name)!;
        const label = labels.get(target)!;
        const callers = called.get(target) ?? new Set();
        called.set(target, callers.add(caller));
        openInside(components[target]!, port ?? portBeside(text.name, component));
        if (name === label) continue;
        changed += text.value.slice(from, at) + label;
        from = at + name.length;
        tellOf(target)(
          name === target && prefix === '' ? 'CHANGED' : 'INFO',
          'name',
          prefix !== ''
            ? 'Is called by its name with the prefix, in the variables, commands, checks and files that have it as well.'
            : name === target
              ? 'Names of services become domain names, in the variables, commands, checks and files that have them as well.'
              : 'Is called by the name of its service, and not by another one.',
          `${name} is ${label}`,
        );
      }
      if (from > 0) text.set(changed + text.value.slice(from));
      else if (prefix !== '' && targets.has(text.value.trim()))
        tellOf(caller)(
          'CHANGED',
          text.name ? 'environment' : 'command',
          'Is the name of a service. If it is a host, write it with the prefix.',
          [text.name, text.value.trim()].filter(Boolean).join('='),
        );
    }
  }
  for (const [name, component] of Object.entries(components)) {
    const callers = [...(called.get(name) ?? [])].filter((caller) => caller !== name);
    if (component.ports) component.serviceName = labels.get(name)!;
    else if (callers.length > 0)
      tellOf(name)(
        'LOST',
        'ports',
        'Is called by others, which do not say at which port. Write the port.',
        callers.join(', '),
      );
  }
}

function openInside(component: Component, port: number | undefined): void {
  if (port === undefined || port < 1 || port > 65_535) return;
  component.ports ??= {};
  const entry = component.ports[port];
  if (entry) entry.isInner = true;
  else component.ports[port] = { protocol: protocolOf(port, 'tcp'), isInner: true };
}
