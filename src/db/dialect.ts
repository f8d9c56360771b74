import type { ColumnType } from './tables.ts';

/** The parts of a query for the first rows of lists, with placeholders in the order in which they stand here. */
export interface PageParts {
  columns: string;
  from: string;
  /** The column that holds the key of a row's list. */
  parent: string;
  /** Further conditions, each with its AND. */
  where: string;
  order: string;
  limit: string;
}

/** Everything that the two databases say differently. The rest of a statement is common to both. */
export interface Dialect {
  kind: 'sqlite' | 'postgres';
  /** The placeholder of the parameter with this number, counted from 1 in textual order. */
  placeholder(number: number): string;
  /** A list of keys as one parameter, so that the statement's text does not depend on how many there are. */
  keyTable(placeholder: string, type: ColumnType): string;
  /** Whether `column` holds the text of the parameter. */
  contains(column: string, placeholder: string): string;
  /** The type of floating point numbers. */
  float: string;
  /** The key and the first rows of every list, where `keys` is a table of keys. */
  pages(keys: string, parts: PageParts): string;
  /** The same of one list, where a shorter statement does it: the placeholder of its key stands twice, at first. */
  pageOfOne?(key: string, parts: PageParts): string;
  /** The key and the number of rows of every list; a list without rows may be left out. */
  counts(keys: string, parts: Pick<PageParts, 'from' | 'parent' | 'where'> & { isUnion: boolean }): string;
  /** The time of the database, in ms since 1970. */
  nowMs: string;
  /** A time as ms since 1970. */
  milliseconds(column: string): string;
  /** What a query ends with to lock its rows; nothing where a transaction locks the whole database. */
  rowLock?: string;
  /** The same for rows that will be deleted: until the end, no row can refer to them that did not before. */
  deleteLock?: string;
  /** Whether a statement can contain another write: `WITH … AS (UPDATE …) INSERT …`. */
  nestsWrites: boolean;
  /** The first parameter, a JSON array of arrays, as a table of rows. */
  jsonRows: string;
  /** The value at a place of such a row. */
  jsonValue(index: number, type: ColumnType): string;
  /** Rows of these columns in this order as one JSON array of arrays. */
  jsonOf(columns: readonly string[], order: readonly string[]): string;
  /** A value, or list of values, as the driver takes it. */
  encode(value: unknown): unknown;
  encodeList(values: readonly unknown[]): unknown;
  /** Whether values of this type have to be decoded; the others are as the model types them. */
  converts(type: ColumnType): boolean;
  /** A value that the driver gave, as the model types it. */
  decode(value: unknown, type: ColumnType): unknown;
}
