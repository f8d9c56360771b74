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

import type { Database } from '../open.ts';
import { type Field, type Model, type Row, tableOf } from '../tables.ts';
import { decoder, fieldsOf } from './decode.ts';
import { conditions, type Filter, fromOf, type Key, type ListSpec, name, Statement } from './statement.ts';

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

/** How many rows every parent's list has; a parent without rows is left out. */
export async function readCounts<M extends Model>(
  db: Database,
  spec: Pick<ListSpec<M>, 'model' | 'source' | 'parent' | 'where'>,
  keys: readonly Key[],
): Promise<Map<Key, number>> {
  if (keys.length === 0) return new Map();
  const { model, parent } = spec;
  const statement = new Statement(db);
  const joined = 'through' in parent;
  const table = fromOf(db, spec);
  const from = !joined
    ? table
    : spec.where?.length
      ? `"${tableOf(parent.through).table}" j JOIN ${table} ON ${name(model, parent.field, 't')} = ${name(parent.through, parent.target, 'j')}`
      : `"${tableOf(parent.through).table}" j`;
  const parentColumn = joined ? name(parent.through, parent.parent, 'j') : name(model, parent.field, 't');
  const among = joined
    ? statement.keys(keys, parent.through, parent.parent)
    : statement.keys(keys, model, parent.field);
  statement.text =
    spec.source && db.dialect.kind === 'postgres'
      ? // Postgres does not look for many keys at once in the parts of a UNION, but for one after the other.
        `SELECT keys.key, counted.count FROM ${among} CROSS JOIN LATERAL (SELECT count(*) AS count FROM ${from} WHERE ${parentColumn} = keys.key${conditions(statement, spec)}) counted`
      : `SELECT ${parentColumn}, count(*) FROM ${from} WHERE ${parentColumn} IN (SELECT key FROM ${among})${conditions(statement, spec)} GROUP BY ${parentColumn}`;
  return new Map((await statement.run()).map(([key, count]) => [key as Key, Number(count)]));
}

/** How many characters a field has in these rows together. */
export async function readTextSize<M extends Model>(
  db: Database,
  model: M,
  field: Field<M>,
  ids: readonly Key[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const statement = new Statement(db);
  const among = statement.keys(ids, model, 'id');
  statement.text = `SELECT sum(length(${name(model, field, 't')})) FROM "${tableOf(model).table}" t WHERE ${name(model, 'id', 't')} IN (SELECT key FROM ${among})`;
  const [row] = await statement.run();
  return Number(row?.[0] ?? 0);
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
  const real = db.dialect.kind === 'postgres' ? 'float8' : 'REAL';
  const sums = names.map((each) => {
    const factors = spec.sums[each].map((field) => `CAST(${name(spec.model, field, 't')} AS ${real})`);
    return `sum(${factors.join(' * ')})`;
  });
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
