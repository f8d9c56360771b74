import { memoizeByIdentity } from '../../kernel/memo.ts';
import type { Dialect } from '../dialect.ts';
import { columnOf, type Field, type Model, type Row, tableOf } from '../tables.ts';
import { type ByKeys, byKeys } from './by-keys.ts';
import { decoder, fieldsOf } from './decode.ts';
import { type Reader, run } from './reader.ts';
import { columnsOf, type Key, name } from './statement.ts';

export interface ManyByKeys<M extends Model> extends ByKeys<M> {
  /** The columns to read. Defaults to all. */
  fields?: readonly Field<M>[];
}

export async function findManyByKeys<M extends Model>(
  reader: Reader,
  model: M,
  query: ManyByKeys<M>,
): Promise<Row<M>[]> {
  if (query.keys.length === 0) return [];
  const fields = query.fields ?? fieldsOf(model);
  const decode = decoder(reader, model, fields);
  const rows = await run(reader, byKeys(reader.dialect, model, query, columnsOf(model, fields)));
  return rows.map((values) => decode(values, 0));
}

/** Which parents are read with a row. Use the same object each time: what it stands for is worked out once. */
export interface Ancestry<M extends Model, P extends Model> {
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
  const params = [reader.dialect.encodeList(ids)];
  const rows = await run(reader, { sql: familyText(reader.dialect)(ancestry), params });
  return rows.map(familyOf(reader, ancestry));
}

const modelsOf = <M extends Model, P extends Model>({ model, parents }: Ancestry<M, P>): (M | P)[] => [
  model,
  ...parents.map(({ parent }) => parent),
];

/** The text of the statement. Its parameter is a list of ids. Tables are named as the models. */
export const familyText = memoizeByIdentity((dialect: Dialect) =>
  memoizeByIdentity((ancestry: Ancestry<Model, Model>) => {
    const { model, parents } = ancestry;
    const column = (each: Model, field: string) => name(each, field, `"${each}"`);
    const table = (each: Model) => `"${tableOf(each).table}" "${each}"`;
    const joins = parents.map(
      ({ parent, of, on }) => ` JOIN ${table(parent)} ON ${column(parent, 'id')} = ${column(of, on)}`,
    );
    const selected = modelsOf(ancestry).flatMap((each) => fieldsOf(each).map((field) => column(each, field)));
    const keys = dialect.keyTable(dialect.placeholder(1), columnOf(model, 'id').type);
    return `SELECT ${selected.join(', ')} FROM ${table(model)}${joins.join('')} WHERE ${column(model, 'id')} IN (SELECT key FROM ${keys})`;
  }),
);

/** Makes the rows of a family from the values of the statement. */
export function familyOf<M extends Model, P extends Model>(
  reader: Pick<Reader, 'dialect' | 'guardsRows'>,
  ancestry: Ancestry<M, P>,
): (values: unknown[]) => Family<M | P> {
  let length = 0;
  const members = modelsOf(ancestry).map((model) => {
    const fields = fieldsOf(model);
    const at = length;
    length += fields.length;
    return { model, at, decode: decoder(reader, model, fields) };
  });
  return (values) => {
    const family: Partial<Record<Model, unknown>> = {};
    for (const { model, at, decode } of members) family[model] = decode(values, at);
    return family as Family<M | P>;
  };
}
