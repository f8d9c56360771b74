import { turnsOfKind } from '../../kernel/event-loop.ts';
import type { Window } from '../../kernel/page.ts';
import type { Field, Model, Part } from '../tables.ts';
import { decoder } from './decode.ts';
import type { Dialect } from './dialect.ts';
import { type Reader, run } from './reader.ts';
import {
  columnsOf,
  conditions,
  type Filter,
  type Key,
  type ListSpec,
  listsOf,
  orderBy,
  Params,
  position,
  type Statement,
} from './statement.ts';

/** How many rows of a list one statement looks at, and how many statements do. A few milliseconds each on the thread of the server. */
const slicesFor = ({ isOnThread }: Dialect) =>
  isOnThread ? { rows: 1_000, most: 12 } : { rows: 12_000, most: 1 };

/**
 * How many rows all searches of a request look at, and how many of its list each looks at after that. A document can search under
 * hundreds of aliases.
 */
const ofRequest = { rows: 120_000, after: 1_000 };

/** How many rows of a list the next search of a request looks at with one statement, and how many statements do. */
function sizeOf({ dialect, searched }: Reader): { rows: number; most: number } {
  if (!searched || searched.rows < ofRequest.rows) return slicesFor(dialect);
  return { rows: ofRequest.after, most: 1 };
}

/** How many slices the lists have together that are read with one statement. */
const slicesAtOnce = 3;

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

/** Whether the filter is a range of the first field of the order, so that the rows outside of it are not looked at. */
const isRange = <M extends Model>({ order = [] }: Partial<Scanned<M>>, filter: Filter<M>) =>
  ('from' in filter || 'before' in filter) && filter.field === order[0];

const rangesOf = <M extends Model>(spec: Scanned<M>) =>
  (spec.where ?? []).filter((each) => isRange(spec, each));

/** Whether an index has the rows that fit the filters. */
function isIndexed<M extends Model>(where: readonly Filter<M>[], indexed: readonly (readonly string[])[]) {
  const fields = where.map((each) => ('is' in each ? each.field : undefined));
  return indexed.some(
    (index) => index.length === fields.length && index.every((field) => fields.includes(field as never)),
  );
}

/** Whether a read can look at many rows and find few, because no index has those that fit the filters. */
export function isScanned<M extends Model>(spec: Partial<Scanned<M>>): boolean {
  if (!spec.growing) return false;
  const filters = (spec.where ?? []).filter((each) => !isRange(spec, each));
  return filters.length > 0 && !isIndexed(filters, spec.growing.indexed);
}

/** The lists that are short enough to be read as a whole, several with one statement, and the others. */
export async function listsToScan<M extends Model, K extends Key>(
  reader: Reader,
  spec: Scanned<M>,
  keys: readonly K[],
): Promise<{ short: K[][]; long: K[] }> {
  const slice = slicesFor(reader.dialect).rows;
  const rows = await run(reader, lengthStatement(reader, spec, keys));
  const long: K[] = [];
  const short: K[][] = [];
  let left = 0;
  for (const [index, key] of keys.entries()) {
    const length = Number(rows[index]![0]);
    if (length > slice) long.push(key);
    else {
      if (left < length || short.length === 0) {
        short.push([]);
        left = slicesAtOnce * slice;
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
  // In the order of the text.
  const ranges = conditions(dialect, params, { model: spec.model, where: rangesOf(spec) });
  const among = params.placedKeys(keys, keyModel, keyField);
  const rows = `SELECT 1 FROM ${from} WHERE ${parent} = keys.key${ranges} LIMIT ${slicesFor(dialect).rows + 1}`;
  const sql = `SELECT (SELECT count(*) FROM (${rows}) r) FROM ${among} ORDER BY keys.place`;
  return { sql, params: params.values };
}

/** Part of a window. `end` is its last row, unless it has the rest of the window. */
type SliceOfWindow<M extends Model> = PartOfWindow & { end?: Part<M, Field<M>> };

/** The window of a list in slices, in the direction of paging, up to the most rows that are looked at. Each is one turn of the event loop. */
export async function* slicesOf<M extends Model>(
  reader: Reader,
  spec: Scanned<M>,
  key: Key,
  window: PartOfWindow,
): AsyncGenerator<SliceOfWindow<M>, void> {
  let rest = { ...window };
  const fields = [...spec.order, spec.growing!.time];
  const decode = decoder<Part<M, Field<M>>>(reader.dialect, spec.model, fields);
  for (let slice = 0; ; slice++) {
    await nextTurn();
    // Other searches of the request may have looked at rows meanwhile.
    const { rows, most } = sizeOf(reader);
    if (slice >= most) return;
    if (reader.searched) reader.searched.rows += rows;
    const [values] = await run(reader, endStatement(reader, spec, key, { ...rest, limit: rows }, fields));
    if (!values) return yield rest;
    const end = decode(values, 0);
    const until = spec.order.map((field) => (end as { [name: string]: unknown })[field]);
    yield { ...rest, until, end };
    rest = { ...rest, [rest.fromEnd ? 'before' : 'after']: until };
  }
}

/** The last row of the next slice. */
function endStatement<M extends Model>(
  { dialect }: Reader,
  spec: Scanned<M>,
  key: Key,
  window: PartOfWindow & Pick<Window, 'limit'>,
  fields: readonly Field<M>[],
): Statement {
  const { from, parent } = listsOf(dialect, spec);
  const params = new Params(dialect);
  const ranges = { model: spec.model, where: rangesOf(spec) };
  const where = `${parent} = ${params.add(key)}${conditions(dialect, params, ranges)}${inPart(params, spec, window)}`;
  const sql = `SELECT ${columnsOf(spec.model, fields)} FROM ${from} WHERE ${where} ORDER BY ${orderBy(spec, window.fromEnd)} LIMIT 1 OFFSET ${window.limit - 1}`;
  return { sql, params: params.values };
}
