import { type Field, type Model, tableOf } from '../tables.ts';
import type { Dialect } from './dialect.ts';
import { conditions, type Filter, type Key, Params, type Statement } from './statement.ts';

/** Reads rows of a model by the values of one of its fields. */
export interface ByKeys<M extends Model> {
  by: Field<M>;
  keys: readonly Key[];
  where?: readonly Filter<M>[];
}

/** Selects from the rows whose field `by` is one of the keys. */
export function byKeys<M extends Model>(
  dialect: Dialect,
  model: M,
  { by, keys, where }: ByKeys<M>,
  selected: string,
): Statement {
  const params = new Params(dialect);
  const sql = `SELECT ${selected} FROM "${tableOf(model).table}" t WHERE ${params.among(keys, model, by, 't')}${conditions(dialect, params, { model, where })}`;
  return { sql, params: params.values, maxRows: maxRows(model, { by, keys, where }) };
}

/** The number of keys if the field, with the fields that have one value, is unique. Undefined otherwise. */
function maxRows<M extends Model>(model: M, { by, keys, where = [] }: ByKeys<M>): number | undefined {
  const isGiven = (field: string) =>
    field === by || where.some((each) => 'is' in each && each.is !== null && each.field === field);
  return tableOf(model).keys.some((key) => key.every(isGiven)) ? keys.length : undefined;
}
