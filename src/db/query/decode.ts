import { memoizeByIdentity } from '../../kernel/memo.ts';
import { compileRecord } from '../../kernel/record.ts';
import { columnOf, type Field, type Model, type Row, tableOf } from '../tables.ts';
import type { Dialect } from './dialect.ts';
import type { Reader } from './reader.ts';
import { maxShapes } from './statement.ts';

/** The parts of a reader that decoding depends on. */
type Decoding = Pick<Reader, 'dialect' | 'guardsRows'>;

type Decode<M extends Model> = (values: unknown[], offset: number) => Row<M>;

const decoders = new WeakMap<Dialect, Map<string, Decode<Model>>>();

const joined = memoizeByIdentity((fields: readonly string[]) => fields.join('.') || '.');

/** Returns a function that makes a row from the values of these fields, starting at an offset. */
export function decoder<M extends Model>(db: Decoding, model: M, fields: readonly Field<M>[]): Decode<M> {
  let known = decoders.get(db.dialect);
  if (!known) {
    known = new Map();
    decoders.set(db.dialect, known);
  }
  const key = `${db.guardsRows}.${model}.${joined(fields)}`;
  let decode = known.get(key);
  if (!decode) {
    decode = createDecoder(db, model, fields) as Decode<Model>;
    if (known.size === maxShapes) known.clear();
    known.set(key, decode);
  }
  return decode as Decode<M>;
}

function createDecoder<M extends Model>(db: Decoding, model: M, fields: readonly Field<M>[]): Decode<M> {
  // The decoder is cached, so it must not reference the database, which can belong to one request.
  const { dialect, guardsRows } = db;
  const { decode } = dialect;
  const row = compileRecord<Decode<M>>(
    ['values', 'offset'],
    fields.map((field, index) => {
      const { type } = columnOf(model, field);
      const value = `values[offset + ${index}]`;
      return [field, dialect.converts(type) ? `decode(${value}, '${type}')` : value];
    }),
    { decode },
  );
  if (!guardsRows || fields.length === fieldsOf(model).length) return row;
  return (values, offset) => guarded(model, row(values, offset)) as Row<M>;
}

/** A row that throws when a column is accessed that was not read, which would otherwise look like null. */
function guarded(model: Model, row: object): object {
  const { columns } = tableOf(model);
  return new Proxy(row, {
    get(target, property, receiver) {
      if (typeof property === 'string' && property in columns && !(property in target)) {
        throw new Error(
          `${model}.${property} was not read. The field that uses it must list it in "columns".`,
        );
      }
      return Reflect.get(target, property, receiver);
    },
  });
}

const namesOf = memoizeByIdentity((columns: object) => Object.keys(columns));

/** The fields of the model, always in the same array, by which texts and decoders are found again. */
export const fieldsOf = <M extends Model>(model: M) => namesOf(tableOf(model).columns) as Field<M>[];
