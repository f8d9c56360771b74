import type pg from 'pg';
import { begin, ends, nothing, type TransactionConnection } from './transaction-connection.ts';

/** What Prisma's adapter takes for a connection: that of one transaction after the other. */
export class Line {
  /** That of the transaction in progress. */
  current: TransactionConnection | undefined;

  get connection(): TransactionConnection {
    if (!this.current) throw new Error('The transaction is over.');
    return this.current;
  }

  async query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    // The transaction of Prisma goes on when one of the database ends.
    if (config.text === begin || ends.has(config.text)) return nothing;
    return this.connection.query(config);
  }

  on(): void {}

  removeListener(): void {}

  release(): void {
    this.current = undefined;
  }
}
