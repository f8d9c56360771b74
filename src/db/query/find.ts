import { memoizeByIdentity } from '../../kernel/memo.ts';
import { type Field, largeAmong, type Model, type Part, type Row, tableOf } from '../tables.ts';
import { type ByKeys, byKeys } from './by-keys.ts';
import { decoder, fieldsOf } from './decode.ts';
import type { Dialect } from './dialect.ts';
import { type Reader, run } from './reader.ts';
import { columnsOf, type Key, name, Params } from './statement.ts';

export interface ManyByKeys<M extends Model, F extends Field<M> = Field<M>> extends ByKeys<M> {
  /** The columns to read. Defaults to all. */
  fields?: readonly F[];
}

export async function findManyByKeys<M extends Model, F extends Field<M> = Field<M>>(
  reader: Reader,
  model: M,
  query: ManyByKeys<M, F>,
): Promise<Part<M, F>[]> {
  if (query.keys.length === 0) return [];
  const fields = query.fields ?? fieldsOf(model);
  const decode = decoder<Part<M, F>>(reader.dialect, model, fields);
  const statement = byKeys(reader.dialect, model, query, columnsOf(model, fields));
  if (largeAmong(model, 'id' as Field<M>, fields).length > 0) statement.maxRows = undefined;
  const rows = await run(reader, statement);
  return rows.map((values) => decode(values, 0));
}

/** Which parents are read with a row. Use the same object each time: what it stands for is worked out once. */
interface Ancestry<M extends Model, P extends Model> {
  model: M;
  /** Each with the field that has its id, of the row or of an earlier parent. */
  parents: readonly { parent: P; of: M | P; on: string }[];
}

/** A row and its parents, by the names of their models. */
export type Family<M extends Model> = { [N in M]: Row<N> };

export interface WithParents<M extends Model, P extends Model> {
  ids: readonly Key[];
  ancestry: Ancestry<M, P>;
}

/** The rows with these ids, each with its parents. */
export async function findManyWithParents<M extends Model, P extends Model>(
  reader: Reader,
  { ids, ancestry }: WithParents<M, P>,
): Promise<Family<M | P>[]> {
  if (ids.length === 0) return [];
  const { dialect } = reader;
  const { ofOne, ofMany, familyOf } = familyRead(dialect)(ancestry);
  const [sql, param] = ids.length === 1 ? [ofOne, ids[0]] : [ofMany, dialect.encodeList(ids)];
  const rows = await run(reader, { sql, params: [param], maxRows: ids.length });
  return rows.map(familyOf) as Family<M | P>[];
}

/** How a family is read: the texts of the statement, whose parameter is one id or a list, and what makes it of the values. */
const familyRead = memoizeByIdentity((dialect: Dialect) =>
  memoizeByIdentity(({ model, parents }: Ancestry<Model, Model>) => {
    const models = [model, ...parents.map(({ parent }) => parent)];
    // Tables are named as the models.
    const column = (each: Model, field: string) => name(each, field, `"${each}"`);
    const table = (each: Model) => `"${tableOf(each).table}" "${each}"`;
    const joins = parents.map(
      ({ parent, of, on }) => ` JOIN ${table(parent)} ON ${column(parent, 'id')} = ${column(of, on)}`,
    );
    const selected = models.flatMap((each) => fieldsOf(each).map((field) => column(each, field)));
    const textFor = (keys: readonly Key[]) =>
      `SELECT ${selected.join(', ')} FROM ${table(model)}${joins.join('')} WHERE ${new Params(dialect).among(keys, model, 'id', `"${model}"`)}`;
    let length = 0;
    const members = models.map((each) => {
      const fields = fieldsOf(each);
      const at = length;
      length += fields.length;
      return { model: each, at, decode: decoder<never>(dialect, each, fields) };
    });
    return {
      ofOne: textFor(['']),
      ofMany: textFor(['', '']),
      familyOf(values: unknown[]): Family<Model> {
        const family: Partial<Family<Model>> = {};
        for (const { model, at, decode } of members) family[model] = decode(values, at);
        return family as Family<Model>;
      },
    };
  }),
);
