import pg from 'pg';
import { inTurn } from '../../kernel/in-turn.ts';
import type { Limiter } from '../../kernel/limiter.ts';
import { inTime, prismaOptions } from '../connection/in-time.ts';
import { stalledPerPlace, transactionLimiter } from '../connection/transaction-limiter.ts';
import { withUnavailable } from '../connection/unavailable.ts';
import {
  type CountedFor,
  type PoolState,
  type Statements,
  type Transaction,
  transactionOptions,
  withMethods,
} from '../database.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { cancelRunning } from './cancel.ts';
import { hearErrors } from './hear-errors.ts';
import { TransactionConnection, type TransactionSettings } from './transaction-connection.ts';

export interface TransactionPoolOptions extends Omit<TransactionSettings, 'beginText'> {
  /** The maximum number of concurrent transactions, not counting those that wait for a lock. */
  size: number;
  /** Settings of each transaction, for poolers, which do not support session settings. */
  local?: Record<string, number>;
  /** The statements that are sent without Prisma. */
  methodsOf(connection: TransactionConnection): Statements;
}

/**
 * The pool of Prisma's adapter. Which connection a transaction gets is known, so that its statement can be cancelled when
 * the transaction is aborted.
 */
export class TransactionPool extends pg.Pool {
  readonly #cancelSettings: pg.PoolConfig;
  readonly #limiter: Limiter;
  readonly #settings: TransactionSettings;
  readonly #methodsOf: TransactionPoolOptions['methodsOf'];
  /**
   * The transaction that Prisma requests a connection for, one at a time. An `AsyncLocalStorage` would know it as well, but makes
   * every promise of the process slower, before Node.js 24.
   */
  #beginning: { connection: TransactionConnection; requested(): void } | undefined;

  constructor(
    settings: pg.PoolConfig,
    { size, local = {}, methodsOf, telemetry, onStatement }: TransactionPoolOptions,
  ) {
    super({ ...settings, max: size * (1 + stalledPerPlace) });
    this.on('connect', hearErrors);
    this.#cancelSettings = settings;
    this.#methodsOf = methodsOf;
    this.#limiter = transactionLimiter(size, transactionOptions.maxWait);
    const limits = Object.entries(local).map(([name, ms]) => `SET LOCAL ${name} = ${ms}`);
    // Sent in one message, without another round trip.
    this.#settings = { beginText: ['BEGIN', ...limits].join('; '), telemetry, onStatement };
  }

  /** Runs `work` in a transaction of the client, whose adapter has this pool. */
  async transaction<T>(
    client: PrismaClient,
    work: (tx: Transaction) => Promise<T>,
    signal?: AbortSignal,
    counted?: CountedFor,
  ): Promise<T> {
    signal?.throwIfAborted();
    const connection = new TransactionConnection(this.#settings, counted);
    await this.#limiter.enter(connection, signal);
    const abort = () => connection.abort(signal!.reason);
    signal?.addEventListener('abort', abort);
    try {
      const run = () =>
        client.$transaction(async (tx) => {
          const methods = this.#methodsOf(connection);
          const result = await inTime(work(withMethods(tx, methods)), (error) => connection.abort(error));
          signal?.throwIfAborted();
          return result;
        }, prismaOptions);
      return await this.#begin(connection, run);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (connection.aborted) throw connection.aborted.reason;
      throw connection.failure ?? withUnavailable(error);
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#limiter.leave(connection);
    }
  }

  /** Runs a transaction of Prisma that requests this connection. */
  async #begin<T>(connection: TransactionConnection, run: () => Promise<T>): Promise<T> {
    let running: Promise<T> | undefined;
    const begin = () =>
      new Promise<void>((requested) => {
        this.#beginning = { connection, requested };
        running = run();
        // It can fail before it requests a connection.
        running.then(
          () => requested(),
          () => requested(),
        );
      });
    await inTurn(this, begin);
    return running!;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the adapter calls the one of the overloads that gives a promise
  override async connect(): Promise<any> {
    const beginning = this.#beginning;
    if (!beginning) throw new Error('Prisma needs no connection outside of transactions.');
    this.#beginning = undefined;
    beginning.requested();
    const client = await super.connect();
    return beginning.connection.connect(client, () => void cancelRunning(client, this.#cancelSettings));
  }

  state(): PoolState {
    const { totalCount, idleCount } = this;
    return {
      pool: 'write',
      size: this.#limiter.most,
      open: totalCount,
      inUse: totalCount - idleCount,
      waiting: this.#limiter.waiting,
    };
  }
}
