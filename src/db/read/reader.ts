import type { Dialect } from '../dialect.ts';
import type { Statement } from './statement.ts';

/** What reads are sent to: the database, or the database as one request uses it. */
export interface Reader {
  dialect: Dialect;
  /**
   * One prepared statement, sent straight to the driver; rows are arrays in column order. Rejects with the
   * signal's reason when that is aborted; the statement is then cancelled.
   */
  query(text: string, params: unknown[], signal?: AbortSignal): Promise<unknown[][]>;
  /** Rows of which not all columns were read refuse to be asked for the others: for tests, since it costs. */
  guardsRows: boolean;
}

export const run = (reader: Reader, { sql, params }: Statement): Promise<unknown[][]> =>
  reader.query(sql, params);
