import { inputs } from 'virtual:schema';
import { strings } from '../strings.ts';
import type { ObjectSchema, Schema } from './schema.ts';
import { chosenOf, type Field, type Value, type Values } from './values.ts';

type Input = { [name: string]: unknown };
type Texts = { readonly [path: string]: string | undefined };

/** The fields of a form, and the differences from the schema. `Name` is a field of the input. */
export interface FormOptions<Name extends string = string> {
  /** The paths of the fields that are shown at first, in this order, and fields that the input does not have. */
  first: readonly (Name | `${Name}.${string}` | Field)[];
  /** The paths of those that are folded away. `rest` stands for all others. */
  more?: readonly string[];
  /** Those that the rest does not include. */
  omit?: readonly string[];
  labels?: Texts;
  /** Shown in place of all descriptions. */
  hints?: Texts;
  /** Other differences from the schema, by path. Those of the fields of rows have the path of the list before them. */
  fields?: { readonly [path: string]: Partial<Field> | undefined };
  /** The object that is changed: its values are those of the fields, and only what differs is sent. */
  current?: object;
  /** The values of the fields at first, all of which are sent. */
  initial?: object;
  /** The input that fields do not have as it is sent. */
  also?(values: Values, input: Input): object;
}

/** Fields that no form has. */
const never = /^(?:dryRun|expected\w*Revision)$/;

/** A form for an input type, made from its JSON Schema. */
export function inputForm(
  type: string,
  {
    first,
    more = [],
    omit = [],
    labels = {},
    hints,
    fields: given = {},
    current,
    initial = current,
    also,
  }: FormOptions,
) {
  const all = flatten(objectOf(type), '', true);
  const named = new Set<unknown>([...first, ...more, ...omit]);
  const rest = [...all.keys()].filter((path) => !named.has(path));
  const paths = [...first, ...more.flatMap((path) => (path === 'rest' ? rest : [path]))];
  const fields = paths.flatMap((path): Field[] => {
    if (typeof path !== 'string') return [path];
    const property = all.get(path);
    if (!property) throw new Error(`${type} has no ${path}.`);
    const isMore = !first.includes(path);
    const field = fieldOf(path, property, initial && (at(initial, path) ?? null), given);
    // A reference to an object needs a field of its own.
    if (!field && !given[path]) return [];
    const texts = { label: labels[path] ?? labelOf(path), ...(hints && { hint: hints[path] }) };
    return [{ name: path, ...field, ...texts, ...(isMore && { isMore }), ...given[path] }];
  });
  return {
    fields,
    /** The input, without what was left empty and, for an object that is changed, what is as it was. */
    input(values: Values) {
      const input = inputOf(
        fields.filter((field) => !first.includes(field)),
        values,
        current !== undefined,
      );
      return { ...input, ...also?.(values, input) };
    },
  };
}

function objectOf(type: string): ObjectSchema {
  const schema = inputs[type];
  if (!schema) throw new Error(`There is no input type ${type}.`);
  return schema;
}

interface Found extends Schema {
  isRequired: boolean;
}

/** The fields of an input by path. Those of objects in it are fields of their own. */
function flatten(schema: ObjectSchema, prefix: string, isRequired: boolean): Map<string, Found> {
  const byPath = new Map<string, Found>();
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!property || never.test(name)) continue;
    const path = prefix + name;
    const isNeeded = isRequired && schema.required.includes(name);
    if (!property.$ref || property.$ref.endsWith('Ref'))
      byPath.set(path, { ...property, isRequired: isNeeded });
    else
      for (const [inner, each] of flatten(objectOf(property.$ref), `${path}.`, isNeeded))
        byPath.set(inner, each);
  }
  return byPath;
}

/** Undefined for what has no field by itself. */
function fieldOf(
  path: string,
  schema: Found,
  current: unknown,
  given: NonNullable<FormOptions['fields']>,
): Omit<Field, 'name' | 'label'> | undefined {
  const group = path.includes('.') ? labelOf(path.slice(0, path.lastIndexOf('.'))) : undefined;
  const base = {
    ...hintOf(schema),
    ...(/\bNull (?:removes|empties)/.test(schema.description ?? '') && { isNullable: true }),
    ...(group && { group }),
    ...(schema.isRequired && { required: true }),
  };
  const value = current === undefined ? undefined : scalarOf(current);
  if (schema.enum) {
    const options = schema.enum.map((each) => ({ value: each, text: sentence(each.toLowerCase()) }));
    const isFree = !schema.isRequired && !schema.default && !value;
    return {
      ...base,
      kind: 'select',
      options: isFree ? [{ value: '', text: strings.form.unset }, ...options] : options,
      value: value ?? schema.default ?? (isFree ? '' : schema.enum[0]!),
    };
  }
  switch (schema.type) {
    case 'boolean':
      return { ...base, kind: 'checkbox', type: 'boolean', value: value ?? schema.default === 'true' };
    case 'integer':
    case 'number':
      return { ...base, kind: 'number', type: schema.type, value: value ?? '', ...placeholder(schema) };
    case 'string':
      return { ...base, type: 'string', value: value ?? '', ...placeholder(schema) };
    case 'array':
      return listField(path, schema, base, current, given);
    default:
      return undefined;
  }
}

const omissions =
  /(?:^| )(?:(?:Null|The empty string) [^.]*|Set to the empty string [^.]*|(?:Unchanged|Not changed) if omitted[^.]*)\./g;
const defaults = /(?:^| )Defaults to [^.]*\./;

/** The description without what a form shows by itself. */
function hintOf({ description = '', default: given }: Schema) {
  const hint = description
    .replace(omissions, '')
    .replace(given === undefined ? '' : defaults, '')
    .replaceAll('`', '')
    .trim();
  return hint ? { hint } : {};
}

const placeholder = ({ default: given }: Schema) => (given === undefined ? {} : { placeholder: given });

function listField(
  list: string,
  { items }: Schema,
  base: object,
  current: unknown,
  given: NonNullable<FormOptions['fields']>,
) {
  const rows = Array.isArray(current) ? current : [];
  if (items?.type === 'string' && !items.enum)
    return { ...base, kind: 'lines' as const, value: rows.join('\n') };
  if (!items?.$ref || items.$ref.endsWith('Ref')) return undefined;
  const fields = [...flatten(objectOf(items.$ref), '', true)].flatMap(([path, found]): Field[] => {
    const field = fieldOf(path, found, undefined, {});
    const more = given[`${list}.${path}`];
    return field ? [{ name: path, label: labelOf(path), ...field, hint: undefined, ...more }] : [];
  });
  return { ...base, kind: 'rows' as const, fields, value: rows.map((row) => rowOf(fields, row)) };
}

const rowOf = (fields: readonly Field[], row: object): Values =>
  Object.fromEntries(
    fields.map(({ name, value = '' }) => {
      const current = at(row, name);
      return [name, current === undefined ? value : (scalarOf(current) ?? '')];
    }),
  );

const scalarOf = (value: unknown): string | boolean | undefined =>
  typeof value === 'boolean'
    ? value
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : undefined;

const at = (object: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], object);

function inputOf(fields: readonly Field[], values: Values, isChange: boolean): Input {
  const input: Input = {};
  for (const field of fields) {
    const value = values[field.name] ?? field.value ?? '';
    const before = field.value ?? '';
    const isSame = JSON.stringify(value) === JSON.stringify(before);
    if (isChange && isSame && !field.required) continue;
    const sent = sentOf(field, value);
    // A value that was emptied is removed, one that was always empty is left to the server.
    if (sent !== undefined) put(input, field.name, sent);
    else if (isChange && !isSame)
      put(input, field.name, field.type === 'string' && !field.isNullable ? '' : null);
  }
  return input;
}

function sentOf(field: Field, value: Value): unknown {
  switch (field.kind) {
    case 'checkbox':
      return value === true;
    case 'rows':
      return (value as readonly Values[]).length === 0 && !field.value
        ? undefined
        : (value as readonly Values[]).map((row) => inputOf(field.fields ?? [], row, false));
    case 'choices':
      return chosenOf(value);
    case 'lines': {
      const lines = String(value)
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean);
      return lines.length === 0 ? undefined : lines;
    }
    default: {
      const text =
        field.kind === 'area' || field.kind === 'file' || field.kind === 'password'
          ? String(value)
          : String(value).trim();
      if (text === '') return field.required || field.sendsEmpty ? '' : undefined;
      if (field.ref) return { [field.ref]: text };
      return field.type === 'integer' || field.type === 'number' ? Number(text) : text;
    }
  }
}

function put(input: Input, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop()!;
  let object = input;
  for (const name of names) {
    object[name] ??= {};
    object = object[name] as Input;
  }
  object[last] = value;
}

/** `cpuMillicores` as `CPU, in millicores`; `probes.http.path` as `Path`. */
function labelOf(path: string): string {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return strings.form.labels[name] ?? sentence(name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase());
}

const sentence = (text: string) => {
  const words = text
    .replaceAll('_', ' ')
    .replace(/\b(cpu|http|https|tcp|udp|url|tls|ssl|grpc|api|id)\b/g, (word) => word.toUpperCase());
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};
