import type { Field, Model, Part } from '../tables.ts';
import { decoder, fieldsOf } from './decode.ts';
import type { Dialect } from './dialect.ts';
import { type Reader, run } from './reader.ts';
import {
  columnsOf,
  conditions,
  type Key,
  type ListSpec,
  listsOf,
  orderBy,
  Params,
  type Statement,
} from './statement.ts';

/** The rows of a list from an offset, for numbered pages. */
export interface Range {
  offset: number;
  limit: number;
}

export interface RangeOfKey<M extends Model, F extends Field<M> = Field<M>> {
  key: Key;
  spec: ListSpec<M, F>;
  /** Defaults to all rows. */
  range?: Range;
}

export async function findRange<M extends Model, F extends Field<M> = Field<M>>(
  reader: Reader,
  query: RangeOfKey<M, F>,
): Promise<Part<M, F>[]> {
  const { model, fields = fieldsOf(model) } = query.spec;
  const decode = decoder<Part<M, F>>(reader.dialect, model, fields);
  const rows = await run(reader, rangeStatement(reader.dialect, query));
  return rows.map((values) => decode(values, 0));
}

function rangeStatement<M extends Model>(dialect: Dialect, { key, spec, range }: RangeOfKey<M>): Statement {
  const { model, fields = fieldsOf(model) } = spec;
  const { from, parent } = listsOf(dialect, spec);
  const params = new Params(dialect);
  const where = `${parent} = ${params.add(key)}${conditions(dialect, params, spec)}`;
  const part = range ? ` LIMIT ${params.add(range.limit)} OFFSET ${params.add(range.offset)}` : '';
  const sql = `SELECT ${columnsOf(model, fields)} FROM ${from} WHERE ${where} ORDER BY ${orderBy(spec)}${part}`;
  return { sql, params: params.values, maxRows: range?.limit };
}
