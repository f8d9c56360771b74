import type { Database } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import type { Model, Row } from '../tables.ts';
import { decoder, fieldsOf } from './decode.ts';
import type { List } from './list.ts';
import { columnsOf, conditions, listsOf, orderBy, Params, run, type Statement } from './statement.ts';

/** Rows of a list, counted from its start: what a numbered page is. */
export interface Range {
  offset: number;
  limit: number;
}

/**
 * The rows of one parent's list in its order, in one statement: those of the range, or all of them. For lists
 * of one parent alone; pages of many are read by `readPages`.
 */
export async function readRange<M extends Model>(
  db: Database,
  list: List<M>,
  range?: Range,
): Promise<Row<M>[]> {
  const { model, fields = fieldsOf(model) } = list.spec;
  const decode = decoder(db, model, fields);
  const rows = await run(db, rangeStatement(db.dialect, list, range));
  return rows.map((values) => decode(values, 0));
}

function rangeStatement<M extends Model>(dialect: Dialect, { key, spec }: List<M>, range?: Range): Statement {
  const { model, fields = fieldsOf(model) } = spec;
  const { from, parent } = listsOf(dialect, spec);
  const params = new Params(dialect);
  const where = `${parent} = ${params.add(key)}${conditions(dialect, params, spec)}`;
  const part = range ? ` LIMIT ${params.add(range.limit)} OFFSET ${params.add(range.offset)}` : '';
  const sql = `SELECT ${columnsOf(model, fields)} FROM ${from} WHERE ${where} ORDER BY ${orderBy(spec)}${part}`;
  return { sql, params: params.values };
}
