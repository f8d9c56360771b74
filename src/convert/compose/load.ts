import type { Note } from '../claims.ts';
import { type Files, pathIn } from '../files.ts';
import {
  InputError,
  isMapping,
  listOf,
  type Mapping,
  Marked,
  mappingOf,
  readYaml,
  textIn,
  type Value,
} from '../yaml.ts';
import { readEnv } from './env.ts';
import { interpolated, type Variables } from './interpolate.ts';
import { mergeMaps, textOf } from './merge.ts';
import { mountOf } from './mounts.ts';

interface ComposeSource {
  name: string;
  text: string;
}

export interface ComposeInput {
  /** The Compose files, in the order in which they are merged. */
  sources: readonly ComposeSource[];
  /** What is beside the first of them. */
  files: Files;
  /** The absolute path of the folder, as which a resolved file names what is in it. */
  folder?: string;
  env: Readonly<Record<string, string | undefined>>;
  profiles?: readonly string[];
}

/** A Compose file as Compose understands it: interpolated, merged, extended, with what it includes. */
export interface Project {
  model: Mapping;
  /** The services that the active profiles have, by name. */
  services: ReadonlyMap<string, Mapping>;
  variables: Variables;
  readFile(name: string): string | undefined;
}

export type Tell = (note: Note) => void;

/** Files that a project reads, so that files that include each other in turn have an end. */
const maxFiles = 100;
/** Services that extend each other in turn. */
const maxChain = 100;
const dangling = 'What it names cannot be read, so that its part is missing.';

/** Loads Compose files. @see https://github.com/compose-spec/compose-spec/blob/main/spec.md */
export function loadProject(input: ComposeInput, tell: Tell): Project {
  const loader = new Loader(input, tell);
  const { env } = input;
  const variables = loader.variablesWith((name) => env[name], '', ['.env']);
  const model = loader.load(input.sources, '', variables, []);
  if (!isMapping(model.services)) {
    throw new InputError(`${input.sources[0]!.name} is not a Compose file: it has no services.`);
  }
  const profiles =
    input.profiles ?? (variables.get('COMPOSE_PROFILES') ?? '').split(',').map((each) => each.trim());
  const services = new Map<string, Mapping>();
  for (const [name, service] of Object.entries(model.services)) {
    const own = listOf(mappingOf(service).profiles).map(textOf);
    if (own.length === 0 || profiles.includes('*') || own.some((profile) => profiles.includes(profile)))
      services.set(name, mappingOf(service));
    else {
      const reason = 'Services whose profiles are not active are left out. Choose profiles with --profile.';
      tell({ grade: 'INFO', subject: name, key: 'profiles', reason, detail: own.join(', ') });
    }
  }
  return { model, services, variables, readFile: (name) => loader.textAt('', name) };
}

class Loader {
  readonly #input: ComposeInput;
  readonly #tell: Tell;
  readonly #done = new WeakMap<Mapping, Map<string, Mapping>>();
  #count = 0;

  constructor(input: ComposeInput, tell: Tell) {
    this.#input = input;
    this.#tell = tell;
  }

  textAt(folder: string, name: string): string | undefined {
    const path = pathIn(folder, name);
    const entry = path === undefined ? undefined : this.#input.files.get(path);
    return typeof entry === 'string' ? entry : undefined;
  }

  /** The variables of the caller, and then those of environment files. */
  variablesWith(get: Variables['get'], folder: string, paths: readonly string[]): Variables {
    const wrong = (key: string, reason: string) => (detail: string) =>
      this.#tell({ grade: 'CHANGED', subject: null, key, reason, detail });
    const unset = wrong('variables', 'Have no value here, and were taken as empty.');
    const caller: Variables = {
      get,
      isUnset: (name, message) => unset(message ? `${name}: ${message}` : name),
      isWrong: wrong('variables', 'References that cannot be read were left as they are.'),
    };
    const values: Record<string, string> = {};
    for (const path of paths) {
      const text = this.textAt(folder, path);
      if (text === undefined) continue;
      const before: Variables = { ...caller, get: (name) => get(name) ?? values[name] };
      const refuse = (line: number, message: string) =>
        wrong('env_file', 'Lines that cannot be read were left out.')(`${path}, line ${line}: ${message}`);
      Object.assign(values, readEnv(text, before, refuse));
    }
    return {
      ...caller,
      get: (name) => get(name) ?? (Object.hasOwn(values, name) ? values[name] : undefined),
    };
  }

  /** The model of files that are merged, whose paths are relative to a folder. */
  load(
    sources: readonly ComposeSource[],
    folder: string,
    variables: Variables,
    chain: readonly string[],
  ): Mapping {
    let model: Mapping = {};
    for (const source of sources) {
      const read = this.#read(source, folder, variables);
      const services = mappingOf(read.services);
      const extended = Object.fromEntries(
        Object.keys(services).map((name) => [
          name,
          this.#extended(name, services, { file: source.name, folder, variables }, []),
        ]),
      );
      model = mergeMaps(model, isMapping(read.services) ? { ...read, services: extended } : read);
    }
    const { include, ...own } = model;
    return listOf(include).reduce<Mapping>(
      (all, item) => this.#including(all, item, folder, variables, chain),
      own,
    );
  }

  #read({ name, text }: ComposeSource, folder: string, variables: Variables): Mapping {
    if (++this.#count > maxFiles)
      throw new InputError(`More than ${maxFiles} files are included or extended.`);
    const [document = null, ...others] = readYaml(text, name);
    if (others.length > 0) throw new InputError(`${name} has several documents.`);
    if (!isMapping(document)) throw new InputError(`${name} is not a Compose file: it has no services.`);
    return rebased(interpolated(document, variables) as Mapping, folder);
  }

  #including(
    model: Mapping,
    item: Value,
    folder: string,
    variables: Variables,
    chain: readonly string[],
  ): Mapping {
    const { path, project_directory, env_file } = isMapping(item) ? item : { path: item };
    const names = listOf(path).map(textOf);
    const sources: ComposeSource[] = [];
    for (const name of names) {
      const text = this.textAt(folder, name);
      if (text === undefined) this.#missing(null, 'include', name);
      else sources.push({ name: pathIn(folder, name)!, text });
    }
    const [main] = sources;
    if (!main) return model;
    if (chain.includes(main.name)) throw new InputError(`${main.name} includes itself.`);
    const below = textIn(project_directory);
    const own = (below === undefined ? pathIn(main.name, '..') : pathIn(folder, below)) ?? '.';
    const inner =
      env_file === undefined
        ? this.variablesWith(variables.get, own, ['.env'])
        : this.variablesWith(variables.get, folder, listOf(env_file).map(textOf));
    const included = this.load(sources, own, inner, [...chain, main.name]);
    return mergeMaps(included, model);
  }

  #missing(subject: string | null, key: string, detail: string): void {
    this.#tell({ grade: 'CHANGED', subject, key, reason: dangling, detail });
  }

  /** A service with what it takes over from others, of which many can extend one. */
  #extended(
    name: string,
    services: Mapping,
    at: { file: string; folder: string; variables: Variables },
    chain: readonly string[],
  ): Mapping {
    const done = this.#done.get(services) ?? new Map<string, Mapping>();
    this.#done.set(services, done);
    const extended = done.get(name) ?? this.#extend(name, services, at, chain);
    done.set(name, extended);
    return extended;
  }

  #extend(
    name: string,
    services: Mapping,
    at: { file: string; folder: string; variables: Variables },
    chain: readonly string[],
  ): Mapping {
    const { extends: from, ...own } = mappingOf(services[name]);
    if (from === undefined || from === null) return own;
    const link = `${at.file}: ${name}`;
    if (chain.includes(link)) throw new InputError(`The service ${name} extends itself.`);
    if (chain.length >= maxChain) throw new InputError(`More than ${maxChain} services extend each other.`);
    const { service, file } = isMapping(from) ? from : { service: from };
    const target = textOf(service ?? null);
    let base: Mapping | undefined;
    if (textIn(file) === undefined) {
      base = Object.hasOwn(services, target)
        ? this.#extended(target, services, at, [...chain, link])
        : undefined;
    } else {
      const path = pathIn(at.folder, textIn(file)!);
      const text = path === undefined ? undefined : this.textAt('', path);
      if (path !== undefined && text !== undefined) {
        const folder = pathIn(path, '..')!;
        const others = mappingOf(this.#read({ name: path, text }, folder, at.variables).services);
        if (Object.hasOwn(others, target))
          base = this.#extended(target, others, { ...at, file: path, folder }, [...chain, link]);
      }
    }
    if (base) return mergeMaps(base, own, ['services', name]);
    this.#missing(name, 'extends', [textIn(file), target].filter(Boolean).join(': '));
    return own;
  }
}

/** A value with a mark is changed below it. */
const within = (value: Value, change: (value: Value) => Value): Value =>
  value instanceof Marked ? new Marked(value.tag, change(value.value)) : change(value);

/** A map whose values at a path of keys are changed; `*` is each key. */
function changedAt(value: Value, [key, ...rest]: readonly string[], change: (value: Value) => Value): Value {
  if (key === undefined) return within(value, change);
  return within(value, (inner) => {
    if (!isMapping(inner)) return inner;
    const isHere = (name: string) => key === '*' || name === key;
    return Object.fromEntries(
      Object.entries(inner).map(([name, item]) => [
        name,
        isHere(name) ? changedAt(item, rest, change) : item,
      ]),
    );
  });
}

/** What a file in a folder says, with paths from the folder of the project. */
function rebased(model: Mapping, folder: string): Mapping {
  if (folder === '' || folder === '.') return model;
  const below = (value: Value) =>
    typeof value === 'string' && !/^[/~\\]|^[a-z]:[/\\]/i.test(value) ? `./${folder}/${value}` : value;
  const ofItem = (key: string) => (item: Value) =>
    isMapping(item) ? { ...item, [key]: below(item[key] ?? null) } : below(item);
  const each = (change: (item: Value) => Value) => (value: Value) =>
    Array.isArray(value) ? value.map((item) => within(item, change)) : change(value);
  const mount = (item: Value) => {
    if (mountOf(item).type !== 'bind') return item;
    return isMapping(item) || textOf(item).startsWith('.') ? ofItem('source')(item) : item;
  };
  const changes: [path: string, change: (value: Value) => Value][] = [
    ['services.*.env_file', each(ofItem('path'))],
    ['services.*.volumes', each(mount)],
    ['configs.*.file', below],
  ];
  return changes.reduce<Value>(
    (all, [path, change]) => changedAt(all, path.split('.'), change),
    model,
  ) as Mapping;
}
