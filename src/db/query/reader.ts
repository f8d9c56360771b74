import type { Dialect } from './dialect.ts';
import type { Statement } from './statement.ts';

/** Counts a row when it arrives. If it throws, the read ends, and rejects with what was thrown. */
export type CountRow = (row: readonly unknown[]) => void;

export interface ReadOptions {
  /** When it is aborted, the read rejects with its reason; the statement is cancelled, and its rows are dropped. */
  signal?: AbortSignal | undefined;
  count?: CountRow | undefined;
  /** Whose read it is. Statements of one caller leave connections to those of others. */
  caller?: string | undefined;
  /** See {@link Statement}. */
  maxRows?: number | undefined;
}

/** Runs reads: the database, or the database of one request. */
export interface Reader {
  dialect: Dialect;
  /** How many rows the searches of a request have looked at. Undefined for the database, whose reads are not those of a request. */
  searched?: { rows: number };
  /** Runs a prepared statement with the driver. Rows are arrays in column order. */
  query(text: string, params: unknown[], options?: ReadOptions): Promise<unknown[][]>;
}

export const run = (reader: Reader, { sql, params, maxRows }: Statement): Promise<unknown[][]> =>
  reader.query(sql, params, { maxRows });
