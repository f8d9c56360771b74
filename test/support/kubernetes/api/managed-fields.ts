import { itemKey, resolve, type Schema, schemaOfField, shapeOf } from './schema.ts';
import { failure } from './status.ts';

/** A manager of fields, with the paths that it owns. A step is `f:name`, `k:{…}` or `v:…`. */
export interface Manager {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource?: string;
  time: string;
  fields: Set<string>;
}

const separator = '\n';
const unowned = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'generation']
  .concat('managedFields', 'selfLink', 'deletionTimestamp', 'deletionGracePeriodSeconds')
  .map((name) => `f:metadata${separator}f:${name}`);

/** The paths of an object that can be owned, with their values as JSON. Items of lists have a path of their own. */
export function fieldsOf(object: any, schema: Schema): Map<string, string> {
  const found = new Map<string, string>();
  collect(object, schema, '', found);
  for (const path of ['f:apiVersion', 'f:kind', ...unowned]) found.delete(path);
  for (const path of found.keys())
    if (path === 'f:status' || path.startsWith(`f:status${separator}`)) found.delete(path);
  return found;
}

const below = (path: string, step: string) => (path ? path + separator + step : step);

function collect(value: any, schema: Schema, path: string, found: Map<string, string>): void {
  const { type, keys } = shapeOf(schema);
  if (type === 'map' && Array.isArray(value)) {
    const items = resolve(schema.items);
    for (const item of value) {
      const at = below(path, `k:${itemKey(item, items, keys)}`);
      found.set(at, '');
      collect(item, items, at, found);
    }
  } else if (type === 'set' && Array.isArray(value)) {
    for (const item of value) found.set(below(path, `v:${JSON.stringify(item)}`), '');
  } else if (
    type === 'granular' &&
    value !== null &&
    typeof value === 'object' &&
    Object.keys(value).length
  ) {
    for (const [name, child] of Object.entries(value)) {
      if (child === undefined) continue;
      collect(child, schemaOfField(schema, name) ?? {}, below(path, `f:${name}`), found);
    }
  } else {
    found.set(path, canonical(value));
  }
}

/** JSON that does not depend on the order of names. */
export function canonical(value: any): string {
  return JSON.stringify(value, (_, each) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** The live object with what is applied. */
export function merged(live: any, applied: any, schema: Schema): any {
  if (applied === null) return undefined;
  if (live === undefined || live === null) return structuredClone(applied);
  const { type, keys } = shapeOf(schema);
  if (type === 'granular' && typeof applied === 'object') {
    const result = { ...live };
    for (const [name, value] of Object.entries(applied)) {
      const next = merged(live[name], value, schemaOfField(schema, name) ?? {});
      if (next === undefined) delete result[name];
      else result[name] = next;
    }
    return result;
  }
  if (type === 'set') return [...new Set([...live, ...applied])];
  if (type !== 'map') return structuredClone(applied);
  const items = resolve(schema.items);
  const keyOf = (item: any) => itemKey(item, items, keys);
  const given = new Map<string, any>(applied.map((item: any) => [keyOf(item), item]));
  const kept = live.map((item: any) => {
    const next = given.get(keyOf(item));
    given.delete(keyOf(item));
    return next === undefined ? item : merged(item, next, items);
  });
  return [...kept, ...[...given.values()].map((item) => structuredClone(item))];
}

/** Removes what is at a path, in place. */
export function removeAt(object: any, schema: Schema, path: string): void {
  const steps = path.split(separator);
  let [value, of] = [object, schema];
  for (const [index, step] of steps.entries()) {
    if (value === undefined || value === null) return;
    const isLast = index === steps.length - 1;
    const [mark, name] = [step.slice(0, 2), step.slice(2)];
    if (mark === 'f:') {
      if (isLast) delete value[name];
      of = schemaOfField(of, name) ?? {};
      value = value[name];
      continue;
    }
    const { keys } = shapeOf(of);
    const items = resolve(of.items);
    const at = value.findIndex((item: any) =>
      mark === 'v:' ? JSON.stringify(item) === name : itemKey(item, items, keys) === name,
    );
    if (at < 0) return;
    if (isLast) value.splice(at, 1);
    [value, of] = [value[at], items];
  }
}

/** `.spec.template.spec.containers[name="main"].image` */
const shown = (path: string) =>
  path
    .split(separator)
    .map((step) => {
      if (step.startsWith('f:')) return `.${step.slice(2)}`;
      const key = JSON.parse(step.slice(2));
      if (step.startsWith('v:')) return `[=${JSON.stringify(key)}]`;
      return `[${Object.entries(key)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`;
    })
    .join('');

const nameOf = ({ manager, operation, apiVersion, subresource }: Manager) => {
  if (operation === 'Apply') return JSON.stringify(manager);
  return `${JSON.stringify(manager)}${subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''} using ${apiVersion}`;
};

/** The conflict of an apply with the owners of fields that it would change. */
export function conflictOf(found: readonly { owner: Manager; path: string }[]) {
  const conflicts = [...found].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const causes = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${nameOf(owner)}`,
    field: shown(path),
  }));
  const owners = [...new Set(conflicts.map(({ owner }) => nameOf(owner)))];
  const [only] = causes;
  const text =
    causes.length === 1
      ? `Apply failed with 1 conflict: ${only!.message}: ${only!.field}`
      : `Apply failed with ${causes.length} conflicts: ${owners
          .map((owner) => {
            const fields = conflicts.filter((each) => nameOf(each.owner) === owner);
            return `conflicts with ${owner}:\n${fields.map(({ path }) => `- ${shown(path)}`).join('\n')}`;
          })
          .join('\n')}`;
  return failure(409, 'Conflict', text, { causes });
}

/** `metadata.managedFields` of an object. */
export const managedFields = (managers: readonly Manager[]) =>
  managers
    .filter(({ fields }) => fields.size > 0)
    .map(({ fields, subresource, ...manager }) => ({
      ...manager,
      fieldsType: 'FieldsV1',
      fieldsV1: nested(fields),
      ...(subresource && { subresource }),
    }));

function nested(fields: Set<string>): object {
  const root: any = {};
  for (const path of fields) {
    let at = root;
    for (const step of path.split(separator)) {
      at[step] ??= {};
      at = at[step];
    }
    if (/(^|\n)k:[^\n]*$/.test(path)) at['.'] = {};
  }
  return root;
}

/** Whether a manager owns something at or below a path. */
const ownsBelow = ({ fields }: Manager, path: string) =>
  fields.has(path) || [...fields].some((each) => each.startsWith(path + separator));

/** The paths that a manager gives up, unless somebody else owns them. */
export function givenUp(before: Set<string>, now: ReadonlySet<string>, others: readonly Manager[]): string[] {
  const given = [...before]
    .filter((path) => !now.has(path) && !others.some((other) => ownsBelow(other, path)))
    .filter((path) => ![...now].some((each) => each.startsWith(path + separator)));
  // What is below an item that goes is gone with it.
  return given.filter((path) => !given.some((each) => path.startsWith(each + separator)));
}
