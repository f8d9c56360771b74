import type { Duplex } from 'node:stream';
import type pg from 'pg';
import type { RequestStatements } from '../../kernel/statements.ts';
import type { Telemetry } from '../../kernel/telemetry.ts';
import { type Conversions, RowQuery } from '../read/row-query.ts';
import { withUnavailable } from '../unavailable.ts';
import type { Turn } from './admission.ts';

/** The statements with which Prisma's adapter starts and ends a transaction. */
export const begin = 'BEGIN';
const rollback = 'ROLLBACK';
const ends = new Set(['COMMIT', rollback]);
/** What the adapter is told when nothing is sent. */
const nothing = { rowCount: 0, rows: [], fields: [] } as unknown as pg.QueryResult;

/** What all transactions have in common. */
export interface SharedByTransactions {
  beginText: string;
  telemetry: Telemetry | undefined;
  conversions: Map<string, Conversions>;
}

/**
 * The connection of one transaction, with the interface that Prisma's adapter uses. Statements that need not wait for each
 * other are sent in one write: `BEGIN` with the first reads, and writes that nobody waits for with the next statement.
 */
export class TransactionConnection implements Turn {
  runningSince: number | undefined;
  #sent = 0;
  #hasBegun = false;
  /** Writes that are sent with the next statement. */
  #later: pg.QueryArrayConfig[] = [];
  /** The driver's error if the database was unavailable. */
  failure: unknown;
  aborted: { reason: unknown } | undefined;
  readonly #shared: SharedByTransactions;
  readonly #statements: RequestStatements | undefined;
  #client: pg.PoolClient | undefined;
  #cancel = () => {};

  constructor(shared: SharedByTransactions, statements: RequestStatements | undefined) {
    this.#shared = shared;
    this.#statements = statements;
  }

  connect(client: pg.PoolClient, cancel: () => void): void {
    this.#client = client;
    this.#cancel = cancel;
  }

  async query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    if (config.text === begin) return nothing;
    if (config.text === rollback) this.#later = [];
    if (!this.#hasBegun) {
      if (this.#later.length === 0 && ends.has(config.text)) return nothing;
      await this.#begin();
    }
    return this.#sendAll(config.text, () => this.#client!.query(config));
  }

  /** Sends the write with the next statement, which fails if the write does. */
  later(config: pg.QueryArrayConfig): void {
    this.#later.push(config);
  }

  /** The rows of a read, without Prisma. */
  async read(config: pg.QueryArrayConfig): Promise<unknown[][]> {
    const rows = () => this.#rows(config);
    if (this.#hasBegun) return this.#sendAll(config.text, rows);
    return this.#together(() => [this.#begin(), this.#send(config.text, rows)]);
  }

  #rows(config: pg.QueryArrayConfig): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      const answered = (error: Error | undefined, found: unknown[][]) =>
        error ? reject(error) : resolve(found);
      const query = new RowQuery(config, this.#shared.conversions, answered);
      this.#client!.query(query as unknown as pg.Submittable);
    });
  }

  #begin(): Promise<unknown> {
    this.#hasBegun = true;
    return this.#send(begin, () => this.#client!.query(this.#shared.beginText));
  }

  /** Sends a statement after those that were left for later. */
  #sendAll<R>(text: string, send: () => Promise<R>): Promise<R> {
    if (this.#later.length === 0) return this.#send(text, send);
    const later = this.#later;
    this.#later = [];
    return this.#together(() => [
      ...later.map((each) => this.#send(each.text, () => this.#rows(each))),
      this.#send(text, send),
    ]);
  }

  /**
   * Sends statements in one write, with those that follow at once. The outcome is that of the last one, or of the first that
   * fails.
   */
  async #together<R>(send: () => [...Promise<unknown>[], Promise<R>]): Promise<R> {
    const { stream } = (this.#client as unknown as { connection: { stream: Duplex } }).connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    const sent = send();
    for (const outcome of await Promise.allSettled(sent)) {
      if (outcome.status === 'fulfilled') continue;
      // Prisma would wrap the error of a statement that is not the one it knows of.
      this.failure ??= outcome.reason;
      throw outcome.reason;
    }
    return sent.at(-1) as Promise<R>;
  }

  async #send<R>(text: string, send: () => Promise<R>): Promise<R> {
    // An aborted transaction can only be rolled back.
    if (this.aborted && text !== rollback) throw this.aborted.reason;
    const { telemetry } = this.#shared;
    const since = performance.now();
    const place = ++this.#sent;
    this.runningSince = since;
    try {
      return await (telemetry ? telemetry.measure('write', text, send) : send());
    } catch (error) {
      const mapped = withUnavailable(error);
      if (mapped !== error) this.failure ??= mapped;
      throw error;
    } finally {
      this.#statements?.add(text, performance.now() - since);
      if (place === this.#sent) this.runningSince = undefined;
    }
  }

  on(event: 'error', listener: (error: Error) => void): void {
    this.#client!.on(event, listener);
  }

  removeListener(event: 'error', listener: (error: Error) => void): void {
    this.#client!.removeListener(event, listener);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = { reason };
    this.#cancel();
  }

  release(error?: Error | boolean): void {
    // A late cancel request must not cancel a statement of the next transaction on this connection.
    this.#client!.release(this.aborted ? true : error);
  }
}
