import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { RequestStatements } from '../../kernel/statements.ts';
import type { Telemetry } from '../../kernel/telemetry.ts';
import { cancelRunning } from '../cancel.ts';
import type { PoolState } from '../database.ts';
import { type Conversions, RowQuery } from '../read/row-query.ts';
import { withUnavailable } from '../unavailable.ts';
import { Admission, stalledPerPlace, type Turn } from './admission.ts';

/** The statements with which Prisma's adapter starts and ends a transaction. */
const [begin, commit, rollback] = ['BEGIN', 'COMMIT', 'ROLLBACK'];
const ends = new Set([commit, rollback]);
/** What the adapter is told when nothing is sent. */
const nothing = { rowCount: 0, rows: [], fields: [] } as unknown as pg.QueryResult;

/** What all transactions have in common. */
interface SharedByTransactions {
  beginText: string;
  telemetry: Telemetry | undefined;
  conversions: Map<string, Conversions>;
}

/**
 * The connection of one transaction, with the interface that Prisma's adapter uses. Statements that need not wait for each
 * other are sent in one write: `BEGIN` with the first reads, and writes that nobody waits for with the next statement.
 */
class TransactionConnection implements Turn {
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

export interface WriterOptions {
  /** The maximum number of concurrent transactions, not counting those that wait for a lock. */
  size: number;
  /** How long a transaction waits to start. */
  maxWaitMs: number;
  /** Settings of each transaction, for poolers, which do not support session settings. */
  local?: Record<string, number>;
  telemetry?: Telemetry | undefined;
}

/**
 * Gives each of Prisma's transactions a known connection, so that its statement can be cancelled when the transaction is
 * aborted. Prisma requests connections from its pool without naming the transaction. Transactions therefore start one
 * after the other until they have their connection, which takes no round trip.
 */
export class Writers extends pg.Pool {
  readonly #pool: pg.Pool;
  readonly #settings: pg.PoolConfig;
  readonly #admission: Admission;
  readonly #shared: SharedByTransactions;
  #offered: TransactionConnection | undefined;
  #taken: () => void = () => {};
  #turn: Promise<void> = Promise.resolve();

  constructor(settings: pg.PoolConfig, { size, maxWaitMs, local = {}, telemetry }: WriterOptions) {
    super(settings);
    this.#settings = settings;
    this.#admission = new Admission(size, maxWaitMs);
    const limits = Object.entries(local).map(([name, ms]) => `SET LOCAL ${name} = ${ms}`);
    // Sent in one message, without another round trip.
    this.#shared = { beginText: [begin, ...limits].join('; '), telemetry, conversions: new Map() };
    this.#pool = new pg.Pool({ ...settings, max: size * (1 + stalledPerPlace) });
    this.#pool.on('error', (error, client) => this.emit('error', error, client));
  }

  /** Runs the transaction that `start` starts. */
  async transaction<T>(
    start: (connection: TransactionConnection) => Promise<T>,
    signal?: AbortSignal,
    statements?: RequestStatements,
  ): Promise<T> {
    signal?.throwIfAborted();
    const connection = new TransactionConnection(this.#shared, statements);
    await this.#admission.enter(connection, signal);
    const abort = () => connection.abort(signal!.reason);
    try {
      const client = await this.#connectionFor(signal);
      connection.connect(client, () => void cancelRunning(client, this.#settings));
      signal?.addEventListener('abort', abort);
      return await this.#handOver(connection, () => start(connection));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (connection.aborted) throw connection.aborted.reason;
      throw connection.failure ?? withUnavailable(error);
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#admission.leave(connection);
    }
  }

  async #connectionFor(signal?: AbortSignal): Promise<pg.PoolClient> {
    const connecting = this.#pool.connect();
    if (!signal) return connecting;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort);
      connecting
        .then((client) => {
          if (signal.aborted) client.release();
          else resolve(client);
        }, reject)
        .finally(() => signal.removeEventListener('abort', abort));
    });
  }

  async #handOver<T>(connection: TransactionConnection, start: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    let next = () => {};
    this.#turn = new Promise((resolve) => {
      next = resolve;
    });
    await before;
    this.#offered = connection;
    this.#taken = next;
    try {
      return await start();
    } finally {
      // Prisma failed before it requested a connection.
      if (this.#offered === connection) {
        this.#offered = undefined;
        connection.release();
        next();
      }
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the adapter calls the one of the overloads that gives a promise
  override connect(): any {
    const connection = this.#offered;
    if (!connection)
      return Promise.reject(new Error('A Prisma transaction started without being announced.'));
    this.#offered = undefined;
    this.#taken();
    return Promise.resolve(connection);
  }

  state(): PoolState {
    const { totalCount, idleCount } = this.#pool;
    return {
      pool: 'write',
      size: this.#admission.places,
      open: totalCount,
      inUse: totalCount - idleCount,
      waiting: this.#admission.waiting,
    };
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  override end(): any {
    return Promise.all([super.end(), this.#pool.end()]);
  }
}
