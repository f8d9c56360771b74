import type { Dialect } from './dialect.ts';
import type { Statement } from './statement.ts';

/** Counts a row when it arrives. If it throws, the read ends, and rejects with what was thrown. */
export type CountRow = (row: readonly unknown[]) => void;

/** Runs reads: the database, or the database of one request. */
export interface Reader {
  dialect: Dialect;
  /**
   * Runs a prepared statement with the driver. Rows are arrays in column order. Rejects with the
   * signal's reason when that is aborted; the statement is then cancelled, and its rows are dropped. Statements of one
   * caller leave connections to those of others.
   */
  query(
    text: string,
    params: unknown[],
    signal?: AbortSignal,
    count?: CountRow,
    caller?: string,
  ): Promise<unknown[][]>;
}

export const run = (reader: Reader, { sql, params }: Statement): Promise<unknown[][]> =>
  reader.query(sql, params);
