import { type Field, type Model, type Row, tableOf } from '../tables.ts';
import { type ByKeys, byKeys } from './by-keys.ts';
import { decoder, fieldsOf } from './decode.ts';
import { type Reader, run } from './reader.ts';
import { columnsOf, type Key, name, Params } from './statement.ts';

export interface ManyByKeys<M extends Model> extends ByKeys<M> {
  /** The columns to read. Defaults to all. */
  fields?: readonly Field<M>[];
}

export async function findManyByKeys<M extends Model>(
  reader: Reader,
  model: M,
  query: ManyByKeys<M>,
): Promise<Row<M>[]> {
  if (query.keys.length === 0) return [];
  const fields = query.fields ?? fieldsOf(model);
  const decode = decoder(reader, model, fields);
  const rows = await run(reader, byKeys(reader.dialect, model, query, columnsOf(model, fields)));
  return rows.map((values) => decode(values, 0));
}

export interface WithParents<M extends Model, P extends Model> {
  /** Ids of rows. */
  ids: readonly Key[];
  parent: P;
  /** The field with the id of the parent. */
  on: Field<M>;
}

/** The rows with these ids, each with its parent. */
export async function findManyWithParents<M extends Model, P extends Model>(
  reader: Reader,
  model: M,
  { ids, parent, on }: WithParents<M, P>,
): Promise<[Row<M>, Row<P>][]> {
  if (ids.length === 0) return [];
  const [own, others] = [fieldsOf(model), fieldsOf(parent)];
  const params = new Params(reader.dialect);
  const selected = `${columnsOf(model, own)}, ${columnsOf(parent, others, 'p')}`;
  const from = `"${tableOf(model).table}" t JOIN "${tableOf(parent).table}" p ON ${name(parent, 'id', 'p')} = ${name(model, on, 't')}`;
  const sql = `SELECT ${selected} FROM ${from} WHERE ${name(model, 'id', 't')} IN (SELECT key FROM ${params.keys(ids, model, 'id')})`;
  const rows = await run(reader, { sql, params: params.values });
  const [decode, decodeParent] = [decoder(reader, model, own), decoder(reader, parent, others)];
  return rows.map((values) => [decode(values, 0), decodeParent(values, own.length)]);
}
