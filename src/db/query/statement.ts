import { columnOf, type Field, type Model, tableOf } from '../tables.ts';
import type { Dialect, Joined } from './dialect.ts';

/** A condition on the rows of a model. */
export type Filter<M extends Model> =
  | { field: Field<M>; is: string | number | boolean | null }
  | { field: Field<M>; in: readonly (string | number)[] }
  | { field: Field<M>; notIn: readonly (string | number)[] }
  /** Contains the text, which is already folded. */
  | { field: Field<M>; contains: string }
  /** Contains the text, ignoring the case of the letters from A to Z. */
  | { field: Field<M>; containsAnyCase: string }
  | { field: Field<M>; from: Date | number | string }
  | { field: Field<M>; before: Date | number | string }
  | { any: Filter<M>[] }
  | { all: Filter<M>[] }
  /** A row of `through` whose `on` equals this row's `field` meets the conditions or, with `isNone`, no row does. */
  | ({ field: Field<M>; isNone?: boolean } & Through)
  /** The same, for conditions that few rows meet: these are read once, and not looked up for each row. */
  | ({ field: Field<M>; isReadOnce: true } & Through);

interface Through {
  through: Model;
  on: string;
  // biome-ignore lint/suspicious/noExplicitAny: the conditions are on another model
  where: Filter<any>[];
}

/** How rows belong to their parents: by a column, or through a join table. */
export type Parent<M extends Model> =
  | { field: Field<M> }
  | { through: Model; parent: string; target: string; field: Field<M> };

/** A query for each database, in parentheses. */
export type Source = { readonly [kind in Dialect['kind']]: string };

/** The lists of rows of a kind, one per parent. */
export interface ListSpec<M extends Model, F extends Field<M> = Field<M>> {
  model: M;
  /** A query to read from instead of the model's table. It must have the model's columns. */
  source?: Source;
  parent: Parent<M>;
  /** The fields to sort by. The last one is unique within a list. */
  order: readonly Field<M>[];
  descending?: boolean;
  where?: Filter<M>[];
  /** The columns to read, including those of the order. Defaults to all. */
  fields?: readonly F[];
  /** Set if a list can have millions of rows. */
  growing?: Growing<M>;
}

/** How a list of any length is read with filters. */
export interface Growing<M extends Model> {
  /**
   * The fields of which an index has the rows with equal values, in the order of the list. With other filters, only a limited
   * number of rows is looked at.
   */
  indexed: readonly (readonly Field<M>[])[];
  /** The time of a row, by which a search that was cut says how far it came. */
  time: Field<M>;
  /** Whether its time is rounded, because it can be that of a row that is hidden from the caller. It cannot be a column of the order. */
  hasHidden?: boolean;
}

export type Key = string | number;

/** The maximum size of the caches of texts and decoders. Clients choose the shapes of queries. */
export const maxShapes = 2_000;

/** A statement with placeholders, and their values. */
export interface Statement {
  sql: string;
  params: unknown[];
  /** The most rows that it returns. Undefined if that is not known, or if they can have long texts. */
  maxRows?: number | undefined;
}

/** Collects the parameters of a statement while its text is written. Each is added with its placeholder. */
export class Params {
  readonly values: unknown[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  add(value: unknown): string {
    this.values.push(this.#dialect.encode(value));
    return this.#dialect.placeholder(this.values.length);
  }

  /** A table of keys, which are values of the field. */
  keys(keys: readonly unknown[], model: Model, field: string): string {
    return this.#dialect.keyTable(this.#addList(keys), columnOf(model, field).type);
  }

  /** Whether the field has one of the values. Most reads are of one, which costs less without a table. */
  among(keys: readonly Key[], model: Model, field: string, alias: string): string {
    const column = name(model, field, alias);
    if (keys.length === 1) return `${column} = ${this.add(keys[0])}`;
    return `${column} IN (SELECT key FROM ${this.keys(keys, model, field)})`;
  }

  /** A table of keys with their positions. The keys are values of the field. */
  placedKeys(keys: readonly unknown[], model: Model, field: string): string {
    return this.#dialect.placedKeyTable(this.#addList(keys), columnOf(model, field).type);
  }

  #addList(keys: readonly unknown[]): string {
    this.values.push(this.#dialect.encodeList(keys));
    return this.#dialect.placeholder(this.values.length);
  }
}

export const name = (model: Model, field: string, alias: string) =>
  `${alias}."${columnOf(model, field).column}"`;

export const columnsOf = (model: Model, fields: readonly string[], alias = 't') =>
  fields.map((field) => name(model, field, alias)).join(', ');

/** The FROM clause of lists, with the rows as `t`, and the field with the key of a row's list. */
export interface Lists {
  from: string;
  /** The table of the rows, unless they are from a source. */
  table: string | undefined;
  parent: string;
  keyModel: Model;
  keyField: string;
  /** Set if each row of the join table has many rows of the list, as a membership has the components of its team. */
  joined?: Joined;
}

/** @param needsRows whether the statement uses more of the rows than their number and the key of their list */
export function listsOf<M extends Model>(
  dialect: Dialect,
  { model, source, parent }: Pick<ListSpec<M>, 'model' | 'source' | 'parent'>,
  needsRows = true,
): Lists {
  const table = source ? undefined : `"${tableOf(model).table}" t`;
  const rows = table ?? `${source![dialect.kind]} t`;
  if (!('through' in parent)) {
    return {
      from: rows,
      table,
      parent: name(model, parent.field, 't'),
      keyModel: model,
      keyField: parent.field,
    };
  }
  const join = `"${tableOf(parent.through).table}" j`;
  const on = `${name(model, parent.field, 't')} = ${name(parent.through, parent.target, 'j')}`;
  // Otherwise the join table has as many rows as the list.
  const hasMany = parent.field !== 'id';
  return {
    from: needsRows || hasMany ? `${join} JOIN ${rows} ON ${on}` : join,
    ...(hasMany && table && { joined: { join, on } }),
    table,
    parent: name(parent.through, parent.parent, 'j'),
    keyModel: parent.through,
    keyField: parent.parent,
  };
}

function condition<M extends Model>(
  dialect: Dialect,
  params: Params,
  model: M,
  alias: string,
  filter: Filter<M>,
): string {
  const each = (inner: Filter<M>) => condition(dialect, params, model, alias, inner);
  if ('any' in filter) return `(${filter.any.map(each).join(' OR ') || '1 = 0'})`;
  if ('all' in filter) return `(${filter.all.map(each).join(' AND ')})`;
  const column = name(model, filter.field, alias);
  if ('contains' in filter) return dialect.contains(column, params.add(filter.contains));
  if ('containsAnyCase' in filter) {
    // Both databases lower these letters alone.
    const text = filter.containsAnyCase.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    return dialect.contains(`lower(${column})`, params.add(text));
  }
  if ('in' in filter) return params.among(filter.in, model, filter.field, alias);
  if ('notIn' in filter)
    return `${column} NOT IN (SELECT key FROM ${params.keys(filter.notIn, model, filter.field)})`;
  if ('from' in filter) return `${column} >= ${params.add(filter.from)}`;
  if ('before' in filter) return `${column} < ${params.add(filter.before)}`;
  if ('through' in filter) {
    const inner = `${alias}x`;
    const conditions = filter.where.map((each) =>
      condition(dialect, params, filter.through, inner, each as Filter<Model>),
    );
    const on = name(filter.through, filter.on, inner);
    const from = `"${tableOf(filter.through).table}" ${inner}`;
    if ('isReadOnce' in filter)
      return `${column} IN (SELECT ${on} FROM ${from} WHERE ${conditions.join(' AND ')})`;
    return `${filter.isNone ? 'NOT ' : ''}EXISTS (SELECT 1 FROM ${from} WHERE ${[`${on} = ${column}`, ...conditions].join(' AND ')})`;
  }
  return filter.is === null ? dialect.isNull(column) : `${column} = ${params.add(filter.is)}`;
}

/** The conditions on the rows, each with a leading AND. */
export const conditions = <M extends Model>(
  dialect: Dialect,
  params: Params,
  { model, where = [] }: { model: M; where?: readonly Filter<M>[] },
): string => where.map((each) => ` AND ${condition(dialect, params, model, 't', each)}`).join('');

/** Compares row values in the order of the list: `(a, b) > (x, y)`, or `>=` with `isIncluded`. */
export function position<M extends Model>(
  params: Params,
  spec: Pick<ListSpec<M>, 'model' | 'order' | 'descending'>,
  values: readonly unknown[],
  later: boolean,
  isIncluded = false,
): string {
  const columns = columnsOf(spec.model, spec.order);
  const operator = `${later !== Boolean(spec.descending) ? '>' : '<'}${isIncluded ? '=' : ''}`;
  return ` AND (${columns}) ${operator} (${values.map((value) => params.add(value)).join(', ')})`;
}

export const orderBy = <M extends Model>(
  spec: Pick<ListSpec<M>, 'model' | 'order' | 'descending'>,
  reverse = false,
): string =>
  spec.order
    .map((field) => `${name(spec.model, field, 't')}${reverse !== Boolean(spec.descending) ? ' DESC' : ''}`)
    .join(', ');
