import type { Field, Model, Row } from '../tables.ts';
import { type ByKeys, byKeys } from './by-keys.ts';
import { decoder, fieldsOf } from './decode.ts';
import { type Reader, run } from './reader.ts';
import { columnsOf } from './statement.ts';

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
