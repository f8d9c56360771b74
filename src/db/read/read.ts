/**
 * How a read becomes a statement.
 *
 * No file here knows a concept: a read names a model of `prisma/models.prisma`, its fields, filters and order,
 * and the keys it is asked for. The columns come from the table map that `npm run generate` derives from that
 * file (`tables.ts`); the dialect says the little in which the databases differ (`dialect.ts`); filters and
 * orders are written the same for every read (`statement.ts`). Every statement takes its keys as ONE parameter
 * (`unnest($1)` on Postgres, `json_each(?)` on SQLite), so its text depends on the shape of the question alone,
 * and is prepared once. A page of every parent is one statement as well (`pages.ts`): a LATERAL subquery per
 * parent on Postgres, ROW_NUMBER() per parent on SQLite. It goes straight to the driver (`open.ts`), on Postgres
 * behind others on the same connection (`pipeline.ts`). Rows are decoded once, to Prisma's row types
 * (`decode.ts`); what asks for the same rows in one tick of a request shares a statement (`list.ts`).
 */

import type { Database } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import { type Field, type Model, type Row, tableOf } from '../tables.ts';
import { decoder, fieldsOf } from './decode.ts';
import {
  columnsOf,
  conditions,
  type Filter,
  type Key,
  type ListSpec,
  listsOf,
  name,
  Params,
  run,
  type Statement,
} from './statement.ts';

/** The rows of a model whose `field` is one of `keys`: what a statement on them begins and ends with. */
function byKeys<M extends Model>(
  dialect: Dialect,
  selected: string,
  { model, field, where }: { model: M; field: Field<M>; where?: readonly Filter<M>[] },
  keys: readonly Key[],
): Statement {
  const params = new Params(dialect);
  const sql = `SELECT ${selected} FROM "${tableOf(model).table}" t WHERE ${name(model, field, 't')} IN (SELECT key FROM ${params.keys(keys, model, field)})${conditions(dialect, params, { model, where })}`;
  return { sql, params: params.values };
}

/** The rows whose `field` is one of `keys`, in no order. */
export async function readByKeys<M extends Model>(
  db: Database,
  model: M,
  field: Field<M>,
  keys: readonly Key[],
  { fields = fieldsOf(model), where }: { fields?: readonly Field<M>[]; where?: Filter<M>[] } = {},
): Promise<Row<M>[]> {
  if (keys.length === 0) return [];
  const decode = decoder(db, model, fields);
  const rows = await run(db, byKeys(db.dialect, columnsOf(model, fields), { model, field, where }, keys));
  return rows.map((values) => decode(values, 0));
}

type Counted<M extends Model> = Pick<ListSpec<M>, 'model' | 'source' | 'parent' | 'where'>;

/** How many rows every parent's list has; a parent without rows is left out. */
export async function readCounts<M extends Model>(
  db: Database,
  spec: Counted<M>,
  keys: readonly Key[],
): Promise<Map<Key, number>> {
  if (keys.length === 0) return new Map();
  const rows = await run(db, countStatement(db.dialect, spec, keys));
  return new Map(rows.map(([key, count]) => [key as Key, Number(count)]));
}

function countStatement<M extends Model>(
  dialect: Dialect,
  spec: Counted<M>,
  keys: readonly Key[],
): Statement {
  const { from, parent, keyModel, keyField } = listsOf(dialect, spec, Boolean(spec.where?.length));
  const params = new Params(dialect);
  const among = params.keys(keys, keyModel, keyField);
  const where = conditions(dialect, params, spec);
  return {
    sql: dialect.counts(among, { from, parent, where, isUnion: spec.source !== undefined }),
    params: params.values,
  };
}

/** How many characters a field has in these rows together. */
export async function readTextSize<M extends Model>(
  db: Database,
  model: M,
  field: Field<M>,
  ids: readonly Key[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const size = `sum(length(${name(model, field, 't')}))`;
  const [row] = await run(db, byKeys(db.dialect, size, { model, field: 'id' as Field<M> }, ids));
  return Number(row?.[0] ?? 0);
}

interface Sums<M extends Model, S extends string> {
  model: M;
  /** The fields to group by; the keys are values of the first. */
  by: readonly [Field<M>, ...Field<M>[]];
  /** What is added up: products of fields. */
  sums: Record<S, readonly Field<M>[]>;
  where?: Filter<M>[];
}

/** Sums of products of columns, grouped: `sums: { cpu: ['replicas', 'cpuMillicores'] }`. */
export async function readSums<M extends Model, S extends string>(
  db: Database,
  spec: Sums<M, S>,
  keys: readonly Key[],
): Promise<{ by: Key[]; sums: Record<S, number> }[]> {
  if (keys.length === 0) return [];
  const names = Object.keys(spec.sums) as S[];
  const width = spec.by.length;
  return (await run(db, sumStatement(db.dialect, spec, keys))).map((values) => ({
    by: values.slice(0, width) as Key[],
    sums: Object.fromEntries(names.map((each, index) => [each, Number(values[width + index])])) as Record<
      S,
      number
    >,
  }));
}

function sumStatement<M extends Model, S extends string>(
  dialect: Dialect,
  { model, by, sums, where }: Sums<M, S>,
  keys: readonly Key[],
): Statement {
  const groups = columnsOf(model, by);
  // Floating point holds every product of two 32-bit integers that a cluster could have.
  const factor = (field: Field<M>) => `CAST(${name(model, field, 't')} AS ${dialect.float})`;
  const products = (Object.values(sums) as Field<M>[][]).map((fields) => fields.map(factor).join(' * '));
  const selected = [groups, ...products.map((product) => `sum(${product})`)].join(', ');
  const { sql, params } = byKeys(dialect, selected, { model, field: by[0], where }, keys);
  return { sql: `${sql} GROUP BY ${groups}`, params };
}
