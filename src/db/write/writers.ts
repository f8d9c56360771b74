import pg from 'pg';
import type { RequestStatements } from '../../kernel/statements.ts';
import type { Telemetry } from '../../kernel/telemetry.ts';
import { cancelRunning } from '../cancel.ts';
import { type PoolState, type Transaction, untilClosed } from '../database.ts';
import { withUnavailable } from '../unavailable.ts';
import { Admission, stalledPerPlace } from './admission.ts';
import { inTime, isWornOut, type KeptClient } from './kept-client.ts';
import { Line } from './line.ts';
import { begin, type SharedByTransactions, TransactionConnection } from './transaction-connection.ts';

export interface WriterOptions {
  /** The maximum number of concurrent transactions, not counting those that wait for a lock. */
  size: number;
  /** How long a transaction waits to start. */
  maxWaitMs: number;
  /** Settings of each transaction, for poolers, which do not support session settings. */
  local?: Record<string, number>;
  telemetry?: Telemetry | undefined;
  onStatement?: ((text: string) => void) | undefined;
  /** Called when a connection breaks during a transaction. */
  onConnectionError?: ((error: Error) => void) | undefined;
  /** Makes a client of Prisma whose transactions go through the line. */
  openClient(line: Line): Promise<KeptClient>;
}

/** A client of Prisma, and what it takes for its connection. */
interface Kept extends KeptClient {
  line: Line;
}

/**
 * Runs transactions, each on a connection that is known, so that its statement can be cancelled when the transaction is
 * aborted. Each connection keeps a client of Prisma. For Prisma's adapter, this is the pool.
 */
export class Writers extends pg.Pool {
  readonly #pool: pg.Pool;
  readonly #settings: pg.PoolConfig;
  readonly #admission: Admission;
  readonly #shared: SharedByTransactions;
  readonly #openClient: WriterOptions['openClient'];
  readonly #lost: (error: Error) => void;
  #kept = new WeakMap<pg.PoolClient, Kept>();
  #offered: Line | undefined;
  #keeping: Promise<unknown> = Promise.resolve();

  constructor(settings: pg.PoolConfig, { size, maxWaitMs, local = {}, ...options }: WriterOptions) {
    super(settings);
    this.#openClient = options.openClient;
    this.#lost = (error) => options.onConnectionError?.(error);
    this.#settings = settings;
    this.#admission = new Admission(size, maxWaitMs);
    const limits = Object.entries(local).map(([name, ms]) => `SET LOCAL ${name} = ${ms}`);
    // Sent in one message, without another round trip.
    const { telemetry, onStatement } = options;
    const beginText = [begin, ...limits].join('; ');
    this.#shared = { beginText, telemetry, onStatement, conversions: new Map() };
    this.#pool = new pg.Pool({ ...settings, max: size * (1 + stalledPerPlace) });
    this.#pool.on('error', (error, client) => this.emit('error', error, client));
    this.#pool.on('remove', (client) => this.#drop(client as pg.PoolClient));
  }

  /** Runs `work` in a transaction. */
  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
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
      return await this.#run(client, connection, work, signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (connection.aborted) throw connection.aborted.reason;
      throw connection.failure ?? withUnavailable(error);
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#admission.leave(connection);
    }
  }

  async #run<T>(
    client: pg.PoolClient,
    connection: TransactionConnection,
    work: (tx: Transaction) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    client.on('error', this.#lost);
    let kept: Kept | undefined;
    let close = () => {};
    try {
      kept = await this.#keptOf(client);
      kept.line.current = connection;
      const open = untilClosed(kept.tx);
      close = open.close;
      const result = await inTime(work(open.tx), (error) => connection.abort(error));
      signal?.throwIfAborted();
      close();
      await connection.end('COMMIT');
      kept.line.current = undefined;
      return result;
    } catch (error) {
      close();
      // Statements that are still to come must not become part of the next transaction.
      this.#drop(client);
      // A connection that cannot send it was lost, and the transaction with it.
      await connection.end('ROLLBACK').catch(() => {});
      throw error;
    } finally {
      client.removeListener('error', this.#lost);
      // A late cancel request must not cancel a statement of the next transaction on this connection.
      client.release(connection.aborted ? true : undefined);
    }
  }

  /** Leaves the end of the clients to Prisma, which ends them when it disconnects. */
  leaveClients(): void {
    this.#kept = new WeakMap();
  }

  #drop(client: pg.PoolClient): void {
    const kept = this.#kept.get(client);
    this.#kept.delete(client);
    kept?.line.release();
    kept?.end();
  }

  #keptOf(client: pg.PoolClient): Kept | Promise<Kept> {
    const kept = this.#kept.get(client);
    if (kept && !isWornOut(kept)) return kept;
    this.#drop(client);
    return this.#keep(client);
  }

  /** Prisma requests a connection without saying what for, so that it is asked for one client after the other. */
  #keep(client: pg.PoolClient): Promise<Kept> {
    const keeping = this.#keeping.then(async () => {
      const line = new Line();
      this.#offered = line;
      const kept = { ...(await this.#openClient(line)), line };
      this.#kept.set(client, kept);
      return kept;
    });
    this.#keeping = keeping.catch(() => {});
    return keeping;
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

  // biome-ignore lint/suspicious/noExplicitAny: the adapter calls the one of the overloads that gives a promise
  override connect(): any {
    const line = this.#offered;
    this.#offered = undefined;
    return line ? Promise.resolve(line) : Promise.reject(new Error('Prisma needs no connection of its own.'));
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
