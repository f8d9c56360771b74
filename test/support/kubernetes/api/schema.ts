import { readFileSync } from 'node:fs';
import type { Kind } from './kinds.ts';
import { otherSchemas } from './other-schemas.ts';
import { type Cause, invalidValue, notSupported, required } from './status.ts';

/** A schema of OpenAPI, with the extensions of Kubernetes. */
export type Schema = Record<string, any>;

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const file = read('schemas.json');
/** Of autoscaling, batch and policy, as they were recorded later. */
const more = read('schemas-more.json');
Object.assign(file.schemas, more.schemas);
Object.assign(file.kinds, more.kinds);
export const schemas: Record<string, Schema> = file.schemas;
const meta: Schema = { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };

/** The schema that a reference stands for. */
export const resolve = (schema: Schema | undefined): Schema =>
  schema?.$ref ? (file.schemas[schema.$ref.split('/').at(-1)] ?? {}) : (schema ?? {});

const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

/** The recorded schema of a built-in kind; undefined if it was not recorded. */
export const kindSchema = (kind: string): Schema | undefined => file.schemas[file.kinds[kind]];

/** The schema of a kind. Kinds that were not recorded accept anything. */
export function schemaOf({ kind, isCustom }: Kind): Schema {
  if (!isCustom) return file.schemas[file.kinds[kind]] ?? anything;
  const schema = file.customResources[kind]?.schema ?? otherSchemas[kind];
  return { ...schema, properties: { ...schema.properties, metadata: meta } };
}

/** How server-side apply treats a value. */
export function shapeOf(schema: Schema): { type: 'map' | 'set' | 'atomic' | 'granular'; keys: string[] } {
  if (schema.type === 'array') {
    const keys = schema['x-kubernetes-list-map-keys'];
    if (keys) return { type: 'map', keys };
    const isMerged = schema['x-kubernetes-patch-strategy']?.includes('merge');
    const key = schema['x-kubernetes-patch-merge-key'];
    if (schema['x-kubernetes-list-type'] === 'atomic' || !isMerged) return { type: 'atomic', keys: [] };
    return key ? { type: 'map', keys: [key] } : { type: 'set', keys: [] };
  }
  const isObject = schema.properties || schema.additionalProperties || schema === anything;
  const isAtomic = schema['x-kubernetes-map-type'] === 'atomic' || !isObject;
  return { type: isAtomic ? 'atomic' : 'granular', keys: [] };
}

/** The schema of a field; undefined if the schema does not declare it. */
export function schemaOfField(schema: Schema, name: string): Schema | undefined {
  if (schema.properties?.[name]) return resolve(schema.properties[name]);
  if (schema.additionalProperties) return resolve(schema.additionalProperties);
  return schema['x-kubernetes-preserve-unknown-fields'] ? anything : undefined;
}

const isQuantity = (schema: Schema) => schema.oneOf?.some(({ type }: Schema) => type === 'number');

/** What an apply that does not match the schema is refused with. */
export function typeError(value: any, schema: Schema, path = ''): string | undefined {
  if (value === null || schema['x-kubernetes-preserve-unknown-fields'] || schema.oneOf) return undefined;
  if (schema.type === 'array') return arrayError(value, schema, path);
  if (schema.type === 'object') {
    if (typeof value !== 'object' || Array.isArray(value))
      return `${path}: expected map, got ${typeof value}`;
    if (!schema.properties && !schema.additionalProperties) return undefined;
    for (const [name, child] of Object.entries(value)) {
      const of = schemaOfField(schema, name);
      if (!of) return `${path}.${name}: field not declared in schema`;
      const error = typeError(child, of, `${path}.${name}`);
      if (error) return error;
    }
    return undefined;
  }
  const [expected, told] = {
    string: ['string', 'string'],
    integer: ['number', 'numeric (int or float)'],
    number: ['number', 'numeric (int or float)'],
    boolean: ['boolean', 'boolean'],
  }[schema.type as string] ?? [typeof value, ''];
  return typeof value === expected ? undefined : `${path}: expected ${told}, got ${typeof value}`;
}

function arrayError(value: any, schema: Schema, path: string): string | undefined {
  if (!Array.isArray(value)) return `${path}: expected list, got ${typeof value}`;
  const items = resolve(schema.items);
  const { type, keys } = shapeOf(schema);
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const error = typeError(item, items, `${path}[${index}]`);
    if (error) return error;
    if (type !== 'map') continue;
    const key = itemKey(item, items, keys);
    if (seen.has(key)) return `${path}: duplicate entries for key [${keyText(JSON.parse(key))}]`;
    seen.add(key);
  }
  return undefined;
}

/** What identifies an item of a list, as JSON with sorted names. */
export function itemKey(item: any, items: Schema, keys: readonly string[]): string {
  const found = [...keys].sort().flatMap((key) => {
    const value = item?.[key] ?? items.properties?.[key]?.default;
    return value === undefined || value === '' ? [] : [[key, value]];
  });
  return JSON.stringify(Object.fromEntries(found));
}

const keyText = (key: Record<string, unknown>) =>
  Object.entries(key)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',');

/** The first quantity that is none. */
export function quantityError(value: any, schema: Schema): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (isQuantity(schema)) {
    return /^[+-]?[0-9.]+([eEinumkKMGTP]*[-+]?[0-9]*)$/.test(String(value))
      ? undefined
      : "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  if (Array.isArray(value)) {
    return value.map((item) => quantityError(item, resolve(schema.items))).find(Boolean);
  }
  if (typeof value !== 'object') return undefined;
  return Object.entries(value)
    .map(([name, child]) => quantityError(child, schemaOfField(schema, name) ?? {}))
    .find(Boolean);
}

/** The fields that a schema does not declare are dropped, in place. Answers the first of them. */
export function dropUnknown(value: any, schema: Schema, path = ''): string | undefined {
  if (value === null || typeof value !== 'object' || schema['x-kubernetes-preserve-unknown-fields'])
    return undefined;
  let found: string | undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      found ??= dropUnknown(item, resolve(schema.items), `${path}[${index}]`);
    return found;
  }
  if (!schema.properties && !schema.additionalProperties) return undefined;
  for (const name of Object.keys(value)) {
    const at = path ? `${path}.${name}` : name;
    const of = schemaOfField(schema, name);
    const unknown = of ? dropUnknown(value[name], of, at) : at;
    if (!of) delete value[name];
    found = found ?? unknown;
  }
  return found;
}

/** Changes each quantity of an object with `change`, in place. */
export function mapQuantities(value: any, schema: Schema, change: (quantity: unknown) => string): void {
  if (value === null || typeof value !== 'object') return;
  for (const name of Object.keys(value)) {
    const of = Array.isArray(value) ? resolve(schema.items) : (schemaOfField(schema, name) ?? {});
    if (isQuantity(of) && value[name] !== null) value[name] = change(value[name]);
    else mapQuantities(value[name], of, change);
  }
}

/** Fills in the defaults of a custom resource, in place. */
export function fillDefaults(value: any, schema: Schema): void {
  if (Array.isArray(value)) for (const item of value) fillDefaults(item, resolve(schema.items));
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
  for (const [name, raw] of Object.entries<Schema>(schema.properties ?? {})) {
    const of = resolve(raw);
    if (value[name] === undefined && of.default !== undefined && name !== 'metadata') {
      value[name] = structuredClone(of.default);
    }
    if (value[name] !== undefined && name !== 'metadata') fillDefaults(value[name], of);
  }
}

/** What is wrong with a custom resource, apart from its rules in CEL. */
export function schemaCauses(value: any, schema: Schema, path = ''): Cause[] {
  const at = (name: string) => (path ? `${path}.${name}` : name);
  const causes: Cause[] = [];
  if (schema.enum && !schema.enum.includes(value)) return [notSupported(path, value, schema.enum)];
  const bad = (why: string) =>
    causes.push(invalidValue(path, JSON.stringify(value), `${path} in body ${why}`));
  if (schema.pattern && !new RegExp(schema.pattern).test(value)) bad(`should match '${schema.pattern}'`);
  if (schema.minimum !== undefined && value < schema.minimum)
    bad(`should be greater than or equal to ${schema.minimum}`);
  if (schema.maximum !== undefined && value > schema.maximum)
    bad(`should be less than or equal to ${schema.maximum}`);
  if (schema.maxLength !== undefined && value.length > schema.maxLength)
    bad(`should be at most ${schema.maxLength} chars long`);
  if (schema.minLength !== undefined && value.length < schema.minLength)
    bad(`should be at least ${schema.minLength} chars long`);
  if (Array.isArray(value)) {
    if (schema.minItems !== undefined && value.length < schema.minItems)
      bad(`should have at least ${schema.minItems} items`);
    if (schema.maxItems !== undefined && value.length > schema.maxItems)
      bad(`should have at most ${schema.maxItems} items`);
    for (const [index, item] of value.entries()) {
      causes.push(...schemaCauses(item, resolve(schema.items), `${path}[${index}]`));
    }
  } else if (value !== null && typeof value === 'object') {
    for (const name of schema.required ?? []) if (value[name] === undefined) causes.push(required(at(name)));
    for (const [name, child] of Object.entries(value)) {
      if (name === 'metadata') continue;
      causes.push(...schemaCauses(child, schemaOfField(schema, name) ?? {}, at(name)));
    }
  }
  return causes;
}
