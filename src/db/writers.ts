import pg from 'pg';
import { cancelRunning } from './cancel.ts';

/** A connection that one transaction has to itself, as Prisma's adapter uses it. */
class TransactionConnection {
  readonly #client: pg.PoolClient;
  readonly #cancel: () => Promise<void>;
  #aborted: { reason: unknown } | undefined;
  #cancelling: Promise<void> | undefined;

  constructor(client: pg.PoolClient, cancel: () => Promise<void>) {
    this.#client = client;
    this.#cancel = cancel;
  }

  query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    // What is left to be said of an aborted transaction is that it is undone.
    if (this.#aborted && config.text !== 'ROLLBACK') return Promise.reject(this.#aborted.reason);
    return this.#client.query(config);
  }

  on(event: 'error', listener: (error: Error) => void): void {
    this.#client.on(event, listener);
  }

  removeListener(event: 'error', listener: (error: Error) => void): void {
    this.#client.removeListener(event, listener);
  }

  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#cancelling ??= this.#cancel();
  }

  release(error?: Error | boolean): void {
    // A cancel request that comes late must not find the next transaction on this connection.
    this.#client.release(this.#aborted ? true : error);
  }
}

/**
 * Gives each transaction of Prisma a connection that was taken for it before, so that it is known which
 * connection's statement to cancel when the transaction is aborted. Prisma asks its pool for a connection
 * and does not say for which transaction, so transactions start one after the other: until the connection is
 * handed over, which takes no round trip.
 */
export class Writers extends pg.Pool {
  readonly #pool: pg.Pool;
  readonly #settings: pg.PoolConfig;
  #offered: TransactionConnection | undefined;
  #taken: () => void = () => {};
  #turn: Promise<void> = Promise.resolve();

  constructor(settings: pg.PoolConfig) {
    super(settings);
    this.#settings = settings;
    this.#pool = new pg.Pool(settings);
    this.#pool.on('error', (error, client) => this.emit('error', error, client));
  }

  /** Runs a transaction that `start` begins. */
  async transaction<T>(start: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const client = await this.#connectionFor(signal);
    const connection = new TransactionConnection(client, () => cancelRunning(client, this.#settings));
    const abort = () => connection.abort(signal!.reason);
    signal?.addEventListener('abort', abort);
    try {
      return await this.#handOver(connection, start);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', abort);
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
      // Prisma failed before it asked for a connection.
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
    if (!connection) return Promise.reject(new Error('A transaction of Prisma was not announced.'));
    this.#offered = undefined;
    this.#taken();
    return Promise.resolve(connection);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  override end(): any {
    return Promise.all([super.end(), this.#pool.end()]);
  }
}
