import type { RequestBudget } from '../../kernel/budget.ts';
import type { Database, Statements } from '../open.ts';
import { columnOf, type Field, largeAmong, type Model } from '../tables.ts';

/** A transaction, and the request that it is part of. */
interface SizedReads {
  context: { db: Pick<Database, 'dialect'>; budget?: Pick<RequestBudget, 'expectRows'> };
  tx: Pick<Statements, '$read'>;
}

/** The limits of one statement: a number of keys, and of rows and bytes of large texts unless one key has more. */
const slice = { keys: 100, rows: 5_000, bytes: 4 * 2 ** 20 };

/** For how many keys one statement asks the sizes. */
const sizesAtOnce = 1_000;

/** What the rows of a key have. */
interface Size {
  bytes: number;
  rows: number;
}

interface KeyedRead<M extends Model> {
  model: M;
  field: Field<M>;
  keys: readonly (string | number)[];
  fields: readonly Field<M>[];
  /** The tables and conditions of the read. The first parameter has the keys. */
  from: string;
  /** The other parameters. */
  params: readonly unknown[];
}

/**
 * The keys in slices, each for one statement. If the rows can have much text, its size is asked first and reserved for the
 * request, which fails if there is no memory for it.
 */
export async function* keySlices<M extends Model>(
  { context, tx }: SizedReads,
  { model, field, keys, fields, from, params }: KeyedRead<M>,
): AsyncGenerator<readonly (string | number)[]> {
  const large = largeAmong(model, field, fields);
  if (large.length === 0) {
    for (let at = 0; at < keys.length; at += slice.keys) yield keys.slice(at, at + slice.keys);
    return;
  }
  for (let at = 0; at < keys.length; at += sizesAtOnce) {
    const some = keys.slice(at, at + sizesAtOnce);
    const size = large.map((each) => `coalesce(octet_length(t."${columnOf(model, each).column}"), 0)`);
    const key = `t."${columnOf(model, field).column}"`;
    const text = `SELECT ${key}, sum(${size.join(' + ')}), count(*) ${from} GROUP BY ${key}`;
    const read = await tx.$read(text, [context.db.dialect.encodeList(some), ...params]);
    const sizes = new Map(
      read.map(([of, bytes, rows]) => [of, { bytes: Number(bytes), rows: Number(rows) }]),
    );
    let bytes = 0;
    for (const each of sizes.values()) bytes += each.bytes;
    context.budget?.expectRows(bytes);
    yield* bySize(some, sizes);
  }
}

const nothing: Size = { bytes: 0, rows: 0 };

function* bySize(keys: readonly (string | number)[], sizes: ReadonlyMap<unknown, Size>) {
  let from = 0;
  let [bytes, rows] = [0, 0];
  for (const [index, key] of keys.entries()) {
    const size = sizes.get(key) ?? nothing;
    const isFull =
      bytes + size.bytes > slice.bytes || rows + size.rows > slice.rows || index - from === slice.keys;
    if (index > from && isFull) {
      yield keys.slice(from, index);
      from = index;
      [bytes, rows] = [0, 0];
    }
    bytes += size.bytes;
    rows += size.rows;
  }
  yield keys.slice(from);
}
