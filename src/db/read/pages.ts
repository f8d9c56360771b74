import { memoizeByIdentity } from '../../kernel/memo.ts';
import type { Window } from '../../kernel/page.ts';
import type { Database } from '../open.ts';
import { type Model, type Row, tableOf } from '../tables.ts';
import { decoder, fieldsOf } from './decode.ts';
import {
  conditions,
  fromOf,
  type Key,
  type ListSpec,
  maxShapes,
  name,
  orderBy,
  position,
  Statement,
} from './statement.ts';

/** A page of rows, and whether the order goes on beyond it on the side that the page was not counted from. */
export interface Slice<T> {
  rows: T[];
  more: boolean;
}

/** The statement of a page of every parent's list. */
function pageStatement<M extends Model>(
  db: Database,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window,
): Statement {
  const { model, parent, fields = fieldsOf(spec.model) } = spec;
  const statement = new Statement(db);
  const columns = fields.map((field) => name(model, field, 't')).join(', ');
  const table = fromOf(db, spec);
  const joined = 'through' in parent;
  const from = joined
    ? `"${tableOf(parent.through).table}" j JOIN ${table} ON ${name(model, parent.field, 't')} = ${name(parent.through, parent.target, 'j')}`
    : table;
  const parentColumn = joined ? name(parent.through, parent.parent, 'j') : name(model, parent.field, 't');
  const among = joined
    ? statement.keys(keys, parent.through, parent.parent)
    : statement.keys(keys, model, parent.field);
  // One more than the page tells whether there is more.
  const limit = window.limit + 1;
  const tail = () =>
    conditions(statement, spec) +
    (window.after ? position(statement, spec, window.after, true) : '') +
    (window.before ? position(statement, spec, window.before, false) : '');
  const order = orderBy(spec, window.fromEnd, 't');
  if (db.dialect.kind === 'postgres') {
    statement.text = `SELECT keys.key, page.* FROM ${among} CROSS JOIN LATERAL (SELECT ${columns} FROM ${from} WHERE ${parentColumn} = keys.key${tail()} ORDER BY ${order} LIMIT ${statement.param(limit)}) page`;
  } else if (keys.length === 1) {
    // One parent needs no numbering, and without it the index ends the read at the limit.
    statement.params.length = 0;
    statement.text = `SELECT ${statement.param(keys[0])}, ${columns} FROM ${from} WHERE ${parentColumn} = ${statement.param(keys[0])}${tail()} ORDER BY ${order} LIMIT ${statement.param(limit)}`;
  } else {
    statement.text = `SELECT * FROM (SELECT ${parentColumn} AS parent_key, ${columns}, ROW_NUMBER() OVER (PARTITION BY ${parentColumn} ORDER BY ${order}) AS place FROM ${from} WHERE ${parentColumn} IN (SELECT key FROM ${among})${tail()}) WHERE place <= ${statement.param(limit)} ORDER BY parent_key, place`;
  }
  return statement;
}

/** What tells a page's statement from others: all but values. */
const shapeOf = memoizeByIdentity(({ model, source, parent, order, descending, fields }: ListSpec<Model>) =>
  JSON.stringify([model, source, parent, order, descending, fields]),
);

const texts = new Map<string, string>();

/** The same statement, its text made once for all lists without conditions, whose values are these alone. */
function knownPageStatement<M extends Model>(
  db: Database,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window,
): Statement {
  if (spec.where?.length) return pageStatement(db, spec, keys, window);
  const { kind } = db.dialect;
  const isSingle = kind === 'sqlite' && keys.length === 1;
  const key = `${kind}${isSingle}${window.fromEnd}${!window.after}${!window.before}${shapeOf(spec as never)}`;
  const text = texts.get(key);
  if (!text) {
    const made = pageStatement(db, spec, keys, window);
    if (texts.size === maxShapes) texts.clear();
    texts.set(key, made.text);
    return made;
  }
  const statement = new Statement(db);
  statement.text = text;
  if (isSingle) statement.params.push(keys[0], keys[0]);
  else statement.params.push(db.dialect.encodeList(keys));
  for (const value of [...(window.after ?? []), ...(window.before ?? []), window.limit + 1]) {
    statement.params.push(db.dialect.encode(value));
  }
  return statement;
}

/** Rows that one statement reads if every page is full; for more pages than that there are several. */
const rowsAtOnce = 20_000;

/**
 * The same page of every parent's list, in one statement. A parent without rows is left out.
 *
 * So many parents that their pages would not fit into memory are read one part after the other, so that reading
 * stops when the request has used up what it may: as many at once as the parts before let expect to fit.
 */
export async function readPages<M extends Model>(
  db: Database,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window,
): Promise<Map<Key, Slice<Row<M>>>> {
  const pages = new Map<Key, Slice<Row<M>>>();
  let size = Math.ceil(rowsAtOnce / (window.limit + 1));
  for (let start = 0; start < keys.length; ) {
    const part = keys.length <= size ? keys : keys.slice(start, start + size);
    start += part.length;
    const rows = await readPart(db, spec, part, window, pages);
    const perKey = Math.max(1, rows / part.length);
    // At most four times as many: those that follow may be fuller.
    size = Math.min(size * 4, Math.ceil(rowsAtOnce / perKey));
  }
  if (window.fromEnd) for (const page of pages.values()) page.rows.reverse();
  return pages;
}

/** Adds the pages of some parents, and tells how many rows that were. */
async function readPart<M extends Model>(
  db: Database,
  spec: ListSpec<M>,
  keys: readonly Key[],
  window: Window,
  pages: Map<Key, Slice<Row<M>>>,
): Promise<number> {
  const { model, fields = fieldsOf(spec.model) } = spec;
  const statement = knownPageStatement(db, spec, keys, window);
  const decode = decoder(db, model, fields);
  const rows = await statement.run();
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
