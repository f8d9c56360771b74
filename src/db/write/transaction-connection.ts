import type { Duplex } from 'node:stream';
import type pg from 'pg';
import type { RequestStatements } from '../../kernel/statements.ts';
import type { Telemetry } from '../../kernel/telemetry.ts';
import { type Conversions, RowQuery } from '../read/row-query.ts';
import { withUnavailable } from '../unavailable.ts';
import type { Turn } from './admission.ts';

export const begin = 'BEGIN';
const rollback = 'ROLLBACK';
export const ends = new Set(['COMMIT', rollback]);
/** What Prisma's adapter is told when nothing is sent. */
export const nothing = { rowCount: 0, rows: [], fields: [] } as unknown as pg.QueryResult;

/** What all transactions have in common. */
export interface SharedByTransactions {
  beginText: string;
  telemetry: Telemetry | undefined;
  onStatement: ((text: string) => void) | undefined;
  conversions: Map<string, Conversions>;
}

/**
 * The connection of one transaction, which Prisma's adapter reaches through a `Line`. Statements that need not wait for
 * each other are sent in one write: `BEGIN` with the first reads, and writes that nobody waits for with the next statement.
 */
export class TransactionConnection implements Turn {
  runningSince: number | undefined;
  #sent = 0;
  #hasBegun = false;
  /** Writes that are sent with the next statement. */
  #later: { text: string; send(): Promise<unknown> }[] = [];
  /** Called with the next statement of Prisma, which is one of them. */
  #isLeft: (() => void) | undefined;
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
    if (this.#isLeft) return this.#leave(config, this.#isLeft);
    if (config.text === rollback) this.#later = [];
    if (!this.#hasBegun) {
      if (this.#later.length === 0 && ends.has(config.text)) return nothing;
      await this.#begin();
    }
    return this.#sendAll(config.text, () => this.#client!.query(config));
  }

  /** Sends the write with the next statement, which fails if the write does. */
  later(config: pg.QueryArrayConfig): void {
    this.#later.push({ text: config.text, send: () => this.#rows(config) });
  }

  /** The same for a write of Prisma, which must be one statement. Resolves when Prisma has made it. */
  laterOf(write: PromiseLike<unknown>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#isLeft = resolve;
      write.then(() => resolve(), reject);
    });
  }

  #leave(config: pg.QueryConfig, isLeft: () => void): Promise<pg.QueryResult> {
    this.#isLeft = undefined;
    return new Promise((resolve, reject) => {
      const send = () => {
        const sent = this.#client!.query(config);
        sent.then(resolve, reject);
        return sent;
      };
      this.#later.push({ text: config.text, send });
      isLeft();
    });
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
      ...later.map((each) => this.#send(each.text, each.send)),
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

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = { reason };
    this.#cancel();
  }

  /** Ends the transaction. If it cannot be rolled back, the connection was lost, and the transaction with it. */
  async end(text: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    this.#shared.onStatement?.(text);
    await this.query({ text });
  }
}
