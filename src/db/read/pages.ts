import { memoizeByIdentity } from '../../kernel/memo.ts';
import type { Window } from '../../kernel/page.ts';
import type { Dialect } from '../dialect.ts';
import type { Model, Row } from '../tables.ts';
import { decoder, fieldsOf } from './decode.ts';
import { type Reader, run } from './reader.ts';
import {
  columnsOf,
  conditions,
  type Key,
  type ListSpec,
  listsOf,
  maxShapes,
  orderBy,
  Params,
  position,
  type Statement,
} from './statement.ts';

/** A page of rows, and whether the order goes on beyond it on the side that the page was not counted from. */
export interface Slice<T> {
  rows: T[];
  more: boolean;
}

export interface PagesByKeys<M extends Model> {
  keys: readonly Key[];
  /** The lists, one of each key. */
  spec: ListSpec<M>;
  window: Window;
}

/** The statement of a page of every parent's list. */
function pageStatement<M extends Model>(
  dialect: Dialect,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window,
): Statement {
  const { model, fields = fieldsOf(model) } = spec;
  const { from, parent, keyModel, keyField } = listsOf(dialect, spec);
  const params = new Params(dialect);
  const isOne = isPageOfOne(dialect, keys);
  const among = isOne ? params.add(keys[0]) : params.keys(keys, keyModel, keyField);
  if (isOne) params.add(keys[0]);
  const parts = {
    columns: columnsOf(model, fields),
    from,
    parent,
    where:
      conditions(dialect, params, spec) +
      (window.after ? position(params, spec, window.after, true) : '') +
      (window.before ? position(params, spec, window.before, false) : ''),
    order: orderBy(spec, window.fromEnd),
    // One more than the page tells whether there is more.
    limit: params.add(window.limit + 1),
  };
  const sql = isOne ? dialect.pageOfOne!(among, parts) : dialect.pages(among, parts);
  return { sql, params: params.values };
}

const isPageOfOne = ({ pageOfOne }: Dialect, keys: readonly Key[]) =>
  pageOfOne !== undefined && keys.length === 1;

/** The parts of a list that the text of its statement depends on: all but values. */
type Shape = Record<'model' | 'parent' | 'order', unknown> &
  Partial<Record<'source' | 'descending' | 'fields', unknown>>;

const shapeOf = memoizeByIdentity(({ model, source, parent, order, descending, fields }: Shape) =>
  JSON.stringify([model, source, parent, order, descending, fields]),
);

const texts = new Map<string, string>();

/** The same statement, its text made once for all lists without conditions, whose values are these alone. */
function knownPageStatement<M extends Model>(
  dialect: Dialect,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window,
): Statement {
  if (spec.where?.length) return pageStatement(dialect, spec, keys, window);
  const isOne = isPageOfOne(dialect, keys);
  const key = `${dialect.kind}${isOne}${window.fromEnd}${!window.after}${!window.before}${shapeOf(spec)}`;
  const sql = texts.get(key);
  if (!sql) {
    const made = pageStatement(dialect, spec, keys, window);
    if (texts.size === maxShapes) texts.clear();
    texts.set(key, made.sql);
    return made;
  }
  const params: unknown[] = isOne ? [keys[0], keys[0]] : [dialect.encodeList(keys)];
  for (const value of [...(window.after ?? []), ...(window.before ?? []), window.limit + 1]) {
    params.push(dialect.encode(value));
  }
  return { sql, params };
}

/** Rows that one statement reads if every page is full; for more pages than that there are several. */
const rowsAtOnce = 20_000;

/**
 * The same page of every parent's list, in one statement. A parent without rows is left out.
 *
 * So many parents that their pages would not fit into memory are read one part after the other, so that reading
 * stops when the request has used up what it may: as many at once as the parts before let expect to fit.
 */
export async function findPagesByKeys<M extends Model>(
  reader: Reader,
  { keys, spec, window }: PagesByKeys<M>,
): Promise<Map<Key, Slice<Row<M>>>> {
  const pages = new Map<Key, Slice<Row<M>>>();
  let size = Math.ceil(rowsAtOnce / (window.limit + 1));
  for (let start = 0; start < keys.length; ) {
    const part = keys.length <= size ? keys : keys.slice(start, start + size);
    start += part.length;
    const rows = await readPart(reader, spec, part, window, pages);
    const perKey = Math.max(1, rows / part.length);
    // At most four times as many: those that follow may be fuller.
    size = Math.min(size * 4, Math.ceil(rowsAtOnce / perKey));
  }
  if (window.fromEnd) for (const page of pages.values()) page.rows.reverse();
  return pages;
}

/** Adds the pages of some parents, and tells how many rows that were. */
async function readPart<M extends Model>(
  reader: Reader,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window,
  pages: Map<Key, Slice<Row<M>>>,
): Promise<number> {
  const { model, fields = fieldsOf(spec.model) } = spec;
  const statement = knownPageStatement(reader.dialect, spec, keys, window);
  const decode = decoder(reader, model, fields);
  const rows = await run(reader, statement);
  for (const values of rows) {
    const key = values[0] as Key;
    let page = pages.get(key);
    if (!page) {
      page = { rows: [], more: false };
      pages.set(key, page);
    }
    if (page.rows.length < window.limit) page.rows.push(decode(values, 1));
    else page.more = true;
  }
  return rows.length;
}
