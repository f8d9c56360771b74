import type { Duplex } from 'node:stream';
import type pg from 'pg';
import type { Holder } from '../../kernel/limiter.ts';
import type { Telemetry } from '../../kernel/telemetry.ts';
import { withUnavailable } from '../connection/unavailable.ts';
import type { CountedFor } from '../database.ts';

const begin = 'BEGIN';
const rollback = 'ROLLBACK';
const ends = new Set(['COMMIT', rollback]);

/** The result of a statement that is not sent yet, or not at all. */
const unsent: pg.QueryResult = { command: '', rowCount: null, oid: 0, fields: [], rows: [] };

export interface TransactionSettings {
  /** Sent instead of `BEGIN`. */
  beginText: string;
  telemetry: Telemetry | undefined;
  onStatement: ((text: string) => void) | undefined;
}

/**
 * The connection of one transaction, as Prisma's adapter uses it. Its statement is cancelled when it is aborted. `BEGIN` is sent with
 * the first statement, and statements of one moment are sent in one write: each write wakes a process of the database.
 */
export class TransactionConnection implements Holder {
  readonly group?: string;
  /** The start of its current statement. */
  since: number | undefined;
  /** The driver's error if the database was unavailable. */
  failure: unknown;
  aborted: { reason: unknown } | undefined;
  readonly #settings: TransactionSettings;
  readonly #counted: CountedFor | undefined;
  #client: pg.PoolClient | undefined;
  #cancel = () => {};
  /** The start of the transaction, before it is sent. */
  #begin: pg.QueryConfig | undefined;
  #isCorked = false;
  /** Whether the end was sent. */
  #isEnding = false;

  constructor(settings: TransactionSettings, counted: CountedFor | undefined) {
    this.#settings = settings;
    this.#counted = counted;
    if (counted?.caller !== undefined) this.group = counted.caller;
  }

  connect(client: pg.PoolClient, cancel: () => void): this {
    this.#client = client;
    this.#cancel = cancel;
    return this;
  }

  async query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const { text } = config;
    // An aborted transaction can only be rolled back.
    if (this.aborted && text !== rollback) throw this.aborted.reason;
    const client = this.#client;
    // A statement after the end would not be part of a transaction.
    if (!client || (this.#isEnding && text !== rollback)) throw new Error('The transaction is over.');
    const { beginText, telemetry, onStatement } = this.#settings;
    if (text === begin) {
      this.#begin = { ...config, text: beginText };
      return unsent;
    }
    onStatement?.(text);
    if (ends.has(text)) {
      this.#isEnding = true;
      if (this.#begin) return unsent;
    }
    const send = () => this.#send(client, config);
    const since = performance.now();
    this.since = since;
    try {
      const result = await (telemetry ? telemetry.measure('write', text, send) : send());
      // Rows are arrays, for Prisma as well.
      this.#counted?.budget?.countRows(result.rows ?? []);
      return result;
    } catch (error) {
      const mapped = withUnavailable(error);
      if (mapped !== error) this.failure ??= mapped;
      throw error;
    } finally {
      this.#counted?.statements?.add(text, performance.now() - since);
      // A later statement may be running: they can be sent without waiting for each other.
      if (this.since === since) this.since = undefined;
    }
  }

  async #send(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
    this.#cork(client);
    const begin = this.#begin;
    if (!begin) return client.query(config);
    this.#begin = undefined;
    const [, result] = await Promise.all([client.query(begin), client.query(config)]);
    return result;
  }

  #cork(client: pg.PoolClient): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = { reason };
    this.#cancel();
  }

  on(event: 'error', listener: (error: Error) => void): void {
    this.#client?.on(event, listener);
  }

  removeListener(event: 'error', listener: (error: Error) => void): void {
    this.#client?.removeListener(event, listener);
  }

  release(error?: Error | boolean): void {
    const client = this.#client;
    this.#client = undefined;
    this.#cancel = () => {};
    // A late cancel request must not cancel a statement of the next transaction on this connection.
    client?.release(this.aborted ? true : error);
  }
}
