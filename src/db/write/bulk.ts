import type { RequestBudget } from '../../kernel/budget.ts';
import { yieldInTransaction } from '../../kernel/event-loop.ts';
import { groupBy } from '../../kernel/group.ts';
import type { Database, Statements } from '../open.ts';
import { decoder, fieldsOf } from '../query/decode.ts';
import type { Dialect } from '../query/dialect.ts';
import { columnOf, type Field, type Model, type NewRow, type Revised, type Row, tableOf } from '../tables.ts';
import { keySlices } from './key-slices.ts';
import { slicesOf } from './slices.ts';
import { stampOf } from './stamp.ts';

/**
 * Reads and writes many rows in a transaction. Prisma's `createMany` takes about 300 µs per row. Here, a slice of rows is
 * one statement with one JSON parameter, which is about fifteen times as fast, and whose text depends on the fields
 * only. SQLite inserts rows from parameters of their own, which takes a third of the time of JSON. Between slices, the event
 * loop runs, because SQLite executes statements on the thread of the server.
 */
export interface Bulk {
  context: {
    db: Pick<Database, 'dialect'>;
    signal?: AbortSignal;
    budget?: BulkBudget;
  };
  /** A transaction, or its writes that nobody waits for. */
  tx: Statements;
}

export type BulkBudget = Pick<
  RequestBudget,
  'expectRows' | 'applicationObjects' | 'deployBytes' | 'changeObjects' | 'requireChangeObjects'
>;

interface Where<M extends Model> {
  field: Field<M>;
  is: string | number;
}

/** A row whose columns are read by name. */
type Columns = { [field: string]: unknown };

type Values<M extends Model> = { [F in keyof Row<M>]?: Row<M>[F] };

/** Writes that the first statement of an insert makes, too. */
export interface Beside {
  /** Another write. Its parameters are numbered from 2. */
  nested?: { text: string; params: readonly unknown[] };
  /** The payload of a notification, on Postgres. */
  notification?: string | undefined;
  /** A write that reads the inserted rows: part of each statement, or on SQLite a statement after it. */
  following?: Following | undefined;
}

/** A write that reads the rows that a statement has inserted. */
export interface Following {
  /** The columns that it reads. */
  columns: readonly string[];
  /** `rows` is a table of the inserted rows. */
  text(rows: string): string;
}

/** Inserts rows, which must all have the fields of the first, with other writes. */
export async function insertMany<M extends Model>(
  { context, tx }: Bulk,
  model: M,
  rows: readonly Values<M>[],
  { nested, notification, following }: Beside = {},
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const { dialect } = context.db;
  const fields = Object.keys(first) as Field<M>[];
  const columns = fields.map((field) => `"${columnOf(model, field).column}"`).join(', ');
  const into = `INSERT INTO "${tableOf(model).table}" (${columns})`;
  const values = fields.map((field, index) => dialect.jsonValue(index, columnOf(model, field).type));
  const text = `${into} SELECT ${values.join(', ')} FROM ${dialect.jsonRows}`;
  const params = [...(nested?.params ?? [])];
  let suffix = '';
  if (notification !== undefined && dialect.notifying) {
    params.push(notification);
    suffix = dialect.notifying(dialect.placeholder(params.length + 1));
  }
  let beside = { nested: nested?.text, params, suffix };
  for (const slice of slicesOf(dialect, rows, (row) => fields.map((field) => (row as Columns)[field]))) {
    const parts = { nested: beside.nested, insert: `${text}${beside.suffix}` };
    const written = tx.$insert
      ? await tx.$insert(into, slice)
      : await tx.$write(statementOf(dialect, parts, following), [JSON.stringify(slice), ...beside.params]);
    if (following && !dialect.nestsWrites)
      await tx.$write(following.text(dialect.lastRows!(tableOf(model).table)), [written]);
    beside = { nested: undefined, params: [], suffix: '' };
    await yieldInTransaction(context.signal);
  }
}

/** The models whose ids are numbers, which the database gives. */
type Numbered = { [M in Model]: Row<M> extends { id: number } ? M : never }[Model];

/** Inserts rows with ids that are taken before, and returns them in the same order, without reading them again. */
export async function insertRows<M extends Numbered>(
  write: Bulk,
  model: M,
  rows: readonly NewRow<M>[],
): Promise<Row<M>[]> {
  if (rows.length === 0) return [];
  const ids = await write.tx.$read(write.context.db.dialect.takeIds(tableOf(model).table), [rows.length]);
  const fields = fieldsOf(model);
  const inserted = rows.map((row, index) => {
    const whole: Columns = {};
    for (const field of fields) whole[field] = (row as Columns)[field] ?? null;
    whole.id = Number(ids[index]![0]);
    if ('revision' in whole) whole.revision = 1;
    return whole as Row<M>;
  });
  await insertMany(write, model, inserted);
  return inserted;
}

/** One statement of an insert with the writes that it contains. */
function statementOf(
  dialect: Dialect,
  { nested, insert }: { nested: string | undefined; insert: string },
  following: Following | undefined,
): string {
  const isNested = following !== undefined && dialect.nestsWrites;
  const returned = following?.columns.map((column) => `"${column}"`).join(', ');
  const before = [
    ...(nested === undefined ? [] : [`nested AS (${nested})`]),
    ...(isNested ? [`inserted AS (${insert} RETURNING ${returned})`] : []),
  ];
  const last = isNested ? following.text('inserted') : insert;
  return before.length === 0 ? last : `WITH ${before.join(', ')} ${last}`;
}

/** Updates rows by their ids, with one statement for each slice of rows that set the same fields. */
export async function updateMany<M extends Model>(
  write: Bulk,
  model: M,
  updates: readonly Update<M>[],
): Promise<void> {
  await setMany(write, model, updates, []);
}

/** Updates objects that have revisions, and counts the change of each. */
export async function reviseMany<M extends Revised>(
  write: Bulk,
  model: M,
  updates: readonly Update<M>[],
): Promise<void> {
  const { column } = columnOf(model, 'revision');
  await setMany(write, model, updates, [`"${column}" = "${tableOf(model).table}"."${column}" + 1`]);
}

interface Update<M extends Model> {
  id: string | number;
  data: Values<M>;
}

async function setMany<M extends Model>(
  { context, tx }: Bulk,
  model: M,
  updates: readonly Update<M>[],
  always: readonly string[],
): Promise<void> {
  const { dialect } = context.db;
  const { table } = tableOf(model);
  const id = columnOf(model, 'id');
  const ordered = groupBy(updates, ({ data }) => Object.keys(data).join());
  for (const [names, orders] of groupBy(ordered, ([names]) => names.split(',').sort().join())) {
    if (names === '') continue;
    const alike = orders.flatMap(([, each]) => each);
    const fields = names.split(',') as Field<M>[];
    const set = fields.map((field, index) => {
      const { column, type } = columnOf(model, field);
      return `"${column}" = ${dialect.jsonValue(index + 1, type)}`;
    });
    const text = `UPDATE "${table}" SET ${[...set, ...always].join(', ')} FROM ${dialect.jsonRows} WHERE "${table}"."${id.column}" = ${dialect.jsonValue(0, id.type)}`;
    const valuesOf = (each: Update<M>) => [each.id, ...fields.map((field) => (each.data as Columns)[field])];
    for (const slice of slicesOf(dialect, alike, valuesOf)) {
      await tx.$write(text, [JSON.stringify(slice)]);
      await yieldInTransaction(context.signal);
    }
  }
}

/** Copies columns from one row to another, which are not read: they can have megabytes. */
export async function copyColumns<M extends Numbered>(
  { context, tx }: Bulk,
  model: M,
  fields: readonly Field<M>[],
  pairs: readonly { from: number; to: number }[],
): Promise<void> {
  if (pairs.length === 0) return;
  const { dialect } = context.db;
  const { table } = tableOf(model);
  const set = fields.map((field) => columnOf(model, field).column).map((name) => `"${name}" = t."${name}"`);
  const [from, to] = [0, 1].map((index) => dialect.jsonValue(index, 'Int'));
  const text = `UPDATE "${table}" SET ${set.join(', ')} FROM ${dialect.jsonRows} JOIN "${table}" t ON t."id" = ${from} WHERE "${table}"."id" = ${to}`;
  for (const slice of slicesOf(dialect, pairs, (pair) => [pair.from, pair.to])) {
    await tx.$write(text, [JSON.stringify(slice)]);
    await yieldInTransaction(context.signal);
  }
}

/** Deletes the rows whose `fields` match one of `keys`. */
export async function deleteMany<M extends Model>(
  { context, tx }: Bulk,
  model: M,
  fields: readonly Field<M>[],
  keys: readonly (readonly unknown[])[],
): Promise<void> {
  if (keys.length === 0) return;
  const { dialect } = context.db;
  const columns = fields.map((field) => `"${columnOf(model, field).column}"`).join(', ');
  const values = fields.map((field, index) => dialect.jsonValue(index, columnOf(model, field).type));
  const text = `DELETE FROM "${tableOf(model).table}" WHERE (${columns}) IN (SELECT ${values.join(', ')} FROM ${dialect.jsonRows})`;
  for (const slice of slicesOf(dialect, keys, (key) => [...key])) {
    await tx.$write(text, [JSON.stringify(slice)]);
    await yieldInTransaction(context.signal);
  }
}

/** Deletes rows by their ids, or rows that were read. */
export const deleteByIds = <M extends Model>(
  write: Bulk,
  model: M,
  rows: readonly (string | number | { id: string | number })[],
): Promise<void> => {
  const keys = rows.map((row) => [typeof row === 'object' ? row.id : row]);
  return deleteMany(write, model, ['id' as Field<M>], keys);
};

/**
 * The rows whose `field` is one of `keys`, as the transaction sees them. Sorted within each slice of keys. With `lock`,
 * the rows are locked in this order and cannot change until the commit; with `delete`, nothing can refer to them anew either.
 * How much the rows have is asked before they are read if they can have much.
 */
export async function findByKeys<M extends Model>(
  bulk: Bulk,
  model: M,
  field: Field<M>,
  keys: readonly (string | number)[],
  order: readonly Field<M>[],
  {
    fields = fieldsOf(model),
    where = [],
    lock = false,
  }: { fields?: readonly Field<M>[]; where?: Where<M> | readonly Where<M>[]; lock?: boolean | 'delete' } = {},
): Promise<Row<M>[]> {
  const { context, tx } = bulk;
  const { dialect } = context.db;
  const quoted = (each: Field<M>) => `t."${columnOf(model, each).column}"`;
  const { column, type } = columnOf(model, field);
  const among = dialect.keyTable(dialect.placeholder(1), type);
  const filters = [where].flat() as Where<M>[];
  const conditions = filters.map((each, at) => ` AND ${quoted(each.field)} = ${dialect.placeholder(at + 2)}`);
  const from = `FROM "${tableOf(model).table}" t WHERE t."${column}" IN (SELECT key FROM ${among})${conditions.join('')}`;
  const lockOf = lock === 'delete' ? dialect.deleteLock : dialect.rowLock;
  const text = `SELECT ${fields.map(quoted).join(', ')} ${from} ORDER BY ${order.map(quoted).join(', ')}`;
  const locking = (lock && !tx.isDryRun && lockOf) || '';
  const params = filters.map(({ is }) => dialect.encode(is));
  const decode = decoder<Row<M>>(dialect, model, fields);
  const found: Row<M>[] = [];
  const { log } = tx;
  const stamp = log && !locking ? stampOf(model, fields) : undefined;
  const reader = log ?? tx;
  for await (const some of keySlices({ context, tx: reader }, { model, field, keys, fields, from, params })) {
    const given = [dialect.encodeList(some), ...params];
    const rows = await reader.$read(log ? text : text + locking, given);
    if (log && !stamp) log.saw(text, given, rows, locking);
    await yieldInTransaction(context.signal);
    for (const values of rows) {
      found.push(decode(values, 0));
      if (found.length % 100 === 0) await yieldInTransaction(context.signal);
    }
  }
  if (log && stamp && keys.length > 0) {
    const given = [dialect.encodeList(keys), ...params];
    log.saw(`SELECT ${stamp.columns} ${from}`, given, [stamp.ofRows(found)]);
  }
  return found;
}
