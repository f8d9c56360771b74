import pg from 'pg';
import type { RequestStatements } from '../../kernel/statements.ts';
import type { Telemetry } from '../../kernel/telemetry.ts';
import { cancelRunning } from '../cancel.ts';
import type { PoolState } from '../database.ts';
import { withUnavailable } from '../unavailable.ts';
import { Admission, stalledPerPlace } from './admission.ts';
import { begin, type SharedByTransactions, TransactionConnection } from './transaction-connection.ts';

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
