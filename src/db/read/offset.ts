import type { Database } from '../open.ts';
import { type Model, type Row, tableOf } from '../tables.ts';
import { decoder, fieldsOf } from './decode.ts';
import type { List } from './list.ts';
import { conditions, name, orderBy, Statement } from './statement.ts';

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
  { key, spec }: List<M>,
  range?: Range,
): Promise<Row<M>[]> {
  const { model, parent, fields = fieldsOf(model) } = spec;
  const statement = new Statement(db);
  const columns = fields.map((field) => name(model, field, 't')).join(', ');
  const table = `"${tableOf(model).table}" t`;
  const [from, parentColumn] =
    'through' in parent
      ? [
          `"${tableOf(parent.through).table}" j JOIN ${table} ON ${name(model, parent.field, 't')} = ${name(parent.through, parent.target, 'j')}`,
          name(parent.through, parent.parent, 'j'),
        ]
      : [table, name(model, parent.field, 't')];
  const where = `${parentColumn} = ${statement.param(key)}${conditions(statement, spec)}`;
  const part = range ? ` LIMIT ${statement.param(range.limit)} OFFSET ${statement.param(range.offset)}` : '';
  statement.text = `SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${orderBy(spec, false, 't')}${part}`;
  const decode = decoder(db, model, fields);
  return (await statement.run()).map((values) => decode(values, 0));
}
