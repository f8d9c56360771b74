import { rowBytes } from '../../kernel/budget.ts';
import type { Window } from '../../kernel/page.ts';
import type { Field, Model, Part } from '../tables.ts';
import { decoder, fieldsOf } from './decode.ts';
import type { Dialect } from './dialect.ts';
import { type Reader, run } from './reader.ts';
import { inPart, isScanned, listsToScan, type PartOfWindow, slicesOf } from './scan.ts';
import {
  columnsOf,
  conditions,
  type Key,
  type ListSpec,
  listsOf,
  orderBy,
  Params,
  type Statement,
} from './statement.ts';

/** A page of rows, and whether there are more rows in the direction of paging. */
export interface Slice<T> {
  rows: T[];
  more: boolean;
  /** The last row that was looked at, if the search was cut: its position and its time. */
  searchedTo?: object;
}

export interface PagesByKeys<M extends Model, F extends Field<M> = Field<M>> {
  keys: readonly Key[];
  /** One list per key. */
  spec: ListSpec<M, F>;
  window: Window;
}

/** The columns with texts of which each can be long. */
const longTexts: { [model: string]: readonly string[] } = {
  EnvironmentVariable: ['value', 'sealedValue'],
  Event: ['changes'],
  Volume: ['fileContent'],
  WebhookDelivery: ['sealedPayload'],
} satisfies { [M in Model]?: readonly Field<M>[] };

const hasLongTexts = <M extends Model>({ model, fields = fieldsOf(model) }: ListSpec<M>): boolean =>
  fields.some((field) => longTexts[model]?.includes(field));

/** The statement for the same page of each parent's list. */
function pageStatement<M extends Model>(
  dialect: Dialect,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window & PartOfWindow,
): Statement {
  const { model, fields = fieldsOf(model) } = spec;
  const { from, table, parent, keyModel, keyField, joined } = listsOf(dialect, spec);
  const params = new Params(dialect);
  const isOne = keys.length === 1;
  const among = isOne ? params.add(keys[0]) : params.placedKeys(keys, keyModel, keyField);
  const parts = {
    columns: columnsOf(model, fields),
    from,
    table,
    parent,
    where: conditions(dialect, params, spec) + inPart(params, spec, window),
    order: orderBy(spec, window.fromEnd),
    // One extra row shows whether there are more.
    limit: params.add(window.limit + 1),
    hasLongTexts: hasLongTexts(spec),
  };
  const sql = !isOne
    ? dialect.pages(among, parts)
    : joined
      ? dialect.pageOfJoined(among, { ...parts, ...joined, mergedLimit: params.add(window.limit + 1) })
      : dialect.pageOfOne(among, parts);
  const maxRows = parts.hasLongTexts ? undefined : keys.length * (window.limit + 1);
  return { sql, params: params.values, maxRows };
}

/** The maximum number of rows of one statement if all pages are full. More pages use several statements. */
const rowsAtOnce = 20_000;

/** The lists with long texts of the first statement, and how much further ones may read, where that blocks the thread. */
const longAtOnce = { lists: 25, bytes: 4 * 2 ** 20 };

/**
 * A page of each parent's list, with equal bounds, in one statement. Parents without rows are omitted.
 *
 * Many parents are read in several parts, so that reading stops when the request exceeds its limits. The size of a part
 * is estimated from the parts before it.
 */
export async function findPagesByKeys<M extends Model, F extends Field<M> = Field<M>>(
  reader: Reader,
  { keys, spec, window }: PagesByKeys<M, F>,
): Promise<Map<Key, Slice<Part<M, F>>>> {
  const pages = new Map<Key, Slice<Part<M, F>>>();
  if (!isScanned(spec)) await readParts(reader, spec, keys, window, pages);
  else {
    const { short, long } = await listsToScan(reader, spec, keys);
    for (const part of short) await readParts(reader, spec, part, window, pages);
    for (const key of long) await readInSlices(reader, spec, key, window, pages);
  }
  if (window.fromEnd) for (const page of pages.values()) page.rows.reverse();
  return pages;
}

async function readParts<M extends Model, F extends Field<M>>(
  reader: Reader,
  spec: ListSpec<M, F>,
  keys: readonly Key[],
  window: Window,
  pages: Map<Key, Slice<Part<M, F>>>,
): Promise<void> {
  let size = Math.ceil(rowsAtOnce / (window.limit + 1));
  const isLong = reader.dialect.isOnThread && hasLongTexts(spec);
  if (isLong) size = Math.min(size, longAtOnce.lists);
  for (let start = 0; start < keys.length; ) {
    const part = start === 0 && keys.length <= size ? keys : keys.slice(start, start + size);
    start += part.length;
    const rows = await readPart(reader, spec, part, window, pages);
    const perKey = Math.max(1, rows.length / part.length);
    // At most four times as many, because the following pages can have more rows.
    size = Math.min(size * 4, Math.ceil(rowsAtOnce / perKey));
    if (!isLong) continue;
    const bytes = rows.reduce((sum, row) => sum + rowBytes(row), 0);
    size = Math.min(size, Math.ceil((longAtOnce.bytes * part.length) / Math.max(1, bytes)));
  }
}

/** Reads the page of a list slice by slice, until it is full or the search is cut. */
async function readInSlices<M extends Model, F extends Field<M>>(
  reader: Reader,
  spec: ListSpec<M, F>,
  key: Key,
  window: Window,
  pages: Map<Key, Slice<Part<M, F>>>,
): Promise<void> {
  const page: Slice<Part<M, F>> = { rows: [], more: false };
  let searchedTo: object | undefined;
  for await (const { end, ...part } of slicesOf(reader, spec, key, window)) {
    const found = new Map<Key, Slice<Part<M, F>>>();
    await readPart(reader, spec, [key], { ...part, limit: window.limit - page.rows.length }, found);
    const { rows = [], more = false } = found.get(key) ?? {};
    page.rows.push(...rows);
    page.more = more;
    searchedTo = end;
    if (more) break;
  }
  if (!page.more && searchedTo) page.searchedTo = searchedTo;
  if (page.rows.length > 0 || page.more || page.searchedTo) pages.set(key, page);
}

/** Adds the pages of some parents. Returns the rows. */
async function readPart<M extends Model, F extends Field<M>>(
  reader: Reader,
  spec: ListSpec<M, F>,
  keys: readonly Key[],
  window: Window & PartOfWindow,
  pages: Map<Key, Slice<Part<M, F>>>,
): Promise<unknown[][]> {
  const { model, fields = fieldsOf(spec.model) } = spec;
  const statement = pageStatement(reader.dialect, spec, keys, window);
  const decode = decoder<Part<M, F>>(reader.dialect, model, fields);
  const rows = await run(reader, statement);
  const found: Slice<Part<M, F>>[] = [];
  for (const values of rows) {
    const index = (values[0] as number) - 1;
    found[index] ??= { rows: [], more: false };
    const page = found[index];
    if (page.rows.length < window.limit) page.rows.push(decode(values, 1));
    else page.more = true;
  }
  for (const [index, page] of found.entries()) if (page) pages.set(keys[index]!, page);
  return rows;
}
