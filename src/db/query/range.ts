import { memoizeByIdentity } from '../../kernel/memo.ts';
import type { Model, Row } from '../tables.ts';
import { decoder, fieldsOf } from './decode.ts';
import type { Dialect } from './dialect.ts';
import { type Reader, run } from './reader.ts';
import {
  columnsOf,
  comparedFields,
  comparedValues,
  conditions,
  type Filter,
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

export interface RangeOfKey<M extends Model> {
  key: Key;
  spec: ListSpec<M>;
  /** Defaults to all rows. */
  range?: Range;
}

export async function findRange<M extends Model>(reader: Reader, query: RangeOfKey<M>): Promise<Row<M>[]> {
  const { model, fields = fieldsOf(model) } = query.spec;
  const decode = decoder(reader, model, fields);
  const rows = await run(reader, statementOf(reader.dialect, query));
  return rows.map((values) => decode(values, 0));
}

/** The texts of whole lists, by what is read. */
const textsOf = memoizeByIdentity((_fields: readonly string[]) => new Map<string, string>());

function statementOf<M extends Model>(dialect: Dialect, query: RangeOfKey<M>): Statement {
  const { key, spec, range } = query;
  const { model, parent, order, descending, source, fields = fieldsOf(model), where = [] } = spec;
  const filters = where as readonly Filter<Model>[];
  const compared = comparedFields(filters);
  if (range || source || compared === undefined) return rangeStatement(dialect, query);
  const shape = [dialect.kind, model, ...Object.values(parent), order, descending, compared].join();
  const texts = textsOf(fields);
  let sql = texts.get(shape);
  if (sql === undefined) {
    sql = rangeStatement(dialect, query).sql;
    texts.set(shape, sql);
  }
  return { sql, params: [dialect.encode(key), ...comparedValues(dialect, filters)] };
}

function rangeStatement<M extends Model>(dialect: Dialect, { key, spec, range }: RangeOfKey<M>): Statement {
  const { model, fields = fieldsOf(model) } = spec;
  const { from, parent } = listsOf(dialect, spec);
  const params = new Params(dialect);
  const where = `${parent} = ${params.add(key)}${conditions(dialect, params, spec)}`;
  const part = range ? ` LIMIT ${params.add(range.limit)} OFFSET ${params.add(range.offset)}` : '';
  const sql = `SELECT ${columnsOf(model, fields)} FROM ${from} WHERE ${where} ORDER BY ${orderBy(spec)}${part}`;
  return { sql, params: params.values };
}
