import type { Database } from '../open.ts';
import { columnOf, type Field, type Model, tableOf } from '../tables.ts';

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

/** A query in the words of each database, with parentheses around it. */
export type Source = { readonly [kind in Database['dialect']['kind']]: string };

/** Lists of rows, one of every parent. */
export interface ListSpec<M extends Model> {
  model: M;
  /** What the rows are read from, when it is more than the model's table: a query that has the model's columns. */
  source?: Source;
  parent: Parent<M>;
  /** The fields of the order; the last one makes it total. */
  order: readonly Field<M>[];
  descending?: boolean;
  where?: Filter<M>[];
  /** The columns to read, those of the order among them; all by default. */
  fields?: readonly Field<M>[];
}

export type Key = string | number;

/** Texts and decoders that are kept: one for every shape of question, of which documents can ask many. */
export const maxShapes = 2_000;

/** The text of a statement while it is written, and its parameters. */
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

/** What the rows of a list are read from, as `t`. */
export const fromOf = ({ dialect }: Database, { model, source }: { model: Model; source?: Source }) =>
  `${source ? source[dialect.kind] : `"${tableOf(model).table}"`} t`;

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
export function position<M extends Model>(
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
