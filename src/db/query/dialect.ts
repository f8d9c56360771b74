import type { ColumnType } from '../tables.ts';

/** The parts of a query for the first rows of lists. Their placeholders are in the order of these fields. */
interface PageParts {
  columns: string;
  from: string;
  /** The table of the rows, or undefined if they are from a query. */
  table: string | undefined;
  /** The column with the key of a row's list. */
  parent: string;
  /** Additional conditions, each with a leading AND. */
  where: string;
  order: string;
  limit: string;
  /** Whether a column can have long texts, which are then not sorted with the rows. */
  hasLongTexts: boolean;
}

/** A join table whose rows each have many rows of a list. */
export interface Joined {
  /** The join table, as `j`. */
  join: string;
  /** The condition that a row of the list belongs to a row of the join table. */
  on: string;
}

/** The parts of a query for the lengths of lists. */
interface CountParts extends Pick<PageParts, 'from' | 'table' | 'parent' | 'where'> {
  isUnion: boolean;
  joined: Joined | undefined;
}

/** The SQL that differs between the two databases. */
export interface Dialect {
  kind: 'sqlite' | 'postgres';
  /** The placeholder of a parameter, numbered from 1 in the order of the text. */
  placeholder(number: number): string;
  /** A table of keys from one parameter, so that the text does not depend on the number of keys. */
  keyTable(placeholder: string, type: ColumnType): string;
  /** A table of keys with the position of each key, from 1. */
  placedKeyTable(placeholder: string, type: ColumnType): string;
  /** A condition: `column` contains the text of the parameter. */
  contains(column: string, placeholder: string): string;
  /** A condition: `column` has no value. */
  isNull(column: string): string;
  /** The position of one text in another, from 1; 0 if it is not in there. */
  position(text: string, part: string): string;
  /** A random text of 32 hexadecimal digits. */
  randomId: string;
  /** The type of floating point numbers. */
  float: string;
  /**
   * Selects the first rows of each list, each after the position of its list's key, where `keys` is a table of keys with positions.
   * The position is shorter than the key, which would be sent and decoded for every row.
   */
  pages(keys: string, parts: PageParts): string;
  /** The page of a single list, with the placeholder of its key. The index stops the read at the limit. */
  pageOfOne(key: string, parts: PageParts): string;
  /**
   * The page of a single list whose rows belong to many rows of a join table, as the components of all teams of a user. The first
   * rows of each of these are read from the index and merged, so that the rest of the list is not read and sorted.
   */
  pageOfJoined(key: string, parts: PageParts & Joined & { mergedLimit: string }): string;
  /** Whether statements run on the thread of the server, so that none may look at many rows. */
  isOnThread: boolean;
  /** Selects the key and the number of rows of each list. Lists without rows may be omitted. */
  counts(keys: string, parts: CountParts): string;
  /** The rows of `from`, as `t`, that meet the condition for each of `jsonRows`. May have more than the limit of each. */
  eachOf(parts: { from: string; where: string; order: string; limit: number }): string;
  /** The transactions whose rows of a table the statement sees: `xmin:xmax:` and those between that it does not. */
  snapshot(table: string): string;
  /** Whether a row was visible in a snapshot. */
  isSeen(alias: string, id: string, snapshot: string): string;
  /** Takes ids for new rows of a table, in ascending order. The parameter is their number. */
  takeIds(table: string): string;
  /** The highest id that was given to a row of the table. */
  lastId(table: string): string;
  /** The transactions that may have given ids to rows of a table and are not over. Undefined if ids are given in order of commits. */
  writersOf?(table: string): string;
  /** Adds to the rows of an INSERT a notification, which is delivered when the transaction commits. */
  notifying?(placeholder: string): string;
  /** Sends the notification alone. */
  notify?: string;
  /** The current time of the database, in ms since 1970. */
  nowMs: string;
  /** The same as a column of times stores it. */
  now: string;
  /** The earlier one of two times. */
  earliest(one: string, other: string): string;
  /** A time as ms since 1970. */
  milliseconds(column: string): string;
  /** The clause that locks the rows of a query. Undefined if transactions lock the whole database. */
  rowLock?: string;
  /** Locks rows that will be deleted: until the commit, no new row can refer to them. */
  deleteLock?: string;
  /** The clause for rows that new rows refer to: it skips those that another transaction has deleted, once that is over. */
  referenceLock?(alias: string): string;
  /** Whether a statement can contain another write: `WITH … AS (UPDATE …) INSERT …`. */
  nestsWrites: boolean;
  /** The last rows of a table; the parameter is their number. For databases that do not nest writes. */
  lastRows?(table: string): string;
  /** A table of rows from the first parameter, which is a JSON array of arrays. */
  jsonRows: string;
  /** The value at an index of such a row. */
  jsonValue(index: number, type: ColumnType): string;
  /** Converts a value, or a list of values, for the driver. */
  encode(value: unknown): unknown;
  encodeList(values: readonly unknown[]): unknown;
  /** Whether values of this type must be decoded. */
  converts(type: ColumnType): boolean;
  /** Converts a value from the driver to the type of the model. */
  decode(value: unknown, type: ColumnType): unknown;
}

/** Equal on both databases. */
export const pageOfOne: Dialect['pageOfOne'] = (key, { columns, from, parent, where, order, limit }) =>
  `SELECT 1, ${columns} FROM ${from} WHERE ${parent} = ${key}${where} ORDER BY ${order} LIMIT ${limit}`;
