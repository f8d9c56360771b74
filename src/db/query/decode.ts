import { memoizeByIdentity } from '../../kernel/memo.ts';
import { compileRecord } from '../../kernel/record.ts';
import { columnOf, type Field, type Model, tableOf } from '../tables.ts';
import type { Dialect } from './dialect.ts';
import { maxShapes } from './statement.ts';

type Decode<R> = (values: unknown[], offset: number) => R;

const decodersOf = memoizeByIdentity((_: Dialect) => new Map<string, Decode<never>>());

const joined = memoizeByIdentity((fields: readonly string[]) => fields.join('.') || '.');

/** Returns a function that makes a row `R` from the values of these fields, starting at an offset. */
export function decoder<R>(dialect: Dialect, model: Model, fields: readonly string[]): Decode<R> {
  const decoders = decodersOf(dialect);
  const key = `${model}.${joined(fields)}`;
  let decode: Decode<R> | undefined = decoders.get(key);
  if (!decode) {
    decode = createDecoder<R>(dialect, model, fields);
    if (decoders.size === maxShapes) decoders.clear();
    decoders.set(key, decode as Decode<never>);
  }
  return decode;
}

const createDecoder = <R>(dialect: Dialect, model: Model, fields: readonly string[]): Decode<R> =>
  compileRecord<Decode<R>>(
    ['values', 'offset'],
    fields.map((field, index) => {
      const { type } = columnOf(model, field);
      const value = `values[offset + ${index}]`;
      return [field, dialect.converts(type) ? `decode(${value}, '${type}')` : value];
    }),
    { decode: dialect.decode },
  );

const namesOf = memoizeByIdentity((columns: object) => Object.keys(columns));

/** The fields of the model, always in the same array, by which texts and decoders are found again. */
export const fieldsOf = <M extends Model>(model: M) => namesOf(tableOf(model).columns) as Field<M>[];
