import type { Dialect } from '../dialect.ts';
import { columnOf, type Field, type Model, type Row, tableOf } from '../tables.ts';
import type { Reader } from './reader.ts';
import { maxShapes } from './statement.ts';

/** What decides how values become rows. */
type Decoding = Pick<Reader, 'dialect' | 'guardsRows'>;

type Decode<M extends Model> = (values: unknown[], offset: number) => Row<M>;

const decoders = new WeakMap<Dialect, Map<string, Decode<Model>>>();

/** How a row is made of the values of these fields, from an offset on. */
export function decoder<M extends Model>(db: Decoding, model: M, fields: readonly Field<M>[]): Decode<M> {
  let known = decoders.get(db.dialect);
  if (!known) {
    known = new Map();
    decoders.set(db.dialect, known);
  }
  const key = `${db.guardsRows}.${model}.${fields.join('.')}`;
  let decode = known.get(key);
  if (!decode) {
    decode = createDecoder(db, model, fields);
    if (known.size === maxShapes) known.clear();
    known.set(key, decode);
  }
  return decode as Decode<M>;
}

function createDecoder<M extends Model>(db: Decoding, model: M, fields: readonly Field<M>[]): Decode<Model> {
  // Not the database itself, which may be that of one request: the decoder is kept.
  const { dialect, guardsRows } = db;
  const { decode } = dialect;
  const types = fields.map((field) => columnOf(model, field).type);
  const converted = types.map((type) => dialect.converts(type));
  const isWhole = fields.length === fieldsOf(model).length;
  return (values, offset) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < fields.length; index++) {
      const value = values[index + offset];
      row[fields[index] as string] = converted[index] ? decode(value, types[index]!) : value;
    }
    return (guardsRows && !isWhole ? guarded(model, row) : row) as Row<Model>;
  };
}

/** A row that refuses to be asked for a column that was not read: without this it would look like null. */
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

export const fieldsOf = <M extends Model>(model: M) => Object.keys(tableOf(model).columns) as Field<M>[];
