import type { z } from 'zod';
import { itemOf } from './answer.ts';
import { templateComponent } from './template-component.ts';
import { templateNotes } from './template-notes.ts';
import { readProbes } from './template-probe.ts';
import { templateRoute } from './template-route.ts';

/** A key of a template that an install or upgrade does not use. */
export interface OmittedKey {
  /** The name of the component. Null for a key of the template as a whole, or of all components. */
  component: string | null;
  /** The path of the key. `[]` stands for every item of a list. */
  path: string;
  reason: string;
}

/** The most keys that are listed, of which those that lose nothing are at most as many as `moot`. */
export const omittedLimits = { own: 500, moot: 200, pathLength: 200, depth: 8 } as const;

type Schema = z.core.$ZodType;
const definition = (schema: Schema) =>
  schema._zod.def as unknown as {
    type: string;
    shape?: { [key: string]: Schema };
    in?: Schema;
    out?: Schema;
    innerType?: Schema;
  };

/** The part of a value that the parser reads: keys of an object, items of a list, or the whole value. */
type Known = { keys: { [key: string]: Schema } } | { item: Schema } | 'whole';

function knownOf(schema: Schema): Known {
  const item = itemOf(schema);
  if (item) return { item };
  const { type, shape, in: input, out, innerType } = definition(schema);
  if (type === 'object') return { keys: shape! };
  if (innerType) return knownOf(innerType);
  if (type === 'pipe') return knownOf(definition(input!).type === 'transform' ? out! : input!);
  return 'whole';
}

const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Where a value is: its path, and the path with which notes name it. */
interface ValueLocation {
  path: string;
  pattern: string;
  component: string | null;
}

const below = ({ path, pattern, component }: ValueLocation, key: string): ValueLocation => {
  const step = (of: string) => (of === '' ? key : `${of}.${key}`).slice(0, omittedLimits.pathLength);
  return { path: step(path), pattern: step(pattern), component };
};
const each = ({ path, pattern, component }: ValueLocation): ValueLocation => ({
  path: `${path}[]`,
  pattern: `${pattern}[]`,
  component,
});

/** Collects keys, each once for a component, or once for all where nothing is lost. */
function collector() {
  const lost = new Map<string, OmittedKey>();
  const moot = new Map<string, OmittedKey>();
  let more = 0;
  const add = (to: typeof lost, most: number, key: string, omitted: OmittedKey) => {
    if (to.has(key)) return;
    if (to.size < most) to.set(key, omitted);
    else more++;
  };
  return {
    lose: ({ path, component }: Omit<ValueLocation, 'pattern'>, reason: string) =>
      add(lost, omittedLimits.own, `${component}\n${path}`, { component, path, reason }),
    note: (path: string, reason: string) =>
      add(moot, omittedLimits.moot, path, { component: null, path, reason }),
    all(): OmittedKey[] {
      const rest = { component: null, path: '', reason: `${more} more keys are not listed.` };
      return [...lost.values(), ...moot.values(), ...(more > 0 ? [rest] : [])];
    },
  };
}
type Collector = ReturnType<typeof collector>;

/** Reports a key that the parser does not read. Yields for each object. */
function* report(value: unknown, place: ValueLocation, omissions: Collector, depth: number): Generator<void> {
  const note = templateNotes[place.pattern];
  if (!note && isObject(value) && depth < omittedLimits.depth && !isEmpty(value)) {
    yield;
    for (const [key, part] of Object.entries(value))
      yield* report(part, below(place, key), omissions, depth + 1);
    return;
  }
  const reason = note?.reason ?? 'Trellis does not know this key.';
  if (isEmpty(value) || note?.isMoot?.(value)) omissions.note(place.pattern, reason);
  else omissions.lose(place, reason);
}

/** Compares a value with what the parser reads of it. */
function* walk(
  shape: Known,
  value: unknown,
  place: ValueLocation,
  omissions: Collector,
  depth = 0,
): Generator<void> {
  yield;
  if (shape === 'whole') return;
  if ('item' in shape) {
    const item = knownOf(shape.item);
    if (Array.isArray(value))
      for (const one of value) yield* walk(item, one, each(place), omissions, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, part] of Object.entries(value)) {
    const at = below(place, key);
    const schema = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
    if (schema) yield* walk(knownOf(schema), part, at, omissions, depth + 1);
    else yield* report(part, at, omissions, depth + 1);
  }
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * The keys of a sound template that are not used, first those that lose something. What is used is what the schemas of the
 * parser have. `outline` has the keys of the template, and `names` are those of the components, in their order.
 */
export function* omittedIn(
  value: unknown,
  outline: z.ZodObject,
  names: readonly string[],
): Generator<void, OmittedKey[]> {
  const omissions = collector();
  const { apps, ingress_http_routes: routes, ...rest } = value as { [key: string]: unknown };
  const place = { path: '', pattern: '', component: null };
  yield* walk({ keys: outline.shape }, rest, place, omissions);
  const component = knownOf(templateComponent);
  const nameOf = new Map<unknown, string>();
  for (const [index, app] of listed(apps).entries()) {
    const at = { path: `apps[${index}]`, pattern: 'apps[]', component: names[index] ?? null };
    yield* walk(component, app, at, omissions);
    const { probes, service_key } = app as { [key: string]: unknown };
    if (at.component) nameOf.set(service_key, at.component);
    for (const { path, reason } of readProbes(probes).omitted) {
      omissions.lose({ path: `${at.path}.probes${path}`, component: at.component }, reason);
    }
  }
  const route = knownOf(templateRoute);
  for (const [index, entry] of listed(routes).entries()) {
    const key = String((entry as { component_key?: unknown }).component_key);
    const name = nameOf.get(key) ?? nameOf.get(key.split('+')[0]) ?? null;
    const path = `ingress_http_routes[${index}]`;
    yield* walk(route, entry, { path, pattern: 'ingress_http_routes[]', component: name }, omissions);
  }
  return omissions.all();
}
