import { turnsOfKind } from '../../kernel/event-loop.ts';
import type { Window } from '../../kernel/page.ts';
import type { Model } from '../tables.ts';
import { type Reader, run } from './reader.ts';
import {
  columnsOf,
  type Filter,
  type Key,
  type ListSpec,
  listsOf,
  orderBy,
  Params,
  position,
  type Statement,
} from './statement.ts';

/** The most rows of a list that one statement looks at, which takes a few milliseconds. */
const rowsOfSlice = 3_000;

/** The lists of so many rows together are read with one statement. */
const rowsAtOnce = 3 * rowsOfSlice;

const nextTurn = turnsOfKind();

/** The part of a list that its scan depends on. */
export type Scanned<M extends Model> = Pick<
  ListSpec<M>,
  'model' | 'source' | 'parent' | 'order' | 'descending' | 'where' | 'growing'
>;

/** A window of which the rows up to a position are looked at, in the direction of paging. */
export type PartOfWindow = Omit<Window, 'limit'> & { until?: readonly unknown[] };

/** The conditions on the rows of a window, each with a leading AND. */
export const inPart = <M extends Model>(
  params: Params,
  spec: Pick<ListSpec<M>, 'model' | 'order' | 'descending'>,
  { after, before, until, fromEnd }: PartOfWindow,
): string =>
  (after ? position(params, spec, after, true) : '') +
  (before ? position(params, spec, before, false) : '') +
  (until ? position(params, spec, until, fromEnd, true) : '');

/** Whether an index has the rows that fit the filters. */
function isIndexed<M extends Model>(where: readonly Filter<M>[], indexed: readonly (readonly string[])[]) {
  const fields = where.map((each) => ('is' in each ? each.field : undefined));
  return indexed.some(
    (index) => index.length === fields.length && index.every((field) => fields.includes(field as never)),
  );
}

/**
 * Whether a read can look at many rows and find few, because no index has those that fit the filters. One statement would
 * block the thread of the server.
 */
export function isScanned<M extends Model>(
  { dialect }: Reader,
  { where = [], growing }: Pick<Scanned<M>, 'where' | 'growing'>,
): boolean {
  return (
    growing !== undefined && dialect.isOnThread && where.length > 0 && !isIndexed(where, growing.indexed)
  );
}

/** The lists that are short enough to be read as a whole, several with one statement, and the others. */
export async function listsToScan<M extends Model, K extends Key>(
  reader: Reader,
  spec: Scanned<M>,
  keys: readonly K[],
): Promise<{ short: K[][]; long: K[] }> {
  const rows = await run(reader, lengthStatement(reader, spec, keys));
  const long: K[] = [];
  const short: K[][] = [];
  let left = 0;
  for (const [index, key] of keys.entries()) {
    const length = Number(rows[index]![0]);
    if (length > rowsOfSlice) long.push(key);
    else {
      if (left < length || short.length === 0) {
        short.push([]);
        left = rowsAtOnce;
      }
      left -= length;
      short.at(-1)!.push(key);
    }
  }
  return { short, long };
}

/** The length of each list, in the order of the keys, or one more than a slice has. */
function lengthStatement<M extends Model>(
  { dialect }: Reader,
  spec: Scanned<M>,
  keys: readonly Key[],
): Statement {
  const { from, parent, keyModel, keyField } = listsOf(dialect, spec);
  const params = new Params(dialect);
  const among = params.placedKeys(keys, keyModel, keyField);
  const rows = `SELECT 1 FROM ${from} WHERE ${parent} = keys.key LIMIT ${rowsOfSlice + 1}`;
  const sql = `SELECT (SELECT count(*) FROM (${rows})) FROM ${among} ORDER BY keys.place`;
  return { sql, params: params.values };
}

/** The window of a list in slices, in the direction of paging. The last one has no end. Each is one turn of the event loop. */
export async function* slicesOf<M extends Model>(
  reader: Reader,
  spec: Scanned<M>,
  key: Key,
  window: PartOfWindow,
): AsyncGenerator<PartOfWindow, void> {
  let rest = { ...window };
  for (;;) {
    await nextTurn();
    const [until] = await run(reader, endStatement(reader, spec, key, rest));
    if (!until) return yield rest;
    yield { ...rest, until };
    rest = { ...rest, [rest.fromEnd ? 'before' : 'after']: until };
  }
}

/** The position of the last row of the next slice. */
function endStatement<M extends Model>(
  { dialect }: Reader,
  spec: Scanned<M>,
  key: Key,
  window: PartOfWindow,
): Statement {
  const { from, parent } = listsOf(dialect, spec);
  const params = new Params(dialect);
  const where = `${parent} = ${params.add(key)}${inPart(params, spec, window)}`;
  const columns = columnsOf(spec.model, spec.order);
  const sql = `SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${orderBy(spec, window.fromEnd)} LIMIT 1 OFFSET ${rowsOfSlice - 1}`;
  return { sql, params: params.values };
}
