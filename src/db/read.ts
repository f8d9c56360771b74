/**
 * How a read becomes a statement.
 *
 * Nothing here knows a concept: a read names a model of `prisma/models.prisma`, its fields, filters and
 * order, and the keys it is asked for. The columns come from the table map that `npm run generate` derives
 * from that file; the dialect says the little in which the databases differ. Every statement takes its keys
 * as ONE parameter (`unnest($1)` on Postgres, `json_each(?)` on SQLite), so its text depends on the shape of
 * the question alone, and is prepared once. A page of every parent is one statement as well: a LATERAL
 * subquery per parent on Postgres, ROW_NUMBER() per parent on SQLite. Rows are decoded once, to Prisma's
 * row types.
 */
import { remembered } from '../kernel/batch.ts';
import type { Window } from '../kernel/page.ts';
import type { Database } from './open.ts';
import { columnOf, type Field, type Model, type Row, tableOf } from './tables.ts';

/** A condition on the rows of a model. */
export type Filter<M extends Model> =
  | { field: Field<M>; is: string | number | boolean | null }
  | { field: Field<M>; in: readonly (string | number)[] }
  /** Holds the text, which is already folded. */
  | { field: Field<M>; contains: string }
  | { field: Field<M>; from: Date | number | string }
  | { field: Field<M>; before: Date | number | string }
  | { any: Filter<M>[] }
  /** Some row of `through` whose `on` is this row's `field` fulfils the conditions. */
  // biome-ignore lint/suspicious/noExplicitAny: the conditions are on another model
  | { field: Field<M>; through: Model; on: string; where: Filter<any>[] };

/** How the rows hang on their parents: by a column, or through a table that joins the two. */
export type Parent<M extends Model> =
  | { field: Field<M> }
  | { through: Model; parent: string; target: string; field: Field<M> };

/** Lists of rows, one of every parent. */
export interface ListSpec<M extends Model> {
  model: M;
  parent: Parent<M>;
  /** The fields of the order; the last one makes it total. */
  order: readonly Field<M>[];
  descending?: boolean;
  where?: Filter<M>[];
  /** The columns to read, those of the order among them; all by default. */
  fields?: readonly Field<M>[];
}

type Key = string | number;

/** Texts and decoders that are kept: one for every shape of question, of which documents can ask many. */
const maxShapes = 2_000;

export class Statement {
  text = '';
  readonly params: unknown[] = [];
  readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  param(value: unknown): string {
    this.params.push(this.db.dialect.encode(value));
    return this.db.dialect.placeholder(this.params.length);
  }

  keys(values: readonly unknown[], model: Model, field: string): string {
    this.params.push(this.db.dialect.encodeList(values));
    const placeholder = this.db.dialect.placeholder(this.params.length);
    return this.db.dialect.keyTable(placeholder, columnOf(model, field).type);
  }

  run(): Promise<unknown[][]> {
    return this.db.query(this.text, this.params);
  }
}

export const name = (model: Model, field: string, alias: string) =>
  `${alias}."${columnOf(model, field).column}"`;

function condition<M extends Model>(
  statement: Statement,
  model: M,
  alias: string,
  filter: Filter<M>,
): string {
  if ('any' in filter) {
    return `(${filter.any.map((each) => condition(statement, model, alias, each)).join(' OR ') || '1 = 0'})`;
  }
  const column = name(model, filter.field, alias);
  if ('contains' in filter) return statement.db.dialect.contains(column, statement.param(filter.contains));
  if ('in' in filter) {
    return `${column} IN (SELECT key FROM ${statement.keys(filter.in, model, filter.field)})`;
  }
  if ('from' in filter) return `${column} >= ${statement.param(filter.from)}`;
  if ('before' in filter) return `${column} < ${statement.param(filter.before)}`;
  if ('through' in filter) {
    const inner = `${alias}x`;
    const conditions = filter.where.map((each) => condition(statement, filter.through, inner, each as never));
    const on = name(filter.through, filter.on, inner);
    const from = `"${tableOf(filter.through).table}" ${inner}`;
    return `EXISTS (SELECT 1 FROM ${from} WHERE ${[`${on} = ${column}`, ...conditions].join(' AND ')})`;
  }
  return filter.is === null ? `${column} IS NULL` : `${column} = ${statement.param(filter.is)}`;
}

export function conditions<M extends Model>(
  statement: Statement,
  spec: Pick<ListSpec<M>, 'model' | 'where'>,
): string {
  return (spec.where ?? []).map((each) => ` AND ${condition(statement, spec.model, 't', each)}`).join('');
}

/** Row values compare as the order does: `(a, b) > (x, y)`. */
function position<M extends Model>(
  statement: Statement,
  spec: ListSpec<M>,
  values: unknown[],
  later: boolean,
) {
  const columns = spec.order.map((field) => name(spec.model, field, 't')).join(', ');
  const operator = later !== Boolean(spec.descending) ? '>' : '<';
  return ` AND (${columns}) ${operator} (${values.map((value) => statement.param(value)).join(', ')})`;
}

export const orderBy = <M extends Model>(spec: ListSpec<M>, reverse: boolean, alias: string) =>
  spec.order
    .map((field) => `${name(spec.model, field, alias)}${reverse !== Boolean(spec.descending) ? ' DESC' : ''}`)
    .join(', ');

type Decode<M extends Model> = (values: unknown[], offset: number) => Row<M>;

const decoders = new WeakMap<Database['dialect'], Map<string, Decode<Model>>>();

/** How a row is made of the values of these fields, from an offset on. */
export function decoder<M extends Model>(db: Database, model: M, fields: readonly Field<M>[]): Decode<M> {
  let known = decoders.get(db.dialect);
  if (!known) {
    known = new Map();
    decoders.set(db.dialect, known);
  }
  const key = `${db.guardsRows}.${model}.${fields.join('.')}`;
  let decode = known.get(key);
  if (!decode) {
    decode = createDecoder(db, model, fields);
    if (known.size === maxShapes) known.clear();
    known.set(key, decode);
  }
  return decode as Decode<M>;
}

function createDecoder<M extends Model>(db: Database, model: M, fields: readonly Field<M>[]): Decode<Model> {
  const { decode } = db.dialect;
  const types = fields.map((field) => columnOf(model, field).type);
  const converted = types.map((type) => db.dialect.converts(type));
  const isWhole = fields.length === fieldsOf(model).length;
  return (values, offset) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < fields.length; index++) {
      const value = values[index + offset];
      row[fields[index] as string] = converted[index] ? decode(value, types[index]!) : value;
    }
    return (db.guardsRows && !isWhole ? guarded(model, row) : row) as Row<Model>;
  };
}

/** A row that refuses to be asked for a column that was not read: without this it would look like null. */
function guarded(model: Model, row: object): object {
  const { columns } = tableOf(model);
  return new Proxy(row, {
    get(target, property, receiver) {
      if (typeof property === 'string' && property in columns && !(property in target)) {
        throw new Error(`${model}.${property} was not read: the field that looks at it has to name it.`);
      }
      return Reflect.get(target, property, receiver);
    },
  });
}

export const fieldsOf = <M extends Model>(model: M) => Object.keys(tableOf(model).columns) as Field<M>[];

/** The rows whose `field` is one of `keys`, in no order. */
export async function readByKeys<M extends Model>(
  db: Database,
  model: M,
  field: Field<M>,
  keys: readonly Key[],
  options: { fields?: readonly Field<M>[]; where?: Filter<M>[] } = {},
): Promise<Row<M>[]> {
  if (keys.length === 0) return [];
  const fields = options.fields ?? fieldsOf(model);
  const statement = new Statement(db);
  const columns = fields.map((each) => name(model, each, 't')).join(', ');
  const among = statement.keys(keys, model, field);
  statement.text = `SELECT ${columns} FROM "${tableOf(model).table}" t WHERE ${name(model, field, 't')} IN (SELECT key FROM ${among})${conditions(statement, { model, where: options.where })}`;
  const decode = decoder(db, model, fields);
  return (await statement.run()).map((values) => decode(values, 0));
}

/** A page of rows, and whether the order goes on beyond it on the side that the page was not counted from. */
export interface Slice<T> {
  rows: T[];
  more: boolean;
}

/** The statement of a page of every parent's list. */
function pageStatement<M extends Model>(
  db: Database,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window,
): Statement {
  const { model, parent, fields = fieldsOf(spec.model) } = spec;
  const statement = new Statement(db);
  const columns = fields.map((field) => name(model, field, 't')).join(', ');
  const table = `"${tableOf(model).table}" t`;
  const joined = 'through' in parent;
  const from = joined
    ? `"${tableOf(parent.through).table}" j JOIN ${table} ON ${name(model, parent.field, 't')} = ${name(parent.through, parent.target, 'j')}`
    : table;
  const parentColumn = joined ? name(parent.through, parent.parent, 'j') : name(model, parent.field, 't');
  const among = joined
    ? statement.keys(keys, parent.through, parent.parent)
    : statement.keys(keys, model, parent.field);
  // One more than the page tells whether there is more.
  const limit = window.limit + 1;
  const tail = () =>
    conditions(statement, spec) +
    (window.after ? position(statement, spec, window.after, true) : '') +
    (window.before ? position(statement, spec, window.before, false) : '');
  const order = orderBy(spec, window.fromEnd, 't');
  if (db.dialect.kind === 'postgres') {
    statement.text = `SELECT keys.key, page.* FROM ${among} CROSS JOIN LATERAL (SELECT ${columns} FROM ${from} WHERE ${parentColumn} = keys.key${tail()} ORDER BY ${order} LIMIT ${statement.param(limit)}) page`;
  } else if (keys.length === 1) {
    // One parent needs no numbering, and without it the index ends the read at the limit.
    statement.params.length = 0;
    statement.text = `SELECT ${statement.param(keys[0])}, ${columns} FROM ${from} WHERE ${parentColumn} = ${statement.param(keys[0])}${tail()} ORDER BY ${order} LIMIT ${statement.param(limit)}`;
  } else {
    statement.text = `SELECT * FROM (SELECT ${parentColumn} AS parent_key, ${columns}, ROW_NUMBER() OVER (PARTITION BY ${parentColumn} ORDER BY ${order}) AS place FROM ${from} WHERE ${parentColumn} IN (SELECT key FROM ${among})${tail()}) WHERE place <= ${statement.param(limit)} ORDER BY parent_key, place`;
  }
  return statement;
}

/** What tells a page's statement from others: all but values. */
const shapeOf = remembered(({ model, parent, order, descending, fields }: ListSpec<Model>) =>
  JSON.stringify([model, parent, order, descending, fields]),
);

const texts = new Map<string, string>();

/** The same statement, its text made once for all lists without conditions, whose values are these alone. */
function knownPageStatement<M extends Model>(
  db: Database,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window,
): Statement {
  if (spec.where?.length) return pageStatement(db, spec, keys, window);
  const { kind } = db.dialect;
  const isSingle = kind === 'sqlite' && keys.length === 1;
  const key = `${kind}${isSingle}${window.fromEnd}${!window.after}${!window.before}${shapeOf(spec as never)}`;
  const text = texts.get(key);
  if (!text) {
    const made = pageStatement(db, spec, keys, window);
    if (texts.size === maxShapes) texts.clear();
    texts.set(key, made.text);
    return made;
  }
  const statement = new Statement(db);
  statement.text = text;
  if (isSingle) statement.params.push(keys[0], keys[0]);
  else statement.params.push(db.dialect.encodeList(keys));
  for (const value of [...(window.after ?? []), ...(window.before ?? []), window.limit + 1]) {
    statement.params.push(db.dialect.encode(value));
  }
  return statement;
}

/** The same page of every parent's list, in one statement. A parent without rows is left out. */
export async function readPages<M extends Model>(
  db: Database,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window,
): Promise<Map<Key, Slice<Row<M>>>> {
  const pages = new Map<Key, Slice<Row<M>>>();
  if (keys.length === 0) return pages;
  const { model, fields = fieldsOf(spec.model) } = spec;
  const statement = knownPageStatement(db, spec, keys, window);
  const decode = decoder(db, model, fields);
  for (const values of await statement.run()) {
    const key = values[0] as Key;
    let page = pages.get(key);
    if (!page) {
      page = { rows: [], more: false };
      pages.set(key, page);
    }
    if (page.rows.length < window.limit) page.rows.push(decode(values, 1));
    else page.more = true;
  }
  if (window.fromEnd) for (const page of pages.values()) page.rows.reverse();
  return pages;
}

/** How many rows every parent's list has; a parent without rows is left out. */
export async function readCounts<M extends Model>(
  db: Database,
  spec: Pick<ListSpec<M>, 'model' | 'parent' | 'where'>,
  keys: readonly Key[],
): Promise<Map<Key, number>> {
  if (keys.length === 0) return new Map();
  const { model, parent } = spec;
  const statement = new Statement(db);
  const joined = 'through' in parent;
  const table = `"${tableOf(model).table}" t`;
  const from = !joined
    ? table
    : spec.where?.length
      ? `"${tableOf(parent.through).table}" j JOIN ${table} ON ${name(model, parent.field, 't')} = ${name(parent.through, parent.target, 'j')}`
      : `"${tableOf(parent.through).table}" j`;
  const parentColumn = joined ? name(parent.through, parent.parent, 'j') : name(model, parent.field, 't');
  const among = joined
    ? statement.keys(keys, parent.through, parent.parent)
    : statement.keys(keys, model, parent.field);
  statement.text = `SELECT ${parentColumn}, count(*) FROM ${from} WHERE ${parentColumn} IN (SELECT key FROM ${among})${conditions(statement, spec)} GROUP BY ${parentColumn}`;
  return new Map((await statement.run()).map(([key, count]) => [key as Key, Number(count)]));
}

/** Sums of products of columns, grouped: `sums: { cpu: ['replicas', 'cpuMillicores'] }`. */
export async function readSums<M extends Model, S extends string>(
  db: Database,
  spec: {
    model: M;
    by: readonly Field<M>[];
    sums: Record<S, readonly Field<M>[]>;
    where?: Filter<M>[];
  },
  keys: readonly Key[],
): Promise<{ by: Key[]; sums: Record<S, number> }[]> {
  if (keys.length === 0) return [];
  const statement = new Statement(db);
  const groups = spec.by.map((field) => name(spec.model, field, 't')).join(', ');
  const names = Object.keys(spec.sums) as S[];
  // Floating point holds every product of two 32-bit integers that a cluster could have.
  const sums = names
    .map((each) =>
      spec.sums[each].map((field) => `CAST(${name(spec.model, field, 't')} AS REAL)`).join(' * '),
    )
    .map(
      (product) =>
        `sum(${product.replaceAll('REAL', statement.db.dialect.kind === 'postgres' ? 'float8' : 'REAL')})`,
    );
  const first = spec.by[0]!;
  const among = statement.keys(keys, spec.model, first);
  statement.text = `SELECT ${[groups, ...sums].join(', ')} FROM "${tableOf(spec.model).table}" t WHERE ${name(spec.model, first, 't')} IN (SELECT key FROM ${among})${conditions(statement, spec)} GROUP BY ${groups}`;
  return (await statement.run()).map((values) => ({
    by: values.slice(0, spec.by.length) as Key[],
    sums: Object.fromEntries(
      names.map((each, index) => [each, Number(values[spec.by.length + index])]),
    ) as Record<S, number>,
  }));
}
