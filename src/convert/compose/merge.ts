import {
  InputError,
  isMapping,
  isSet,
  listOf,
  type Mapping,
  Marked,
  mappingOf,
  type Value,
} from '../yaml.ts';
import { mountOf } from './mounts.ts';
import { portsIn } from './ports.ts';

type Merge = (base: Value, over: Value, path: readonly string[]) => Value;

/** Pairs as a map, whether they are written as a list or as a map. Null is the value of the caller. */
export function pairsOf(value: Value | undefined): Record<string, string | null> {
  if (isMapping(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, item === null ? null : textOf(item)]),
    );
  }
  return Object.fromEntries(
    listOf(value).map((item) => {
      const [, key, text] = /^([^=]*)(?:=([\s\S]*))?$/.exec(textOf(item))!;
      return [key!, text ?? null];
    }),
  );
}

/** A text, and anything else as JSON. */
export const textOf = (value: Value): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Names as a map, whether they are written as a list or as a map. */
export const namedOf = (value: Value | undefined): Mapping =>
  isMapping(value) ? value : Object.fromEntries(listOf(value).map((item) => [textOf(item), {}]));

const replaced: Merge = (_, over) => over;
const pairs: Merge = (base, over) => ({ ...pairsOf(base), ...pairsOf(over) });
const names: Merge = (base, over, path) => mergeMaps(namedOf(base), namedOf(over), path);
const lists: Merge = (base, over) => [...listOf(base), ...listOf(over)];
/** Of items with the same key, the last one counts. */
const keyed =
  (keyOf: (item: Value) => string): Merge =>
  (base, over) => [
    ...new Map([...listOf(base), ...listOf(over)].map((item) => [keyOf(item), item])).values(),
  ];
const files = (prefix: string) =>
  keyed((item) =>
    textOf(
      isMapping(item)
        ? (item.target ?? `${prefix}${textOf(item.source ?? null)}`)
        : `${prefix}${textOf(item)}`,
    ),
  );

/** How the keys of a service are merged that are not merged as maps and lists are. @see https://github.com/compose-spec/compose-spec/blob/main/13-merge.md */
const ofService: Readonly<Record<string, Merge>> = {
  annotations: pairs,
  build: (base, over, path) => mergeMaps(buildOf(base), buildOf(over), path),
  'build.args': pairs,
  'build.labels': pairs,
  command: replaced,
  configs: files('/'),
  depends_on: names,
  'deploy.labels': pairs,
  devices: lists,
  dns: lists,
  dns_search: lists,
  entrypoint: replaced,
  env_file: keyed((item) => textOf(isMapping(item) ? (item.path ?? null) : item)),
  environment: pairs,
  expose: keyed(textOf),
  extra_hosts: lists,
  'healthcheck.test': replaced,
  label_file: lists,
  labels: pairs,
  networks: names,
  ports: keyed((item) => JSON.stringify(portsIn(item) ?? item)),
  profiles: keyed(textOf),
  secrets: files('/run/secrets/'),
  sysctls: pairs,
  tmpfs: keyed(textOf),
  ulimits: (base, over) => ({ ...mappingOf(base), ...mappingOf(over) }),
  volumes: keyed((item) => mountOf(item).path ?? textOf(item)),
};

const buildOf = (value: Value) => (isMapping(value) ? value : { context: value });

function merged(base: Value, over: Value, path: readonly string[]): Value {
  const special = path[0] === 'services' ? ofService[path.slice(2).join('.')] : undefined;
  if (special) return isSet(base) || isSet(over) ? special(stripped(base), stripped(over), path) : over;
  if (over === null) return base;
  if (isMapping(base) && isMapping(over)) return mergeMaps(base, over, path);
  if (Array.isArray(base) && Array.isArray(over)) return [...base, ...(stripped(over) as Value[])];
  if (base !== null && typeof base === 'object')
    throw new InputError(`${path.join('.')} cannot be merged with another kind of value.`);
  return stripped(over);
}

/** A map with what another one has. `path` says which rules hold, such as `services.web`. */
export function mergeMaps(base: Mapping, over: Mapping, path: readonly string[] = []): Mapping {
  const result = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const before = result.get(key);
    if (value instanceof Marked && value.tag === '!reset') result.delete(key);
    else if (value instanceof Marked || before === undefined) result.set(key, stripped(value));
    else result.set(key, merged(before, value, [...path, key]));
  }
  return Object.fromEntries(result);
}

/** A value without marks, which have no effect where nothing is merged. */
function stripped(value: Value): Value {
  if (value instanceof Marked) return value.tag === '!reset' ? null : stripped(value.value);
  if (Array.isArray(value)) return value.filter((item) => !isReset(item)).map(stripped);
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => !isReset(item))
      .map(([key, item]) => [key, stripped(item)]),
  );
}

const isReset = (value: Value) => value instanceof Marked && value.tag === '!reset';
