import { type Field, type Model, tableOf } from '../tables.ts';
import type { Dialect } from './dialect.ts';
import { conditions, type Filter, type Key, name, Params, type Statement } from './statement.ts';

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
  const sql = `SELECT ${selected} FROM "${tableOf(model).table}" t WHERE ${name(model, by, 't')} IN (SELECT key FROM ${params.keys(keys, model, by)})${conditions(dialect, params, { model, where })}`;
  return { sql, params: params.values };
}
